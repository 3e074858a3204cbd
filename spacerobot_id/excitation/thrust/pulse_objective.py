"""Which of several firings shows most, what is unknown of the thrusters counted.

Momentum is what it was and what pulses gave since: what it makes of the base's pose and twist is
linear in the parameters of the robot and in strengths, losses, dead time, delay and directions of
the thrusters, as in momentum balance. Noise is that of the readings, and of what acts: pulses
scatter about their thruster's strength, and other forces walk.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.objective.criteria import DeviationCriterion
from spacerobot_id.excitation.objective.objective import interest, visible_parameters
from spacerobot_id.excitation.planner_settings import PlanCriterionSettings
from spacerobot_id.excitation.thrust.base_drift import BaseDrift
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.methods.balance.actuators.actuator_settings import DIRECTION, STRENGTH
from spacerobot_id.methods.information.free_flyer import ThrustedInformation
from spacerobot_id.methods.information.motion_information import Marginal, MotionInformation
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import MinimalParameters, momentum_regressor
from spacerobot_id.spatial import skew

if TYPE_CHECKING:
    from typing import Self

_EVERY = 4
"""Steps from one reading of pose and twist to the next."""

_SCATTER = 0.1
"""Deviation of the strength of a pulse, as a share of it."""

_WALK = 0.004
"""Walk of what else acts in a root second, as a share of the largest wrench of a thruster."""

_LEAST = 1e-7
"""Least noise of a pose, m or rad."""


@dataclass(frozen=True, eq=False)
class PulseInformation:
    """Robot and thrusters of which p parameters and c numbers are unknown.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, its T thrusters as they are stated.
    minimal : MinimalParameters
        Its p minimal parameters.
    groups : sequence of UnknownGroup
        What is unknown of the thrusters.
    planar : bool
        Whether a table holds the base in its plane.
    """

    model: RobotModel
    minimal: MinimalParameters
    groups: Sequence[UnknownGroup]
    planar: bool = False

    def matrices(
        self, motion: PlannedMotion, drift: BaseDrift, shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the information of parameters and thrusters, shape (C, p + c, p + c).

        Pose and momentum at the start count as unknown: what is known of them from before is left
        out, so that standard deviations come out too large rather than too small.

        Parameters
        ----------
        motion : PlannedMotion
            Joints, then wheels, at the M + 1 ends of the steps, which are evenly spaced.
        drift : BaseDrift
            How C candidates move the base.
        shares : ndarray, shape (C, M, T)
            Commands of the thrusters of each in each step.
        """
        of_unknowns, of_noise = self.slopes(motion, drift, shares)
        free = free_axes(self.planar)
        kept = of_unknowns.shape[-1] - 2 * len(free)
        covariance = of_noise @ of_noise.swapaxes(-1, -2)
        readings = covariance.shape[-1] // (2 * len(free))
        std = np.tile(self._std[[*free, *(6 + k for k in free)]], readings)
        places = np.arange(len(std))
        covariance[:, places, places] += std**2
        rows = np.linalg.solve(np.linalg.cholesky(covariance), of_unknowns)
        joint = rows.swapaxes(-1, -2) @ rows
        across = joint[:, :kept, kept:]
        lost = across @ np.linalg.solve(joint[:, kept:, kept:], across.swapaxes(-1, -2))
        return joint[:, :kept, :kept] - lost

    def slopes(
        self, motion: PlannedMotion, drift: BaseDrift, shares: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return slopes of the readings: J times the f free of pose, then of twist of the base.

        How a turned attitude turns what follows is left out: all in a short time.

        Returns
        -------
        tuple of ndarray
            By parameters, thrusters, and momentum and pose at the start: position and velocity
            along inertial and base axes, angles and angular velocities likewise; shape
            (C, 2 f J, p + c + 2 f). Then by S deviations of what acts, shape (C, 2 f J, S).
        """
        free, carried = free_axes(self.planar), _carried(drift)
        start = np.broadcast_to(-np.eye(6)[:, free], (*carried.shape[:3], len(free)))
        columns = [
            self._of_parameters(motion, drift, carried),
            self._of_thrusters(motion, carried, shares),
            start,
            self._of_noise(motion, carried, shares),
        ]
        count = sum(each.shape[-1] for each in columns[:3])
        seen = self._read(motion, carried, -np.concatenate(columns, axis=-1))
        readings = seen.shape[1] // (2 * len(free))
        at_first = np.tile(np.eye(2 * len(free), len(free)), (readings, 1))
        at_first = np.broadcast_to(at_first, (len(seen), *at_first.shape))
        of_unknowns = np.concatenate([seen[..., :count], at_first], axis=-1)
        return of_unknowns, seen[..., count:]

    def _of_parameters(
        self, motion: PlannedMotion, drift: BaseDrift, carried: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return slopes of the momentum by the parameters, shape (C, M + 1, 6, p)."""
        joints = len(self.model.joints)
        q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
        return carried @ momentum_regressor(self.model, q, qd, drift.twists, self.minimal.columns)

    def _of_thrusters(
        self,
        motion: PlannedMotion,
        carried: NDArray[np.float64],
        shares: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return slopes of the momentum, less what is given, by thrusters, (C, M + 1, 6, c)."""
        step, parts = motion.times[1] - motion.times[0], []
        thrusters = self.model.thrusters
        wrenches = np.stack([each.wrench for each in thrusters], axis=-1)
        given = (carried[:, :-1] @ wrenches) * shares[:, :, None]  # (C, M, 6, T)
        for group in self.groups:
            if group.name == STRENGTH:
                names = [each.name for each in thrusters]
                parts.append(-step * given[..., [names.index(name) for name in group.names]])
            elif group.name == DIRECTION:
                turns = [each.turned_wrenches(planar=self.planar) for each in thrusters]
                turned = np.stack(turns, axis=1) * shares[:, :, None, :, None]
                turned = turned.reshape(*shares.shape[:2], 6, -1)
                parts.append(-step * (carried[:, :-1] @ turned))
            elif group.name == 'strength_loss':
                further = np.maximum(shares.sum(axis=-1) - 1.0, 0.0)
                parts.append(step * (given.sum(axis=-1) * further[..., None])[..., None])
            elif group.name == 'dead_time':
                parts.append(np.where(_begun(shares)[:, :, None], given, 0.0).sum(-1)[..., None])
            elif group.name == 'delay.wrench':
                total = given.sum(axis=-1, keepdims=True)
                parts.append(np.diff(total, axis=1, prepend=0.0))
        return _summed(np.concatenate(parts, axis=-1))

    def _of_noise(
        self,
        motion: PlannedMotion,
        carried: NDArray[np.float64],
        shares: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return what the momentum has of each unit of noise that acts, (C, M + 1, 6, S)."""
        free, steps = free_axes(self.planar), shares.shape[1]
        step = motion.times[1] - motion.times[0]
        wrenches = np.stack([each.wrench for each in self.model.thrusters], axis=-1)
        impulses = step * (carried[:, :-1] @ wrenches) * shares[:, :, None]
        number = np.cumsum(_begun(shares), axis=1)
        pulses = range(1, int(number.max(initial=0)) + 1)
        scatter = [np.where((number == pulse)[:, :, None], impulses, 0.0) for pulse in pulses]
        size = np.abs(wrenches).reshape(2, 3, -1).max(axis=(1, 2)).repeat(3)
        walk = np.zeros((steps, 6, -(-steps // _EVERY), len(free)))
        walk[np.arange(steps), :, np.arange(steps) // _EVERY] = np.diag(size)[:, free]
        walk = _WALK * np.sqrt(step / _EVERY) * walk.reshape(steps, 6, -1)
        walks = np.broadcast_to(walk, (len(shares), *walk.shape))
        return _summed(np.concatenate([*(_SCATTER * each for each in scatter), walks], axis=-1))

    def _read(
        self,
        motion: PlannedMotion,
        carried: NDArray[np.float64],
        slopes: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return slopes of pose and twist from those of the momentum, (C, J 2 f, ...)."""
        free, joints = free_axes(self.planar), len(self.model.joints)
        of_base = carried @ momentum_matrix(self.model, motion.position[:, :joints])[:, :, :6]
        of_twist = np.linalg.solve(of_base[:, :, free][..., free], slopes[:, :, free])
        turned = np.zeros_like(carried)
        turned[..., :3, :3] = turned[..., 3:, 3:] = carried[..., :3, :3]
        rates = turned[:, :, free][..., free] @ of_twist
        means = 0.5 * (motion.times[1] - motion.times[0]) * (rates[:, 1:] + rates[:, :-1])
        both = np.concatenate([_summed(means), of_twist], axis=2)[:, ::_EVERY]
        return both.reshape(len(both), -1, both.shape[-1])

    @property
    def _std(self) -> NDArray[np.float64]:
        """Noise of pose and twist, shape (12,)."""
        noise = self.model.noise
        pose = np.maximum([noise.base_position, noise.base_attitude], _LEAST)
        twist = np.array([noise.base_linear_velocity, noise.base_angular_velocity])
        return np.append(pose, np.where(twist > 0.0, twist, np.inf)).repeat(3)


def _summed(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums of all steps before each of their ends, shape (C, M, ...) to (C, M + 1, ...)."""
    return np.concatenate([np.zeros_like(steps[:, :1]), np.cumsum(steps, axis=1)], axis=1)


def _carried(drift: BaseDrift) -> NDArray[np.float64]:
    """Return the matrices from momentum about the base to that about the inertial origin.

    Shape (C, M + 1, 6, 6): from base axes to inertial ones, about where the base was at first.
    """
    samples = drift.attitudes.shape[:2]
    R = Rotation.from_quat(drift.attitudes.reshape(-1, 4)).as_matrix().reshape(*samples, 3, 3)
    matrix = np.zeros((*samples, 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = R
    matrix[..., 3:, :3] = skew(drift.position - drift.position[:, :1]) @ R
    return matrix


def _begun(shares: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return in which steps pulses begin, shape (C, M, T)."""
    is_open = shares > 0.0
    return is_open & ~np.concatenate([np.zeros_like(is_open[:, :1]), is_open[:, :-1]], axis=1)


class PulseObjective:
    """Chooses among firings by the criterion deviation, and remembers what it has chosen.

    Standard deviations are those of the parameters of the robot, with the errors of its thrusters
    marginalised.

    Parameters
    ----------
    information : PulseInformation
        What pulses show.
    criterion : DeviationCriterion
        What is made of it, with what is known of the parameters before.
    """

    def __init__(self, information: PulseInformation, criterion: DeviationCriterion) -> None:
        self._of, self._criterion = information, criterion
        stds = [np.broadcast_to(each.std, len(each.names)) for each in information.groups]
        self._beside = np.concatenate(stds) ** -2.0
        count = len(information.minimal) + len(self._beside)
        self.shown = np.zeros((count, count))

    @classmethod
    def of_source(
        cls, source: ThrustedInformation, settings: PlanCriterionSettings
    ) -> 'Self | None':
        """Return it for what is planned for; None where nothing of the thrusters is unknown."""
        if not source.thrusters:
            return None
        model = source.models[0]
        weights = interest(settings.of_interest, source.names)
        weights = weights * visible_parameters(source.alone())
        criterion = DeviationCriterion(source.scale, weights, settings.worst_share, source.prior)
        information = PulseInformation(model, source.minimal, source.thrusters, source.planar)
        return cls(information, criterion)

    @property
    def standard_deviations(self) -> NDArray[np.float64]:
        """What a fit would reach by what was chosen, shape (p,)."""
        return self._criterion.standard_deviations(self._marginal(self.shown))

    def choose(self, motion: PlannedMotion, drift: BaseDrift, shares: NDArray[np.float64]) -> int:
        """Return the place of the candidate that shows most, and remember it.

        Parameters
        ----------
        motion, drift, shares
            As for ``PulseInformation.matrices``.
        """
        every = self.shown + self._of.matrices(motion, drift, shares)
        scores = [self._criterion.score(self._marginal(each)).value for each in every]
        best = int(np.argmin(scores))
        self.shown = every[best]
        return best

    def _marginal(self, joint: NDArray[np.float64]) -> MotionInformation:
        """Return the information of the parameters, errors of thrusters marginalised."""
        return MotionInformation(Marginal.of(joint, self._beside).matrix, np.zeros(0), np.zeros(0))

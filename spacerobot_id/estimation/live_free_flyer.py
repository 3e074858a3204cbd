"""The live state of the free-flyer method: poses and wrenches so far, and the fit over them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import FreeFlyerRecord
from spacerobot_id.dynamics import whole_robot
from spacerobot_id.estimation.changed_body import ChangedBody
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.trajectory_likelihood import (
    LikelihoodSettings,
    trajectory_likelihood,
    TrajectoryEstimate,
)
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    PARAMETER_NAMES,
    PARAMETER_UNITS,
    RobotModel,
)

_FIRST_FIT = 5.0
"""Time of motion before the first fit, s."""

_GROWTH = 1.3
"""Factor by which the record has to grow before it is fitted again while it moves."""

_SLOPE = 1e-6
"""Step of the central differences of the parameters by their log-Cholesky numbers."""


@dataclass(frozen=True, eq=False)
class LiveFreeFlyer:
    """What is known of the body that base and grasped object make; arms at rest.

    Parameters
    ----------
    reference : InertialParameters
        The robot alone, in base axes: where the fit starts, within ``settings.prior_std``.
    settings : LikelihoodSettings
        How the fit is done.
    most_samples : int
        Poses kept; older ones are forgotten.
    record : FreeFlyerRecord, optional
        Poses and wrenches of the motion so far; None before the first wrench.
    fit : TrajectoryEstimate, optional
        The last fit.
    fitted : int
        Poses that it is over.
    """

    reference: InertialParameters
    settings: LikelihoodSettings
    most_samples: int = 60_000
    record: FreeFlyerRecord | None = None
    fit: TrajectoryEstimate | None = None
    fitted: int = 0

    looks_for_changes = False

    @classmethod
    def begin(cls, model: RobotModel, most_samples: int = 60_000) -> 'LiveFreeFlyer':
        """Return the state before the first sample.

        Parameters
        ----------
        model : RobotModel
            Robot without its load; its joints stay at zero.
        most_samples : int
            Poses kept.

        Raises
        ------
        ConfigurationError
            If the noise of the poses is not given, or the robot cannot exist.
        """
        noise, reference = model.noise, whole_robot(model, np.zeros(len(model.joints)))
        if not min(noise.base_position, noise.base_attitude) > 0.0:
            raise ConfigurationError(
                'noise: base_position and base_attitude are needed by the method free_flyer'
            )
        if not reference.is_physical():
            raise ConfigurationError(f'{model.name}: {"; ".join(reference.defects())}')
        settings = LikelihoodSettings(noise.base_position, noise.base_attitude)
        return cls(reference, settings, most_samples)

    @property
    def samples(self) -> int:
        """Poses absorbed."""
        return 0 if self.record is None else len(self.record)

    @property
    def rejected(self) -> int:
        """Samples refused; all are used."""
        return 0

    @property
    def changes(self) -> int:
        """Times that the robot was found changed; that is not looked for."""
        return 0

    def is_moving(self, block: FreeFlyerRecord) -> NDArray[np.bool_]:
        """Return at which poses a wrench acts, shape (N,)."""
        return np.any(block.wrench_at(block.times) != 0.0, axis=1)

    def absorb(self, block: FreeFlyerRecord) -> 'LiveFreeFlyer':
        """Return the state after new poses; what comes before the first wrench says nothing."""
        if self.record is None and not self.is_moving(block).any():
            return self
        state = replace(self, record=_joined(self.record, block, self.most_samples))
        span = state.record.times[-1] - state.record.times[0]
        if span < _FIRST_FIT or len(state.record) < _GROWTH * self.fitted:
            return state
        return state.refined()

    def refined(self) -> 'LiveFreeFlyer':
        """Return the state with everything fitted; as it is where that shows too little."""
        if self.record is None or len(self.record) == self.fitted:
            return self
        try:
            fit = trajectory_likelihood(self.record, self.reference.vector, self.settings)
        except EstimationError:
            return self
        return replace(self, fit=fit, fitted=len(self.record))

    def estimate(self) -> Estimate:
        """Return what is known now; it is computed once for every state."""
        return self._estimate

    @cached_property
    def _estimate(self) -> Estimate:
        """What is known now: before the first fit, the robot alone."""
        covariance = self._prior if self.fit is None else self.fit.covariance
        values = self.reference.vector if self.fit is None else self.fit.values
        return Estimate(
            names=PARAMETER_NAMES,
            units=PARAMETER_UNITS,
            values=values,
            covariance=covariance,
            prior_std=np.sqrt(np.diag(self._prior)),
            rank=0 if self.fit is None else len(values),
            condition=np.inf if self.fit is None else self.fit.condition,
            samples=self.fitted,
            chi_square=np.nan if self.fit is None else self.fit.chi_square,
        )

    def robot(self, _q: NDArray[np.float64]) -> InertialParameters:
        """Return the whole robot, its load with it."""
        return InertialParameters.from_vector(self.estimate().values)

    def inertia(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        return self.robot(q).inertia_about_com

    def links(self, _relative_std: float) -> ConsistentParameters | None:
        """Return None: the body is one, its links cannot be told."""
        return None

    def changed(self) -> tuple[ChangedBody, ...]:
        """Return nothing: changes are not looked for."""
        return ()

    @cached_property
    def _prior(self) -> NDArray[np.float64]:
        """Covariance of the parameters before the data, shape (10, 10)."""
        nudges = _SLOPE * np.eye(10)
        ahead, behind = (
            bodies_from_log_cholesky(self.reference.vector, sign * nudges) for sign in (1.0, -1.0)
        )
        slope = self.settings.prior_std * (ahead - behind).T / (2.0 * _SLOPE)
        return slope @ slope.T


def _joined(before: FreeFlyerRecord | None, block: FreeFlyerRecord, most: int) -> FreeFlyerRecord:
    """Return two records one after the other; the second knows the wrenches of its own time."""
    if before is None:
        return block
    old = before.command_times < block.command_times[0]
    times = np.concatenate([before.times, block.times])[-most:]
    commands = np.concatenate([before.command_times[old], block.command_times])
    wrenches = np.concatenate([before.wrenches[old], block.wrenches])
    first = max(int(np.searchsorted(commands, times[0], side='right')) - 1, 0)
    return FreeFlyerRecord(
        times,
        np.concatenate([before.position, block.position])[-most:],
        np.concatenate([before.attitude, block.attitude])[-most:],
        commands[first:],
        wrenches[first:],
    )

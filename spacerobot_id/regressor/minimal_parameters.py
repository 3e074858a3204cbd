"""Minimal parameters of a tree in closed form ([Naveen 2024] Eqs. 18-25, and prismatic joints).

Seen from a base whose origin stands still, a robot has a linear momentum and needs a force. What
brings its centre of mass to rest moves all links alike: its velocity is minus the momentum over
the mass, its acceleration minus the force over the mass, and with the levers of the first moments
it makes an angular momentum, a moment and joint torques that are sums over products.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import Joint, JointType, RobotModel
from spacerobot_id.model.inertial_parameters import (
    IXX,
    IYY,
    MASS,
    MZ,
    PARAMETER_NAMES,
    parameter_transform,
    PARAMETER_UNITS,
)
from spacerobot_id.regressor.momentum_regressor import first_moment_regressor, momentum_regressor
from spacerobot_id.regressor.wrench_regressor import wrench_regressor

_REDUNDANT = {JointType.REVOLUTE: [IYY, MASS, MZ], JointType.PRISMATIC: list(range(6))}
"""Parameters of a child that the joint passes on to the parent."""

_DEPENDENT = 1e-8
"""What is left of a column, as a share, if it depends on the others before it."""

_NOTHING = 1e-9
"""Coefficient of a combination that is rounding."""


@dataclass(frozen=True, eq=False)
class MinimalParameters:
    """The combinations of the standard parameters that the momentum depends on.

    Parameters
    ----------
    names : tuple of str
        Link and combination, for instance ``L1.Ixx-Iyy``.
    units : tuple of str
        Units.
    columns : ndarray of int, shape (p,)
        Standard parameters whose regressor columns stay (Eq. 24).
    grouping : ndarray, shape (p, 10 (n + 1))
        Matrix from standard to minimal parameters (Eqs. 21-23).
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    columns: NDArray[np.intp]
    grouping: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of minimal parameters."""
        return len(self.names)

    @property
    def masses(self) -> NDArray[np.intp]:
        """Which of them are masses: the base's, and those beyond prismatic joints.

        Revolute joints pass mass on, prismatic ones do not; the sum is the total mass.
        """
        return np.flatnonzero([unit == 'kg' for unit in self.units])

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the minimal parameters of a robot of this structure, shape (p,) (Eq. 25)."""
        return self.grouping @ model.parameters

    def terms(self, links: Sequence[str]) -> list[list[tuple[float, str, str]]]:
        """Return each as a sum over link parameters ([Naveen 2024] Appendix 7.1).

        Parameters
        ----------
        links : sequence of str
            Names of the n + 1 links.

        Returns
        -------
        list of list of tuple
            For each of the p: coefficients, links and names of their parameters.
        """
        names = [(link, name) for link in links for name in PARAMETER_NAMES]
        places = [np.flatnonzero(np.abs(row) > _NOTHING) for row in self.grouping]
        rows = zip(self.grouping, places, strict=True)
        return [[(float(row[at]), *names[at]) for at in there] for row, there in rows]

    def expand(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return standard parameters with the same momentum, redundant ones zero.

        The links they describe are no bodies of their own, only as a whole do they move like
        the robot.

        Parameters
        ----------
        values : array_like, shape (p,)
            Minimal parameters.

        Returns
        -------
        ndarray, shape (10 (n + 1),)
            Standard parameters.
        """
        standard = np.zeros(self.grouping.shape[1])
        standard[self.columns] = values
        return standard


@lru_cache(maxsize=16)  # by the model itself: a method with one more unknown asks again
def minimal_parameters(model: RobotModel) -> MinimalParameters:
    """Return the minimal parameters of a tree from its geometry alone, kept for the next call.

    A revolute joint passes Iyy, m and mz of its child on to the parent (Eqs. 18-20): the child's
    Iyy taken from its Ixx and Iyy alike is a body that looks the same at every joint angle, and
    so do mass and first moment on the axis. A prismatic joint passes on the six inertia elements,
    because the child turns with the parent. What is passed on is carried to the parent's frame
    at joint position zero.

    Joints that follow others move in fewer ways: what of their links shows in the same way as that
    of links before them is found numerically, at random states.

    Parameters
    ----------
    model : RobotModel
        Robot; only its geometry is used.

    Returns
    -------
    MinimalParameters
        10 + 7 (revolute joints) + 4 (prismatic joints) of them, link by link; fewer where joints
        follow others.
    """
    count = len(model.links)
    blocks = np.zeros((count, 10, 10 * count))
    for index in range(count):
        blocks[index, :, 10 * index : 10 * index + 10] = np.eye(10)
    for child in range(count - 1, 0, -1):
        joint = model.tree_joints[child - 1]
        redundant = _REDUNDANT[joint.type]
        blocks[joint.parent] += _carried(joint) @ blocks[child, redundant]
        if joint.type is JointType.REVOLUTE:
            blocks[child, IXX] -= blocks[child, IYY]
    kept = [_kept(model, index) for index in range(count)]
    columns = np.array([10 * index + row for index in range(count) for row in kept[index]])
    grouping = np.concatenate([blocks[index, kept[index]] for index in range(count)])
    if model.coupling is not None:
        independent, coupled = independent_columns(_columns_at_random(model, columns))
        columns, grouping = columns[independent], coupled @ grouping
    return MinimalParameters(
        names=tuple(_name(model, *divmod(int(column), 10)) for column in columns),
        units=tuple(PARAMETER_UNITS[column % 10] for column in columns),
        columns=columns,
        grouping=grouping,
    )


def _columns_at_random(model: RobotModel, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return momentum regressors at random states, stacked, twice as many rows as columns."""
    rng, samples = np.random.default_rng(0), len(columns) // 3 + 5
    shape = samples, len(model.joints)
    q, qd = rng.uniform(-np.pi, np.pi, shape), rng.normal(size=shape)
    rows = momentum_regressor(model, q, qd, rng.normal(size=(samples, 6)), columns)
    return rows.reshape(-1, len(columns))


def _carried(joint: Joint) -> NDArray[np.float64]:
    """Return what the redundant parameters of a child add to its parent, shape (10, r)."""
    transform = parameter_transform(joint.R_PC, joint.p_PC_P)
    if joint.type is JointType.REVOLUTE:
        transform[:, IYY] += transform[:, IXX]
    return transform[:, _REDUNDANT[joint.type]]


def _kept(model: RobotModel, index: int) -> list[int]:
    """Return which of a link's ten parameters stay."""
    redundant = _REDUNDANT[model.tree_joints[index - 1].type] if index else []
    return [parameter for parameter in range(10) if parameter not in redundant]


def _name(model: RobotModel, index: int, parameter: int) -> str:
    """Return the name of a minimal parameter."""
    revolute = index > 0 and model.tree_joints[index - 1].type is JointType.REVOLUTE
    combination = 'Ixx-Iyy' if revolute and parameter == IXX else PARAMETER_NAMES[parameter]
    return f'{model.links[index].name}.{combination}'


def independent_columns(
    columns: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the columns that those before them do not make up ([Christidi 2017] Eqs. 19-22).

    Parameters
    ----------
    columns : ndarray, shape (r, c)
        Regressor at random states, stacked.

    Returns
    -------
    kept : ndarray of int, shape (k,)
        Independent columns, the first ones rather than the last.
    grouping : ndarray, shape (k, c)
        ``columns = columns[:, kept] @ grouping``.
    """
    kept = _independent(columns)
    grouping = np.linalg.lstsq(columns[:, kept], columns, rcond=None)[0]
    grouping[np.abs(grouping) < _NOTHING] = 0.0
    return kept, grouping


def _independent(columns: NDArray[np.float64]) -> NDArray[np.intp]:
    basis = np.zeros(columns.shape, order='F')
    kept: list[int] = []
    for place, column in enumerate(columns.T):
        before = basis[:, : len(kept)]
        left = column - before @ (before.T @ column)
        left -= before @ (before.T @ left)
        if np.linalg.norm(left) > _DEPENDENT * np.linalg.norm(column):
            basis[:, len(kept)] = left / np.linalg.norm(left)
            kept.append(place)
    return np.array(kept, dtype=int)


def momentum_candidates(
    model: RobotModel,
    minimal: MinimalParameters,
    pairs: NDArray[np.intp],
    q: ArrayLike,
    qd: ArrayLike,
    angular_velocity: ArrayLike,
) -> NDArray[np.float64]:
    """Return the angular momentum about the centre of mass per candidate.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    minimal : MinimalParameters
        Its minimal parameters.
    pairs : ndarray of int, shape (c, 2)
        Candidates, as in ``ReducedParameters``.
    q, qd : array_like, shape (N, n)
        Joint positions and rates.
    angular_velocity : array_like, shape (N, 3)
        Angular velocity of the base in base axes, rad/s.

    Returns
    -------
    ndarray, shape (N, 3, c)
        Angular momentum in base axes per unit of each candidate.
    """
    both = momentum_regressor(model, q, qd, _about_origin(angular_velocity), minimal.columns)
    levers = _levers(first_moment_regressor(model, q, minimal.columns))
    return _columns(pairs, both[:, 3:], levers, both[:, :3])


def torque_candidates(
    model: RobotModel,
    minimal: MinimalParameters,
    pairs: NDArray[np.intp],
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    angular_velocity: ArrayLike,
    angular_acceleration: ArrayLike,
) -> NDArray[np.float64]:
    """Return the moment on the base and the joint torques per candidate.

    Parameters
    ----------
    model, minimal, pairs, q, qd, angular_velocity
        As for ``momentum_candidates``.
    qdd : array_like, shape (N, n)
        Joint accelerations.
    angular_acceleration : array_like, shape (N, 3)
        Angular acceleration of the base in base axes, rad/s^2.

    Returns
    -------
    ndarray, shape (N, 3 + n, c)
        Moment about the centre of mass in base axes, then joint torques (forces of prismatic
        joints), per unit of each candidate.
    """
    omega, alpha = _about_origin(angular_velocity), _about_origin(angular_acceleration)
    columns = minimal.columns
    both = wrench_regressor(model, q, qd, qdd, omega, alpha)[..., columns]
    joints, still = np.eye(len(model.joints)), np.zeros(6)
    moved = momentum_regressor(model, np.asarray(q)[:, None], joints, still, columns)[:, :, :3]
    levers = np.concatenate([_levers(first_moment_regressor(model, q, columns)), moved], axis=1)
    return _columns(pairs, both[:, 3:], levers, both[:, :3])


def _about_origin(omega: ArrayLike) -> NDArray[np.float64]:
    """Return a twist of the base, or its derivative, whose origin stands still."""
    omega = np.asarray(omega, dtype=float)
    return np.concatenate([np.zeros_like(omega), omega], axis=-1)


def _levers(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cross-product matrices of first moments, shapes (N, 3, p) to (N, 3, 3, p)."""
    x, y, z = np.moveaxis(moments, 0, -1)
    levers = np.zeros((3, 3, *x.shape))
    levers[0, 1], levers[0, 2], levers[1, 2] = -z, y, -x
    levers[1, 0], levers[2, 0], levers[2, 1] = z, -y, x
    return np.moveaxis(levers, -1, 0)


def _columns(
    pairs: NDArray[np.intp],
    single: NDArray[np.float64],
    levers: NDArray[np.float64],
    moved: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return columns of candidates, shape (N, r, c); in memory the samples are the fastest axis.

    Parameters
    ----------
    pairs : ndarray of int, shape (c, 2)
        Candidates.
    single : ndarray, shape (N, r, p)
        Columns of the minimal parameters.
    levers : ndarray, shape (N, r, 3, p)
        What a common motion of all links does to each row, per first moment.
    moved : ndarray, shape (N, 3, p)
        Linear momentum or force per minimal parameter.
    """
    single, levers, moved = (
        np.ascontiguousarray(np.moveaxis(each, 0, -1)) for each in (single, levers, moved)
    )
    columns = single[:, pairs[:, 0]]
    for column, (i, j) in zip(np.moveaxis(columns, 1, 0), pairs, strict=True):
        if j < 0:
            continue
        column[:] = 0.0
        for first, second in {(i, j), (j, i)}:
            for axis in range(3):
                column += levers[:, axis, first] * moved[axis, second]
    return np.moveaxis(columns, -1, 0)

"""What can be identified at all, depending on what is measured: ranks of the regressors."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from spacerobot_id.model import JointType, RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor.minimal_parameters import minimal_parameters, MinimalParameters
from spacerobot_id.regressor.momentum_regressor import first_moment_regressor, momentum_regressor
from spacerobot_id.regressor.wrench_regressor import wrench_regressor
from spacerobot_id.spatial import skew

_VISIBLE = 1e-6
"""Largest component of a parameter in the null space that counts as none."""


_PLANE = [0, 1, 5]
"""Components of twist and momentum that are free on an air-bearing table."""


@dataclass(frozen=True)
class Identifiability:
    """How much of the minimal parameters one set of measurements can show.

    Parameters
    ----------
    measured : str
        Description of what is measured.
    rank : int
        Number of combinations of the minimal parameters that can be identified.
    total : int
        Number of minimal parameters.
    lost : tuple of str
        Minimal parameters that cannot be identified on their own.
    verdict : str
        The same in a sentence.
    """

    measured: str
    rank: int
    total: int
    lost: tuple[str, ...]
    verdict: str


@dataclass(frozen=True, eq=False)
class _RandomMotion:
    """States of a robot that moves in every way at once; one row per sample."""

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    twist: NDArray[np.float64]
    acceleration: NDArray[np.float64]


def identifiability_table(model: RobotModel, seed: int = 0) -> tuple[Identifiability, ...]:
    """Return what each set of measurements can show of a robot, before any data.

    Ranks are found numerically at random states, so they are upper bounds that every
    sufficiently rich motion reaches.

    Parameters
    ----------
    model : RobotModel
        Robot; its inertial parameters matter only where momentum conservation ties the base to
        the joints.
    seed : int
        Seed of the random states.

    Returns
    -------
    tuple of Identifiability
        Linear and angular momentum; angular momentum alone, with the base's velocity and, about a
        centre of mass at rest, without; zero momentum without a known wheel momentum; joint
        torques alone; and of a robot whose arms move in the plane of the base's x and y, what
        shows on an air-bearing table.
    """
    minimal = minimal_parameters(model)
    motion = _random_motion(model, len(minimal) // 2 + 10, np.random.default_rng(seed))
    rows: dict[str, Callable[[], NDArray[np.float64]]] = {
        'linear and angular momentum': lambda: _momentum_rows(model, motion, minimal),
        'angular momentum alone': lambda: _momentum_rows(model, motion, minimal)[:, 3:],
        'angular momentum, no base velocity': lambda: _turning_rows(model, motion, minimal),
        'zero momentum, no known wheel momentum': lambda: _conserving_rows(model, motion, minimal),
        'joint torques alone': lambda: _torque_rows(model, motion, minimal),
    }
    if _moves_in_the_plane(model):
        rows |= {
            'momentum in the plane': lambda: _planar_rows(model, motion, minimal),
            'zero momentum in the plane, no wheels': lambda: _conserving_rows(
                model, motion, minimal, planar=True
            ),
        }
    return tuple(_judge(model, measured, make(), minimal) for measured, make in rows.items())


def _judge(
    model: RobotModel, measured: str, rows: NDArray[np.float64], minimal: MinimalParameters
) -> Identifiability:
    """Return the rank of stacked regressor rows and the parameters in their null space."""
    stacked = rows.reshape(-1, len(minimal))
    scale = np.linalg.norm(stacked, axis=0)
    triangle = np.linalg.qr(stacked / np.where(scale > 0.0, scale, 1.0), mode='r')
    unseen = null_space(triangle, rcond=1e-9)
    lost = tuple(
        name
        for name, row in zip(minimal.names, unseen, strict=True)
        if np.linalg.norm(row) > _VISIBLE
    )
    rank = len(minimal) - unseen.shape[1]
    verdict = _verdict(rank, lost, minimal)
    if unseen.shape[1] == 1 and len(lost) > 1:
        verdict = _verdict_on_one(unseen[:, 0] / scale, lost, minimal.values(model))
    return Identifiability(measured, rank, len(minimal), lost, verdict)


def _verdict(rank: int, lost: tuple[str, ...], minimal: MinimalParameters) -> str:
    """Return a sentence on what is lost."""
    total = len(minimal)
    if not lost:
        return f'all {total} minimal parameters can be identified'
    if len(lost) == total - rank:
        return f'{", ".join(lost)} cannot be identified'
    return f'{rank} combinations can be identified; {", ".join(lost)} not on their own'


def _verdict_on_one(
    unseen: NDArray[np.float64], lost: tuple[str, ...], values: NDArray[np.float64]
) -> str:
    """Return a sentence on several parameters that are lost together, in one direction."""
    along = unseen * np.sign(unseen[MASS]) / np.linalg.norm(unseen)
    if np.linalg.norm(along - values / np.linalg.norm(values)) < _VISIBLE:
        return 'only ratios of the parameters can be identified: their common scale is lost'
    others = len(lost) - 1
    return (
        f'the total mass is lost: robots of any mass move alike, with other values of {others} '
        f'parameters: {", ".join(lost)}'
    )


def _random_motion(model: RobotModel, samples: int, rng: np.random.Generator) -> _RandomMotion:
    """Return states in which everything moves at random."""
    joints = len(model.joints)
    return _RandomMotion(
        q=rng.uniform(-np.pi, np.pi, (samples, joints)),
        qd=rng.normal(size=(samples, joints)),
        qdd=rng.normal(size=(samples, joints)),
        twist=rng.normal(size=(samples, 6)),
        acceleration=rng.normal(size=(samples, 6)),
    )


def _momentum_rows(
    model: RobotModel, motion: _RandomMotion, minimal: MinimalParameters
) -> NDArray[np.float64]:
    """Return momentum regressors at the motion's states."""
    return momentum_regressor(model, motion.q, motion.qd, motion.twist, minimal.columns)


def _turning_rows(
    model: RobotModel, motion: _RandomMotion, minimal: MinimalParameters
) -> NDArray[np.float64]:
    """Return slopes of the angular momentum where the base moves so that the linear one is zero.

    That velocity is minus the linear momentum over the mass, so that it depends on the parameters,
    too; with the linear momentum zero the angular one is the same about every point.
    """
    twist, values = motion.twist.copy(), minimal.values(model)
    mass = values[minimal.masses].sum()
    twist[:, :3] = 0.0
    held = momentum_regressor(model, motion.q, motion.qd, twist, minimal.columns)
    twist[:, :3] = -held[:, :3] @ values / mass
    rows = momentum_regressor(model, motion.q, motion.qd, twist, minimal.columns)
    levers = skew(first_moment_regressor(model, motion.q, minimal.columns) @ values / mass)
    return rows[:, 3:] - levers @ rows[:, :3]


def _moves_in_the_plane(model: RobotModel) -> bool:
    """Return whether the joints can move links only along the base's x and y and about its z."""
    axes, turned = [], [np.eye(3)]
    for joint in model.tree_joints:
        turned.append(turned[joint.parent] @ joint.R_PC)
        axes.append(turned[-1][:, 2])
    of_z = {JointType.REVOLUTE: 1.0, JointType.PRISMATIC: 0.0}
    return bool(axes) and all(
        abs(abs(axis[2]) - of_z[joint.type]) < _VISIBLE
        for axis, joint in zip(axes, model.tree_joints, strict=True)
    )


def _planar_rows(
    model: RobotModel, motion: _RandomMotion, minimal: MinimalParameters
) -> NDArray[np.float64]:
    """Return the momentum regressors' rows of the plane, where the base moves in it alone."""
    freedom = np.zeros(6)
    freedom[_PLANE] = 1.0
    rows = momentum_regressor(model, motion.q, motion.qd, motion.twist * freedom, minimal.columns)
    return rows[:, _PLANE]


def _conserving_rows(
    model: RobotModel, motion: _RandomMotion, minimal: MinimalParameters, *, planar: bool = False
) -> NDArray[np.float64]:
    """Return momentum regressors where the base moves so that the momentum is zero."""
    free = _PLANE if planar else list(range(6))
    still = np.zeros_like(motion.qd)
    of_base = momentum_regressor(model, motion.q[:, None], still[:, None], np.eye(6)[free])
    of_joints = momentum_regressor(model, motion.q, motion.qd, np.zeros(6))
    base_matrix = np.swapaxes(of_base @ model.parameters, -1, -2)[:, free]
    twist = np.zeros((len(motion.q), 6))
    momentum = (of_joints @ model.parameters)[:, free, None]
    twist[:, free] = -np.linalg.solve(base_matrix, momentum)[..., 0]
    return momentum_regressor(model, motion.q, motion.qd, twist, minimal.columns)[:, free]


def _torque_rows(
    model: RobotModel, motion: _RandomMotion, minimal: MinimalParameters
) -> NDArray[np.float64]:
    """Return joint-torque regressors at the motion's states."""
    enough = slice(2 * len(minimal) // max(len(model.joints), 1) + 10)
    states = motion.q, motion.qd, motion.qdd, motion.twist, motion.acceleration
    full = wrench_regressor(model, *(each[enough] for each in states))
    return full[:, 6:, minimal.columns]

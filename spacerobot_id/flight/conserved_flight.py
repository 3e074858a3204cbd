"""A flight that keeps its momentum, as perfect sensors see it, and the noise of real ones.

No torque plays a part: joints and wheels follow the motion exactly, and at every sample the
base's twist is the one that conserves the momentum at that pose.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum, momentum_matrix
from spacerobot_id.regressor import first_moment_regressor
from spacerobot_id.spatial import exp_so3


def conserved_flight(
    model: RobotModel,
    motion: ExcitingMotion,
    rate: float,
    momentum: ArrayLike = (0.0,) * 6,
    position: ArrayLike = (0.0,) * 3,
) -> Record:
    """Return what noise-free sensors measure of a robot that follows a motion.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    motion : ExcitingMotion
        What its joints and wheels do.
    rate : float
        Samples per second.
    momentum : array_like, shape (6,)
        Momentum of the system about the inertial origin (kg m/s, kg m^2/s).
    position : array_like, shape (3,)
        Where the base starts, m; its axes start as the inertial ones.

    Returns
    -------
    Record
        Samples from the start on.

    Raises
    ------
    PlanningError
        If the motion is another robot's.
    """
    momentum = np.asarray(momentum, dtype=float)
    joints, turning = actuator_columns(model, motion)
    count = round(motion.duration * rate)
    times = np.arange(2 * count) / (2.0 * rate)  # half-way too, for the midpoint rule
    sampled = motion.sample(times)
    q, qd = sampled.position[:, joints], sampled.velocity[:, joints]
    wheels = sampled.velocity[:, turning]
    twists = base_twist_from_momentum(model, q, qd, wheels)
    mobility = np.linalg.inv(momentum_matrix(model, q)[:, :, :6]) if momentum.any() else None
    mass = sum(link.inertial.mass for link in model.links)
    centres = first_moment_regressor(model, q) @ model.parameters / mass
    started = np.asarray(position, dtype=float) + centres[0]
    attitudes, positions = np.empty((len(times), 3, 3)), np.empty((len(times), 3))
    R_WB = np.eye(3)
    for k in range(len(times)):
        attitudes[k] = R_WB
        positions[k] = started + momentum[:3] * times[k] / mass - R_WB @ centres[k]
        if mobility is not None:
            about = momentum[3:] - np.cross(positions[k], momentum[:3])
            twists[k] += mobility[k] @ np.concatenate([momentum[:3] @ R_WB, about @ R_WB])
        step = 0.5 / rate if k % 2 == 0 else 1.0 / rate
        R_WB = attitudes[k - k % 2] @ exp_so3(step * twists[k, 3:])
    whole = slice(None, None, 2)
    return Record(
        times[whole],
        q[whole],
        qd[whole],
        wheels[whole],
        twists[whole],
        positions[whole],
        Rotation.from_matrix(attitudes[whole]).as_quat(),
    )


def with_sensor_noise(clean: Record, problem: Momentum, seed: int) -> Record:
    """Return a measurement with the white noise that a problem and its robot state.

    Parameters
    ----------
    clean : Record
        What noise-free sensors measure.
    problem : Momentum
        Noise of rates and poses; that of the encoders is the robot's own.
    seed : int
        Seed of the noise.
    """
    rng = np.random.default_rng(seed)
    count = len(clean)
    rates = rng.normal(size=(count, len(problem.rate_std))) * problem.rate_std
    position_std, attitude_std = problem.pose_std
    turn = Rotation.from_rotvec(attitude_std * rng.normal(size=(count, 3)))
    encoder = problem.model.noise.joint_position
    return replace(
        clean,
        q=clean.q + encoder * rng.normal(size=clean.q.shape),
        qd=clean.qd + rates[:, 6:],
        base_twist=clean.base_twist + rates[:, :6],
        position=clean.position + position_std * rng.normal(size=(count, 3)),
        attitude=(Rotation.from_quat(clean.attitude) * turn).as_quat(),
    )


def travelled(rates: NDArray[np.float64], step: float, *, trapezoid: bool) -> NDArray[np.float64]:
    """Return what rates add up to from the first sample on.

    Parameters
    ----------
    rates : ndarray, shape (N, k)
        Rates at equal steps.
    step : float
        Step, s.
    trapezoid : bool
        Mean of both ends of a step; else its beginning, as in [Naveen 2024] Eqs. 44, 45 and 47.

    Returns
    -------
    ndarray, shape (N, k)
        Zero first.
    """
    over_steps = 0.5 * (rates[1:] + rates[:-1]) if trapezoid else rates[:-1]
    return np.vstack([np.zeros_like(rates[:1]), np.cumsum(step * over_steps, axis=0)])


def actuator_columns(model: RobotModel, motion: ExcitingMotion) -> tuple[list[int], list[int]]:
    """Return the columns of a motion that are a robot's joints and its wheels, in its order.

    Raises
    ------
    PlanningError
        If the motion moves what the robot does not have, or not all that it has.
    """
    there, wanted = motion.names, (*model.joint_names, *model.wheel_names)
    if sorted(there) != sorted(wanted):
        raise PlanningError(
            f'the plan moves {", ".join(there)}; {model.name} has {", ".join(wanted)}'
        )
    return (
        [there.index(name) for name in model.joint_names],
        [there.index(name) for name in model.wheel_names],
    )

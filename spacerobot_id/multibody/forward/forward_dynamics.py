"""Forward dynamics of a free-floating tree ([Jain 1995] Algorithms 1-3 and section 3.4)."""

from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays


@dataclass(frozen=True, eq=False)
class ForwardDynamics:
    """Accelerations of a robot.

    Parameters
    ----------
    base_acceleration : ndarray, shape (N, 6)
        Acceleration of the base's origin against the inertial frame (m/s^2), then angular
        acceleration (rad/s^2), both in base axes.
    qdd : ndarray, shape (N, n)
        Joint accelerations, rad/s^2 or m/s^2.
    wheel_acceleration : ndarray, shape (N, w)
        Accelerations of the wheels against their carriers, rad/s^2; zero where they are held.
    """

    base_acceleration: NDArray[np.float64]
    qdd: NDArray[np.float64]
    wheel_acceleration: NDArray[np.float64]


def forward_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    joint_torque: ArrayLike,
    *,
    wheel_rates: ArrayLike | None = None,
    wheel_torque: ArrayLike | None = None,
    base_wrench: ArrayLike | None = None,
    link_wrenches: ArrayLike | None = None,
) -> ForwardDynamics:
    """Return the accelerations that torques and wrenches give, in time linear in n.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    joint_torque : array_like, shape (N, n)
        Torques (N m) or forces (N) of the joints.
    wheel_rates : array_like, shape (N, w), optional
        Rates of the wheels against their carriers, rad/s; zero by default.
    wheel_torque : array_like, shape (N, w), optional
        Torques of the wheels' motors, on the wheels and back on their carriers, N m. By default
        the motors hold the wheels at their rates.
    base_wrench : array_like, shape (N, 6), optional
        Force (N) on the base and its moment about the base's origin (N m), in base axes.
    link_wrenches : array_like, shape (N, n + 1, 6), optional
        Force on every link and its moment about the link's origin, in the axes of the link
        frames; on the base on top of ``base_wrench``.

    Returns
    -------
    ForwardDynamics
        Accelerations of base, joints and wheels.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or is not finite; the message names it.
    DynamicsError
        If the robot cannot be: the inertia about a joint or of the base is not positive.
    """
    optional = (wheel_rates, wheel_torque, base_wrench, link_wrenches)
    inputs = sample_arrays(model, q, qd, base_twist, joint_torque, *optional)
    samples, joints = inputs[0].shape
    base = np.empty((samples, 6))
    qdd = np.empty((samples, joints))
    wheel = np.empty((samples, len(model.wheels)))
    arrays = tree_arrays(model)
    sample, outcome = kernels().accelerate_samples(arrays, *inputs, base, qdd, wheel)
    if sample < samples:
        raise failure(model, inputs, sample, outcome)
    return ForwardDynamics(base, qdd, wheel)


def sample_arrays(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    joint_torque: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    wheel_torque: ArrayLike | None = None,
    base_wrench: ArrayLike | None = None,
    link_wrenches: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], ...]:
    """Return the arguments of ``forward_dynamics`` as the kernels take them, shapes checked.

    Returns
    -------
    tuple of ndarray
        ``q, qd, base_twist, joint_torque, wheel_rates, wheel_torque, wrenches``, contiguous;
        wheel torques have no columns where wheels are held, and wrenches are those of the first
        links, shape (N, 0 to n + 1, 6).
    """
    joints, wheels = len(model.joints), len(model.wheels)
    q = np.ascontiguousarray(q, float)
    samples = len(q) if q.ndim else 0
    arrays = (
        _checked('q', q, (samples, joints)),
        _checked('qd', qd, (samples, joints)),
        _checked('base_twist', base_twist, (samples, 6)),
        _checked('joint_torque', joint_torque, (samples, joints)),
        np.zeros((samples, wheels))
        if wheel_rates is None
        else _checked('wheel_rates', wheel_rates, (samples, wheels)),
        np.empty((samples, 0))
        if wheel_torque is None
        else _checked('wheel_torque', wheel_torque, (samples, wheels)),
    )
    return (*arrays, _wrenches(base_wrench, link_wrenches, samples, joints + 1))


def failure(
    model: RobotModel, inputs: tuple[NDArray[np.float64], ...], sample: int, outcome: int
) -> Exception:
    """Return the error of a sample that has no accelerations, with the reason."""
    names = 'q', 'qd', 'base_twist', 'joint_torque', 'wheel_rates', 'wheel_torque', 'wrenches'
    for name, values in zip(names, inputs, strict=True):
        if not np.isfinite(values[sample]).all():
            return ValueError(f'{name} of sample {sample} is not finite: {values[sample]}')
    if outcome == kernels().NOT_FINITE:
        return DynamicsError(f'accelerations of sample {sample} are beyond all numbers')
    link = model.links[outcome].name
    return DynamicsError(
        f'link {link!r}, with all that hangs on it, has no positive inertia in the motions that '
        'are free: mass or inertia is missing, or a wheel has more than its carrier'
    )


def _wrenches(
    base_wrench: ArrayLike | None, link_wrenches: ArrayLike | None, samples: int, links: int
) -> NDArray[np.float64]:
    """Return the wrenches on the first links, in their axes, shape (N, 0 to n + 1, 6)."""
    if link_wrenches is None and base_wrench is None:
        return np.empty((samples, 0, 6))
    if base_wrench is None:
        return _checked('link_wrenches', link_wrenches, (samples, links, 6))
    on_base = _checked('base_wrench', base_wrench, (samples, 6))[:, None]
    if link_wrenches is None:
        return on_base
    wrenches = _checked('link_wrenches', link_wrenches, (samples, links, 6)).copy()
    wrenches[:, :1] += on_base
    return wrenches


def _checked(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    values = np.ascontiguousarray(values, float)
    if values.shape != shape:
        raise ValueError(f'{name} has shape {values.shape}, not {shape}')
    return values


@cache
def kernels() -> ModuleType:
    """Return the compiled kernels; importing numba takes, and only those who need them wait."""
    from spacerobot_id.multibody.kernels import articulated_body

    return articulated_body

"""A flight with a known angular momentum: joints along a motion, the base turning.

[Christidi 2017].
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import (
    attitude_from_momentum,
    centre_of_mass,
    free_floating_inverse_dynamics,
)
from spacerobot_id.simulation import MotionSamples, SensorSet


@dataclass(frozen=True, eq=False)
class MomentumFlight:
    """The true motion of a robot with a constant angular momentum: every row is one time.

    Parameters
    ----------
    samples : MotionSamples
        Joints and base; the system's centre of mass rests at the inertial origin.
    angular_acceleration : ndarray, shape (N, 3)
        Angular acceleration of the base in base axes, rad/s^2.
    joint_torque : ndarray, shape (N, n)
        Torques of the joints, N m.
    """

    samples: MotionSamples
    angular_acceleration: NDArray[np.float64]
    joint_torque: NDArray[np.float64]

    def __getitem__(self, rows: NDArray[np.intp]) -> 'MomentumFlight':
        """Return some of the samples."""
        return MomentumFlight(
            self.samples[rows], self.angular_acceleration[rows], self.joint_torque[rows]
        )

    def measurement(self) -> Record:
        """Return what noise-free sensors measure, torques among it."""
        return replace(self.samples.measurement(), joint_torque=self.joint_torque)


def fly_with_momentum(
    model: RobotModel,
    motion: ExcitingMotion,
    angular_momentum: ArrayLike,
    attitude: ArrayLike,
    rate: float,
) -> MomentumFlight:
    """Return the true motion of a robot whose joints follow a motion exactly.

    Parameters
    ----------
    model : RobotModel
        Robot without wheels.
    motion : ExcitingMotion
        Motion of its joints.
    angular_momentum : array_like, shape (3,)
        About the system's centre of mass in inertial axes, kg m^2/s.
    attitude : array_like, shape (4,)
        Quaternion x y z w of the base at the start.
    rate : float
        Samples per second.
    """
    count = round(motion.duration * rate)
    times = np.linspace(0.0, motion.duration, 2 * count + 1)
    fine = motion.sample(times)
    step = motion.duration / count
    path = attitude_from_momentum(
        model, fine.position, fine.velocity, step, angular_momentum, attitude
    )
    q, qd, qdd = (each[::2] for each in (fine.position, fine.velocity, fine.acceleration))
    turns = Rotation.from_quat(path)
    seen = turns.apply(np.asarray(angular_momentum, dtype=float), inverse=True)
    total = np.hstack([np.zeros_like(seen), seen])
    dynamics = free_floating_inverse_dynamics(model, q, qd, qdd, total_momentum=total)
    position = -turns.apply(centre_of_mass(model, q))
    wheels = np.zeros((count + 1, 0))
    samples = MotionSamples(
        times[::2], q, qd, qdd, wheels, wheels, dynamics.base_twist, position, path
    )
    return MomentumFlight(samples, dynamics.base_acceleration[:, 3:], dynamics.joint_torques)


def sensed(
    model: RobotModel, flight: MomentumFlight, window: int, seed: int, *, noisy: bool = True
) -> Record:
    """Return the record of a flight, joint rates from the angles of the encoders.

    Gyro and encoders are those of the simulator ([Christidi 2017] Eqs. 24-26); the attitude
    is exact and so are the torques, as in the paper.

    Parameters
    ----------
    model : RobotModel
        Robot with the noise of its sensors.
    flight : MomentumFlight
        N samples of its true motion.
    window : int
        Samples of the local polynomial that turns angles into rates, odd; half of it is lost at
        each end.
    seed : int
        Seed of the noise.
    noisy : bool
        Whether there is any.

    Returns
    -------
    Record
        N - window + 1 samples with torques; the base's linear velocity is not known.
    """
    known_attitude = replace(model, noise=replace(model.noise, base_attitude=0.0))
    readings = SensorSet(known_attitude, seed, noisy=noisy).measure(flight.samples)
    motion, inner = readings.motion, slice(window // 2, len(flight.samples) - window // 2)
    rates = local_slopes(motion.times, motion.q, window)
    omega = readings.gyro[inner]
    return Record(
        motion.times[inner],
        motion.q[inner],
        rates,
        motion.wheel_rates[inner],
        np.hstack([np.full_like(omega, np.nan), omega]),
        np.full_like(omega, np.nan),
        motion.attitude[inner],
        flight.joint_torque[inner],
    )


def some_of(count: int, samples: int) -> NDArray[np.intp]:
    """Return the rows of some samples, evenly spread over all of them."""
    return np.round((np.arange(samples) + 0.5) * count / samples - 0.5).astype(int)

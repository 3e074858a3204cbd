"""The estimator alone, without ROS, for days of sensors at 1 kHz: memory and time per second.

``make soak-stream`` takes 24 hours of data; ``--hours`` is how much.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
import sys
import time
import warnings

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scipy.spatial.transform import Rotation
from small_robot import small_robot, small_robot_prior

from endurance.memory import growth, resident_megabytes
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.measurement.readings import (
    Arrived,
    GyroReading,
    JointReading,
    PoseReading,
    TwistReading,
)
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.studies.torture.replay import NodelessEstimator

RATE = 1000
"""Samples of joints, gyro and twist per second."""

PERIOD = 20
"""Time after which joints and wheels move as before, s."""

BEGIN = 1000.0
"""Stamp of the first sample, s."""

_POSES = 10
"""Samples per pose."""

_SETTLED = 900.0
"""Time after which the memory is judged, s of data: by then as many samples are kept as may be."""

_LOOK = 10.0
"""Time between two looks at the memory, s of data."""

ROBOT = small_robot()
NAMES = ROBOT.joint_names + ROBOT.wheel_names


class Stream:
    """Sensors of a robot whose joints and wheels swing for ever, its base drifting with them.

    Parameters
    ----------
    seed : int
        Seed of the noise.
    """

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        phases = 2.0 * np.pi * np.arange(PERIOD * RATE)[:, None] / (PERIOD * RATE)
        swings, shifts = np.array([3, 5, 2, 7, 4]), np.array([0.0, 1.0, 2.0, 3.0, 4.0])
        reach, pace = np.array([0.4, 0.4, 12.0, 12.0, 12.0]), 2.0 * np.pi * swings / PERIOD
        self._positions = reach * np.sin(swings * phases + shifts)
        self._rates = reach * pace * np.cos(swings * phases + shifts)
        joints = len(ROBOT.joints)
        self._twist = base_twist_from_momentum(
            ROBOT, self._positions[:, :joints], self._rates[:, :joints], self._rates[:, joints:]
        )
        self._turned, self._place = Rotation.identity(), np.zeros(3)

    def second(self, number: int) -> Iterator[Arrived]:
        """Yield the messages of a second, in order of arrival."""
        rows = (np.arange(RATE) + number * RATE) % (PERIOD * RATE)
        stamps = BEGIN + number + np.arange(RATE) / RATE
        noise, joints, none = ROBOT.noise, len(ROBOT.joints), np.zeros(0)
        rates = self._rates[rows].copy()
        rates[:, :joints] += noise.joint_rate * self._rng.normal(size=(RATE, joints))
        spread = np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
        seen = self._twist[rows] + spread * self._rng.normal(size=(RATE, 6))
        gyro = seen[:, 3:] + 0.0
        covariance = noise.base_angular_velocity**2 * np.eye(3)
        for row, stamp in enumerate(stamps.tolist()):
            positions = self._positions[rows[row]]
            yield Arrived(stamp, JointReading(stamp, NAMES, positions, rates[row], none))
            yield Arrived(stamp, GyroReading(stamp, 'base', gyro[row], covariance))
            yield Arrived(stamp, TwistReading(stamp, 'base', seen[row]))
            if row % _POSES == 0:
                yield Arrived(stamp, self._pose(stamp))
            self._drift(self._twist[rows[row]])

    def _pose(self, stamp: float) -> PoseReading:
        place = self._place + ROBOT.noise.base_position * self._rng.normal(size=3)
        return PoseReading(stamp, 'world', place, self._turned.as_quat())

    def _drift(self, twist: np.ndarray) -> None:
        """Move the base on by a sample."""
        self._place = self._place + self._turned.apply(twist[:3]) / RATE
        self._turned = self._turned * Rotation.from_rotvec(twist[3:] / RATE)


def run(hours: float, seed: int) -> list[str]:
    """Feed the estimator; print what it takes, return what should not have been."""
    warnings.simplefilter('ignore')
    settings, stream = IdentifySettings(), Stream(seed)
    estimator = NodelessEstimator(small_robot_prior(), settings)
    seconds, spent, looks = round(3600.0 * hours), 0.0, []
    for number in range(seconds):
        messages = list(stream.second(number))
        begin = time.process_time()
        for arrived in messages:
            estimator.take(*arrived)
        spent += time.process_time() - begin
        if number % _LOOK == 0:
            looks.append((number, resident_megabytes()))
    rows = np.array(looks)
    found = growth(*rows[rows[:, 0] >= min(_SETTLED, seconds / 6.0)].T)
    result = estimator.result()
    estimate = result.estimate
    truth = minimal_parameters(ROBOT).values(ROBOT)
    off = float(np.max(np.abs(estimate.values - truth) / estimate.std))
    sys.stdout.write(
        f'{seconds} s of data at {RATE} Hz: {estimate.samples} samples in the estimate, at most '
        f'{off:.2f} standard deviations from the truth\n'
        f'{1000.0 * spent / seconds:.0f} ms of the processor per second of data\n'
        f'memory {found.first:.1f} MB once it has settled, {found.last:.1f} MB at the end: '
        f'{found.slope:+.2f} +- {found.std:.2f} MB per hour of data\n'
    )
    faults = [] if found.is_flat else ['the memory grows']
    if estimate.samples < 0.99 * min(RATE, settings.alignment.most_rate) * seconds:
        faults.append('samples are missing')
    return faults + ([f'off by {off:.1f} standard deviations'] if off > 5.0 else [])


def main() -> int:
    """Run; return 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--hours', type=float, default=24.0)
    parser.add_argument('--seed', type=int, default=1)
    given = parser.parse_args()
    faults = run(given.hours, given.seed)
    sys.stdout.write(''.join(f'{each}\n' for each in faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

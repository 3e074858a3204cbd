"""The estimator alone, without ROS, for days of sensors at 1 kHz: memory and time per second.

``make soak-stream`` takes 24 hours of data; ``--hours`` is how much.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import sys
import time
import warnings

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from small_robot import small_robot, small_robot_prior

from endurance.memory import Growth, growth, resident_megabytes
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.lab.faults.replay import NodelessEstimator
from spacerobot_id.measurement.log_record import readings_in_order
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.simulation.kinematic_simulation import integrate_base, StepTwists

RATE = 1000
"""Samples of joints and gyro per second."""

PERIOD = 20
"""Time after which joints and wheels move as before, s."""

BEGIN = 1000.0
"""Stamp of the first sample, s."""

_POSES, _TWISTS = 10, 5
"""Samples per pose, and per twist."""

_BATCHES = 5
"""Batches per second: the node looks at what has come when an update is due."""

_SETTLED = 900.0
"""Time after which the memory is judged, s of data: by then as many samples are kept as may be."""

_LOOK = 10.0
"""Time between two looks at the memory, s of data."""

_REPORT = 3600
"""Time between two reports, s of data."""

ROBOT = small_robot()
NAMES = ROBOT.joint_names + ROBOT.wheel_names


def _hand(batch: BagStreams, estimator: NodelessEstimator) -> None:
    """Have an estimator take a batch, the fast streams at once where they are good."""
    if estimator.take_plain([batch.joints, batch.imu]):
        last = np.array([-1])
        batch = replace(batch, joints=batch.joints[last], imu=batch.imu[last])
    for arrived in readings_in_order(ROBOT, batch):
        estimator.take(*arrived)


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
        self._place, self._attitude = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])

    def second(self, number: int) -> Iterator[BagStreams]:
        """Yield what comes within a second."""
        rows = (np.arange(RATE) + number * RATE) % (PERIOD * RATE)
        stamps = BEGIN + number + np.arange(RATE) / RATE
        noise, joints = ROBOT.noise, len(ROBOT.joints)
        rates = self._rates[rows].copy()
        rates[:, :joints] += noise.joint_rate * self._rng.normal(size=(RATE, joints))
        spread = np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
        seen = self._twist[rows] + spread * self._rng.normal(size=(RATE, 6))
        places, attitudes = self._drift(rows)
        places = places + noise.base_position * self._rng.normal(size=(RATE, 3))
        nothing, std = np.full((RATE, 4), np.nan), noise.base_angular_velocity
        whole = BagStreams(
            JointStream(stamps, stamps, NAMES, self._positions[rows], rates),
            ImuStream(stamps, stamps, 'base', seen[:, 3:], std, nothing[:, :3], nothing),
            PoseStream(stamps, stamps, 'world', places, attitudes),
            TwistStream(stamps, stamps, 'base', seen),
        )
        for part in np.split(np.arange(RATE), _BATCHES):
            yield BagStreams(
                whole.joints[part],
                whole.imu[part],
                whole.pose[part[part % _POSES == 0]],
                whole.twist[part[part % _TWISTS == 0]],
            )

    def _drift(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move the base on by a second; return where it was, shapes (N, 3) and (N, 4)."""
        begin, end = self._twist[rows], self._twist[(rows + 1) % len(self._twist)]
        within = StepTwists(begin, 0.5 * (begin + end), end)
        steps = np.full(len(rows), 1.0 / RATE)
        path = integrate_base(self._place, self._attitude, steps, within)
        places = np.vstack([self._place, path.positions])
        attitudes = np.vstack([self._attitude, path.attitudes])
        self._place, self._attitude = places[-1], attitudes[-1]
        return places[:-1], attitudes[:-1]


def run(hours: float, seed: int) -> list[str]:
    """Feed the estimator; print what it takes, return what should not have been."""
    warnings.simplefilter('ignore')
    settings, stream = IdentifySettings(), Stream(seed)
    estimator = NodelessEstimator(small_robot_prior(), settings)
    seconds, spent, looks = round(3600.0 * hours), 0.0, []
    for number in range(seconds):
        batches = list(stream.second(number))
        begin = time.process_time()
        for batch in batches:
            _hand(batch, estimator)
        spent += time.process_time() - begin
        if number % _LOOK == 0:
            looks.append((number, resident_megabytes()))
        if (number + 1) % _REPORT == 0:
            _report(number + 1, spent, _growth(looks, number + 1), *_state_of(estimator))
    found, (samples, off) = _growth(looks, seconds), _state_of(estimator)
    if seconds % _REPORT:
        _report(seconds, spent, found, samples, off)
    faults = [] if found.is_flat else ['the memory grows']
    if samples < 0.99 * min(RATE, settings.alignment.most_rate) * seconds:
        faults.append('samples are missing')
    return faults + ([f'off by {off:.1f} standard deviations'] if off > 5.0 else [])


def _growth(looks: list[tuple[int, float]], seconds: int) -> Growth:
    """Return how memory has grown within some seconds of data."""
    rows = np.array(looks)
    return growth(*rows[rows[:, 0] >= min(_SETTLED, seconds / 6.0)].T)


def _state_of(estimator: NodelessEstimator) -> tuple[int, float]:
    """Return the samples in an estimate, and how far off it is in standard deviations."""
    estimate = estimator.result().estimate
    truth = minimal_parameters(ROBOT).values(ROBOT)
    return estimate.samples, float(np.max(np.abs(estimate.values - truth) / estimate.std))


def _report(seconds: int, spent: float, found: Growth, samples: int, off: float) -> None:
    """Print what there is after some seconds of data."""
    sys.stdout.write(
        f'{seconds} s of data at {RATE} Hz: {samples} samples in the estimate, at most '
        f'{off:.2f} standard deviations from the truth\n'
        f'{1000.0 * spent / seconds:.0f} ms of the processor per second of data\n'
        f'memory at rest {found.first:.1f} MB once it has settled, {found.last:.1f} MB now: '
        f'{found.at_rest:+.2f} MB per hour of data, on average {found.slope:+.2f} +- '
        f'{found.std:.2f}\n'
    )
    sys.stdout.flush()


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

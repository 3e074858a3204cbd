"""Streams at rates of their own, good and low-cost sensors, lost messages: intervals and errors.

Encoders of 12 bits round their positions, to places drawn for every seed; joint states may
come without velocities; the noise of gyro, velocity and pose may be stated larger or smaller than
it is. Outliers of 10 to 1000 standard deviations are on joint rates, gyro and velocity, of a
message each.

The dual-arm robot along the first half minute of a recorded plan. Every stream has its own rate
and phase; all go through the alignment as the estimator does it.
Run with ``python benchmarks/sensors.py [SEEDS [WORD]]``, 3 seeds by default, of all cases or those
whose name has a word.
"""

from dataclasses import dataclass, replace
import sys

from accuracy import PLANS, RATE, squared_error, STILL, World
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline
from scipy.stats import chi2
from timing import dual_arm, print_machine, print_table

from spacerobot_id.estimation import identify
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Alignment, Record, VelocitySource
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import RobotModel

DURATION = 33.0
STEP = 2.0 * np.pi / 4096.0
NOISE = {
    'good': {},
    'encoders of 1e-4 rad': {'joint_position': 1e-4},
    'poor rates, encoders of 1e-4 rad': {'joint_position': 1e-4, 'joint_rate': 1e-2},
    'encoders of 12 bits': {'joint_position': STEP / np.sqrt(12.0)},
    'low cost': {
        'joint_rate': 1e-2,
        'joint_position': STEP / np.sqrt(12.0),
        'base_attitude': 1e-3,
        'base_position': 1e-3,
    },
}
"""Noise of sensors other than described; poor rates are of 1e-2 rad/s."""


@dataclass(frozen=True)
class Case:
    """Rates of the streams, Hz, and how good they are.

    Parameters
    ----------
    joints, gyro, base : float
        Rates of joint states, gyro, and twist or pose.
    from_pose : bool
        Whether the base's velocity comes from poses.
    sensors : str
        How good they are, a key of ``NOISE``.
    has_rates : bool
        Whether joint states have velocities.
    lost : float
        Share of the messages that are lost.
    gyro_stated, base_stated : float
        Noise of gyro, and of velocity or pose, that is stated, over that there is.
    outliers : float
        Share of the messages with a reading that is far off.
    """

    joints: float = 100.0
    gyro: float = 100.0
    base: float = 100.0
    from_pose: bool = False
    sensors: str = 'good'
    has_rates: bool = True
    lost: float = 0.0
    gyro_stated: float = 1.0
    base_stated: float = 1.0
    outliers: float = 0.0

    @property
    def cells(self) -> list[str]:
        """Its cells of the table."""
        base, others = 'pose' if self.from_pose else 'twist', ', no rates' * (not self.has_rates)
        others += ', messages lost' * (self.lost > 0.0)
        for name, stated in (('gyro', self.gyro_stated), (base, self.base_stated)):
            others += f', noise of {name} stated {stated:g} times' * (stated != 1.0)
        others += f', {100 * self.outliers:g} % outliers' * (self.outliers > 0.0)
        rates = f'{self.joints:g}/{self.gyro:g}/{self.base:g}'
        return [f'{base}, {self.sensors}{others}', rates, f'{100 * self.lost:.0f}']

    def described(self, robot: RobotModel) -> RobotModel:
        """Return a robot with the noise that is stated."""
        noise = robot.noise
        return replace(
            robot,
            noise=replace(
                noise,
                base_angular_velocity=self.gyro_stated * noise.base_angular_velocity,
                base_linear_velocity=self.base_stated * noise.base_linear_velocity,
                base_position=self.base_stated * noise.base_position,
                base_attitude=self.base_stated * noise.base_attitude,
            ),
        )

    @property
    def step(self) -> float:
        """Step of the encoders, rad; 0 if none."""
        return STEP if self.sensors in ('low cost', 'encoders of 12 bits') else 0.0


CASES = (
    Case(),
    *(
        Case(joints, gyro, base)
        for joints, gyro, base in (
            (1000.0, 100.0, 100.0),
            (100.0, 1000.0, 10.0),
            (1000.0, 1000.0, 10.0),
            (100.0, 10.0, 1000.0),
            (10.0, 100.0, 1000.0),
            (10.0, 10.0, 10.0),
            (1000.0, 10.0, 100.0),
        )
    ),
    Case(from_pose=True),
    Case(1000.0, 1000.0, 100.0, from_pose=True),
    Case(100.0, 100.0, 10.0, from_pose=True),
    Case(10.0, 100.0, 1000.0, from_pose=True),
    Case(sensors='encoders of 1e-4 rad', has_rates=False),
    Case(sensors='encoders of 12 bits', has_rates=False),
    Case(sensors='poor rates, encoders of 1e-4 rad'),
    Case(from_pose=True, sensors='poor rates, encoders of 1e-4 rad'),
    Case(sensors='low cost'),
    Case(from_pose=True, sensors='low cost'),
    Case(100.0, 100.0, 10.0, from_pose=True, sensors='low cost'),
    Case(1000.0, 100.0, 100.0, sensors='low cost'),
    Case(100.0, 1000.0, 10.0, sensors='low cost'),
    Case(10.0, 100.0, 100.0, sensors='low cost'),
    Case(1000.0, 1000.0, 10.0, from_pose=True, sensors='low cost'),
    Case(lost=0.5),
    Case(lost=0.9),
    Case(from_pose=True, lost=0.5),
    Case(from_pose=True, lost=0.9),
    *(
        Case(joints, gyro, base, outliers=share)
        for joints, gyro, base in ((1000.0, 1000.0, 10.0), (1000.0, 200.0, 100.0))
        for share in (0.01, 0.05)
    ),
    Case(1000.0, 200.0, 100.0),
    Case(gyro_stated=1e-3),
    Case(gyro_stated=0.3),
    Case(gyro_stated=30.0),
    Case(base_stated=0.1),
    Case(gyro_stated=0.01, base_stated=10.0),
    Case(from_pose=True, base_stated=0.1),
    Case(from_pose=True, sensors='low cost', base_stated=10.0),
    Case(sensors='low cost', gyro_stated=0.1),
    Case(sensors='low cost', base_stated=0.1),
    Case(from_pose=True, sensors='low cost', gyro_stated=0.1),
    Case(1000.0, 100.0, 10.0, gyro_stated=0.1),
)


@dataclass(frozen=True)
class Motion:
    """Curves through a motion without noise."""

    joints: CubicSpline
    wheels: CubicSpline
    twist: CubicSpline
    position: CubicSpline
    attitude: RotationSpline

    @classmethod
    def of(cls, record: Record) -> 'Motion':
        """Return the curves of a record."""
        times = record.times
        return cls(
            CubicSpline(times, np.hstack([record.q, record.qd])),
            CubicSpline(times, record.wheel_rates),
            CubicSpline(times, record.base_twist),
            CubicSpline(times, record.position),
            RotationSpline(times, Rotation.from_quat(record.attitude)),
        )


def stamps(rate: float, case: Case, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return when the messages of a stream are of, those that arrive."""
    times = 1.0 + np.arange(rng.uniform(0.01, 0.01 + 1.0 / rate), DURATION - 0.05, 1.0 / rate)
    return times[rng.random(len(times)) >= case.lost]


def measured(motion: Motion, case: Case, robot: RobotModel, seed: int) -> Record:
    """Return aligned samples of messages of every stream at its own times."""
    rng, noise, n = np.random.default_rng(seed), robot.noise, len(robot.joints)
    source = VelocitySource.POSE if case.from_pose else VelocitySource.TWIST
    alignment = Alignment(n, len(robot.wheels), source, needs=Momentum.needs)
    times = {name: stamps(getattr(case, name), case, rng) for name in ('joints', 'gyro', 'base')}
    events = sorted((time, name) for name, each in times.items() for time in each.tolist())
    joints = motion.joints(times['joints'] - 1.0)
    if case.step:
        places = np.random.default_rng([seed, 1]).uniform(size=n)
        joints[:, :n] = case.step * (np.round(joints[:, :n] / case.step + places) - places)
    else:
        joints[:, :n] += noise.joint_position * rng.normal(size=joints[:, :n].shape)
    joints[:, n:] += noise.joint_rate * rng.normal(size=joints[:, n:].shape)
    if not case.has_rates:
        joints[:, n:] = np.nan
    wheels = motion.wheels(times['joints'] - 1.0)
    gyro = motion.twist(times['gyro'] - 1.0)[:, 3:]
    gyro += noise.base_angular_velocity * rng.normal(size=gyro.shape)
    far_off(joints[:, n:], noise.joint_rate, case, seed)
    far_off(gyro, noise.base_angular_velocity, case, seed + 1)
    at = times['base'] - 1.0
    velocity = motion.twist(at)[:, :3]
    velocity += noise.base_linear_velocity * rng.normal(size=velocity.shape)
    far_off(velocity, noise.base_linear_velocity, case, seed + 2)
    position = motion.position(at) + noise.base_position * rng.normal(size=velocity.shape)
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=velocity.shape))
    attitude = (motion.attitude(at) * turn).as_quat()
    places, parts = dict.fromkeys(times, 0), []
    for count, (time, name) in enumerate(events):
        k = places[name]
        places[name] += 1
        if name == 'joints':
            alignment.push_joints(time, joints[k, :n], joints[k, n:], wheels[k])
        elif name == 'gyro':
            alignment.push_gyro(time, gyro[k])
        elif case.from_pose:
            alignment.push_pose(time, position[k], attitude[k])
        else:
            alignment.push_linear_velocity(time, velocity[k])
        if count % 100 == 0:
            parts.append(alignment.take())
    parts.append(alignment.take(is_last=True))
    return Record.concatenate([part for part in parts if part is not None])


def far_off(readings: NDArray[np.float64], std: float, case: Case, seed: int) -> None:
    """Put one component of some readings far off."""
    rng = np.random.default_rng([seed, 2])
    hit = np.flatnonzero(rng.random(len(readings)) < case.outliers)
    sizes = std * 10.0 ** rng.uniform(1.0, 3.0, len(hit)) * rng.choice([-1.0, 1.0], len(hit))
    readings[hit, rng.integers(readings.shape[1], size=len(hit))] += sizes


def main() -> None:
    """Measure, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print_machine()
    true, prior = dual_arm(), dual_arm('naveen_dual_arm_prior')
    world = World(true, prior, load_plan(PLANS / 'dual_arm.yaml'), STILL, np.zeros(3))
    motion = Motion.of(world.clean()[: int(DURATION * RATE)])
    rows, word = [], sys.argv[2] if len(sys.argv) > 2 else ''
    for case in (each for each in CASES if word in each.cells[0]):
        robot = replace(prior, noise=replace(prior.noise, **NOISE[case.sensors]))
        method = Momentum.from_model(case.described(robot), from_pose=case.from_pose)
        method = method if case.has_rates else method.without_joint_rates()
        truth = method.minimal.values(true)
        try:
            results = [
                identify(measured(motion, case, robot, seed), method, with_links=False)
                for seed in range(seeds)
            ]
        except EstimationError as error:
            rows.append([*case.cells, str(error), *[''] * 7])
            continue
        off = np.array([(r.estimate.values - truth) / r.estimate.std for r in results])
        squares = [
            squared_error(r.estimate.values - truth, r.estimate.covariance) for r in results
        ]
        std = np.array([r.estimate.std / np.abs(truth) for r in results])
        bounds = chi2.ppf([0.025, 0.975], off.size) / off.size
        rows.append([
            *case.cells,
            f'{np.mean([r.quality.used for r in results]):.0f}',
            f'{np.mean([r.estimate.chi_square for r in results]):.3f}',
            f'{100.0 * np.mean(np.abs(off) < 1.96):.1f}',
            f'{np.mean(squares):.2f} ({bounds[0]:.2f}-{bounds[1]:.2f})',
            f'{100.0 * np.median(std):.2f}',
            f'{100.0 * np.median(np.abs(off * std)):.2f}',
            f'{np.mean(off[:, 6]):+.1f}',
            f'{sum(r.is_usable for r in results)}/{seeds}',
        ])  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    print(f'\nDual-arm robot, {seeds} seeds, {DURATION:g} s')
    heads = ['base', 'joints/gyro/base, Hz', 'lost, %', 'samples', 'chi-square']
    heads += ['inside 95 %, %', 'normalised squared error', 'median std, %', 'median error, %']
    print_table([*heads, 'mass, deviations', 'usable'], rows)


if __name__ == '__main__':
    main()

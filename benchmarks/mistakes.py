"""Single mistakes of sensors, wiring and description: which cause is named, what is usable.

The dual-arm robot along a recorded plan of 67 s, one mistake at a time, noise
drawn for every seed; without any mistake besides. ``usable`` beside errors beyond three
standard deviations would be a false promise.
Run with ``python benchmarks/mistakes.py [SEEDS [CLEAN]]``, 2 by default; without any mistake as
many logs as CLEAN.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
import sys
import time

from accuracy import noisy, PLANS, RATE, World
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from timing import dual_arm, print_machine, print_table

from spacerobot_id.estimation import identify
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import RobotModel

DEGREE = np.pi / 180.0
RPM = 60.0 / (2.0 * np.pi)
BIAS = np.array([1e-4, 0.0, 0.0])

Change = Callable[[Record], Record]


@dataclass(frozen=True)
class Mistake:
    """Something that is not as described.

    Parameters
    ----------
    name : str
        What it is.
    cause : str
        Text that should name it; of several separated by ``|`` any.
    change : callable
        Makes the record from that without the mistake.
    momentum : tuple of float
        Momentum of the system about the inertial origin.
    described : callable, optional
        Makes the true robot from that which is described.
    """

    name: str
    cause: str
    change: Change = lambda record: record
    momentum: tuple[float, ...] = (0.0,) * 6
    described: Callable[[RobotModel], RobotModel] | None = None


def gyro(change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Change:
    """Return what changes the gyro alone."""

    def changed(record: Record) -> Record:
        twist = record.base_twist.copy()
        twist[:, 3:] = change(twist[:, 3:])
        return replace(record, base_twist=twist)

    return changed


def velocity(change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Change:
    """Return what changes the linear velocity alone; it takes the whole twist."""

    def changed(record: Record) -> Record:
        twist = record.base_twist.copy()
        twist[:, :3] = change(twist)
        return replace(record, base_twist=twist)

    return changed


def late(delay: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return what delays a column."""

    def delayed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        times = np.arange(len(values)) / RATE
        return CubicSpline(times, values)(times - delay)

    return delayed


def turned(axis: int, angle: float) -> NDArray[np.float64]:
    """Return the matrix that turns rows about an axis."""
    return Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()


def joints(**factors: NDArray[np.float64]) -> Change:
    """Return what multiplies columns of the joints or wheels."""

    def changed(record: Record) -> Record:
        return replace(
            record, **{name: getattr(record, name) * each for name, each in factors.items()}
        )

    return changed


def offset(joint: int, angle: float) -> Change:
    """Return an encoder that is off."""

    def changed(record: Record) -> Record:
        return replace(record, q=record.q + angle * np.eye(record.q.shape[1])[joint])

    return changed


def signs(count: int, *negated: int) -> NDArray[np.float64]:
    """Return ones, and minus one for some."""
    side = np.ones(count)
    side[list(negated)] = -1.0
    return side


def exchanged(record: Record) -> Record:
    """Return the record with two joints under each other's names."""
    order = [1, 0, 2, 3, 4, 5]
    return replace(record, q=record.q[:, order], qd=record.qd[:, order])


def in_world_axes(record: Record) -> Record:
    """Return the record with twists in inertial axes under the base's name."""
    R_WB = Rotation.from_quat(record.attitude)
    twist = np.hstack([R_WB.apply(part) for part in np.split(record.base_twist, 2, axis=1)])
    return replace(record, base_twist=np.hstack([twist[:, :3], record.base_twist[:, 3:]]))


def askew(joint: int, axis: int, angle: float) -> Callable[[RobotModel], RobotModel]:
    """Return what tilts the axis of a joint."""

    def made(robot: RobotModel) -> RobotModel:
        every = list(robot.joints)
        every[joint] = replace(every[joint], R_PC=every[joint].R_PC @ turned(axis, angle))
        return replace(robot, tree_joints=every)

    return made


def longer(share: float) -> Callable[[RobotModel], RobotModel]:
    """Return what makes all links longer than they are described."""

    def made(robot: RobotModel) -> RobotModel:
        every = [replace(each, p_PC_P=(1.0 + share) * each.p_PC_P) for each in robot.joints]
        return replace(robot, tree_joints=every)

    return made


GEOMETRY = 'joint_axis|joint_origin'
MISTAKES = (
    Mistake('none', ''),
    Mistake('encoder 1 off by 1 deg', 'encoder_offset', offset(0, DEGREE)),
    Mistake('encoder 4 off by 3 deg', 'encoder_offset', offset(3, 3 * DEGREE)),
    Mistake('gyro turned by 1 deg', 'gyro_mounting', gyro(lambda w: w @ turned(0, DEGREE))),
    Mistake('gyro scale 2 %', 'gyro_scale', gyro(lambda w: 1.02 * w)),
    Mistake('gyro bias 1e-4 rad/s', 'gyro_bias', gyro(lambda w: w + BIAS)),
    Mistake('gyro 5 ms late', 'delay.imu', gyro(late(0.005))),
    Mistake('gyro 50 ms late', 'delay.imu', gyro(late(0.05))),
    Mistake('gyro 500 ms late', 'delay.imu', gyro(late(0.5))),
    Mistake('gyro in deg/s', 'gyro in degrees', gyro(lambda w: w / DEGREE)),
    Mistake('gyro x negated', 'gyro x with its sign', gyro(lambda w: w * [-1, 1, 1])),
    Mistake('gyro upside down', 'gyro turned by 180', gyro(lambda w: w * [1, -1, -1])),
    Mistake('gyro in NED axes', 'gyro with y, x, -z',
            gyro(lambda w: w[:, [1, 0, 2]] * [1, 1, -1])),
    Mistake('gyro turned by 90 deg', 'gyro turned by 90 degrees about z',
            gyro(lambda w: w[:, [1, 0, 2]] * [1, -1, 1])),
    Mistake('velocity turned by 1 deg', 'twist_mounting',
            velocity(lambda v: v[:, :3] @ turned(1, DEGREE))),
    Mistake('velocity scale 1 %', 'twist_scale', velocity(lambda v: 1.01 * v[:, :3])),
    Mistake('velocity 5 ms late', 'delay.base_twist', velocity(lambda v: late(0.005)(v[:, :3]))),
    Mistake('velocity of a place 0.3 m away', 'twist_point',
            velocity(lambda v: v[:, :3] + np.cross(v[:, 3:], [0.3, 0.0, 0.0]))),
    Mistake('velocity of a place 1 cm away', 'twist_point',
            velocity(lambda v: v[:, :3] + np.cross(v[:, 3:], [0.01, 0.0, 0.0]))),
    Mistake('velocity in world axes', 'velocity in inertial axes', in_world_axes),
    Mistake('velocity in mm/s', 'velocity in millimetres', velocity(lambda v: 1e3 * v[:, :3])),
    Mistake('velocity in NED axes', 'velocity with y, x, -z',
            velocity(lambda v: v[:, [1, 0, 2]] * [1, 1, -1])),
    Mistake('velocity negated', 'velocity with its sign', velocity(lambda v: -v[:, :3])),
    Mistake('wheel 2 negated', 'wheel wheel_2 with its sign',
            joints(wheel_rates=signs(3, 1))),
    Mistake('wheels 1 and 3 exchanged', 'wheels wheel_1 and wheel_3',
            lambda r: replace(r, wheel_rates=r.wheel_rates[:, [2, 1, 0]])),
    Mistake('wheel rates in rpm', 'wheel rates in rev', joints(wheel_rates=np.full(3, RPM))),
    Mistake('wheel 1 scale 3 %', 'wheel_scale', joints(wheel_rates=np.array([1.03, 1, 1]))),
    Mistake('joint 2 negated', 'joint joint_2 with its sign',
            joints(q=signs(6, 1), qd=signs(6, 1))),
    Mistake('rates of joint 3 negated', 'joint rates of joint_3 with their sign',
            joints(qd=signs(6, 2))),
    Mistake('joint 3 in degrees', 'joint positions of joint_3 in degrees',
            joints(q=np.array([1, 1, 1 / DEGREE, 1, 1, 1]))),
    Mistake('joints 1 and 2 exchanged', 'joints joint_1 and joint_2', exchanged),
    Mistake('joint rates in deg/s', 'joint rates in degrees', joints(qd=np.full(6, 1 / DEGREE))),
    Mistake('joints in degrees', 'joint positions and rates in degrees',
            joints(q=np.full(6, 1 / DEGREE), qd=np.full(6, 1 / DEGREE))),
    Mistake('drifting', 'linear_momentum', momentum=(2.0, 0.0, 1.0, 1.0, 1.0, -2.0)),
    Mistake('tumbling', 'angular_momentum', momentum=(0.0, 0.0, 0.0, 0.1, 0.0, 0.3)),
    Mistake('axis 2 off by 0.2 deg', GEOMETRY, described=askew(1, 0, 0.2 * DEGREE)),
    Mistake('last axis off by 2 deg', GEOMETRY, described=askew(5, 0, 2 * DEGREE)),
    Mistake('links 1 % too long', GEOMETRY + '|all links longer', described=longer(0.01)),
)  # fmt: skip


def clean(mistake: Mistake) -> tuple[Record, RobotModel]:
    """Return what perfect sensors see, and the robot."""
    true, prior = dual_arm(), dual_arm('naveen_dual_arm_prior')
    if mistake.described is not None:
        true = mistake.described(true)
    plan, momentum = load_plan(PLANS / 'dual_arm.yaml'), np.array(mistake.momentum)
    return World(true, prior, plan, momentum, np.zeros(3)).clean(), true


@dataclass(frozen=True)
class Outcome:
    """What a log came to."""

    first: str
    usable: bool
    off: float
    inside: float
    chi_square: float
    slow: float
    seconds: float


def outcome(mistake: Mistake, record: Record, truth: NDArray, method: Momentum, seed: int):  # noqa: ANN201
    """Identify one log with a mistake in it."""
    spoilt = mistake.change(noisy(record, method, seed))
    begin = time.process_time()
    result = identify(spoilt, method, with_links=False)
    seconds = time.process_time() - begin
    off = np.abs(result.estimate.values - truth) / result.estimate.std
    return Outcome(
        result.causes[0].description if result.causes else '',
        result.is_usable,
        float(np.sqrt(np.mean(off**2))),
        float(np.mean(off < 1.96)),
        result.quality.chi_square,
        result.quality.slow,
        seconds,
    )


def is_right(mistake: Mistake, first: str) -> bool:
    """Return whether the cause named is the mistake made."""
    if not mistake.cause or not first:
        return mistake.cause == first
    return any(each in first for each in mistake.cause.split('|'))


def main() -> None:
    """Make mistakes, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    without = int(sys.argv[2]) if len(sys.argv) > 2 else seeds
    print_machine()
    prior = dual_arm('naveen_dual_arm_prior')
    method = Momentum.from_model(prior, NuisanceSettings())
    rows, right, broken = [], 0, 0
    for mistake in MISTAKES:
        record, true = clean(mistake)
        truth = method.minimal.values(true)
        logs = seeds if mistake.cause else without
        runs = [outcome(mistake, record, truth, method, seed) for seed in range(logs)]
        named = sum(is_right(mistake, run.first) for run in runs)
        promises = sum(run.usable and run.off > 3.0 for run in runs)
        right, broken = right + named * bool(mistake.cause), broken + promises
        rows.append([
            mistake.name,
            f'{named}/{logs}',
            f'{np.mean([run.chi_square for run in runs]):.3g}',
            f'{np.mean([run.slow for run in runs]):.3g}',
            f'{100.0 * np.mean([run.inside for run in runs]):.0f}',
            f'{np.mean([run.off for run in runs]):.2g}',
            f'{sum(run.usable for run in runs)}/{logs}',
            f'{np.mean([run.seconds for run in runs]):.1f}',
            runs[0].first[:60],
        ])  # fmt: skip
        print('.', end='', file=sys.stderr, flush=True)
    print(f'\n\nDual-arm robot, {seeds} seeds, 67 s at {RATE:g} Hz')
    heads = ['mistake', 'named first', 'chi-square', 'slow', 'inside 95 %, %']
    heads += ['error, deviations RMS', 'usable', 'seconds', 'cause named']
    print_table(heads, rows)
    total = seeds * (len(MISTAKES) - 1)
    print(f'\nnamed rightly {right} of {total}')
    print(f'usable beyond 3 deviations RMS {broken} of {total + without}')


if __name__ == '__main__':
    main()

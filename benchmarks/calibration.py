"""Sensors and joints that are off, all at once, against calibrations of them: intervals and cost.

The servicer along a recorded plan of 120 s. The plant is MuJoCo's mass matrix of a URDF with other
joints; errors of the size of good hardware are injected here, drawn for every seed. The first
seeds are identified live, too: blocks of 0.2 s, the last state without a further fit.
Run with ``python benchmarks/calibration.py [SEEDS [LIVE]]``, 10 and 2 by default.
"""

from dataclasses import dataclass, replace
import sys
import time

from accuracy import identified_live, PLANS, RATE, squared_error
import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from timing import dual_arm, print_machine, print_table

from spacerobot_id.estimation import Estimate, identify, Result
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import RobotModel, urdf_from_robot
from spacerobot_id.regressor import minimal_parameters

DEGREE = np.pi / 180.0
BIAS = 1e-4
GOOD_HARDWARE = CalibrationSettings(
    encoder_offset=0.5 * DEGREE,
    joint_axis=0.1 * DEGREE,
    joint_origin=1e-3,
    gyro_mounting=0.5 * DEGREE,
    gyro_scale=2e-3,
    twist_point=5e-3,
    twist_mounting=0.5 * DEGREE,
    twist_scale=2e-3,
    delay_imu=5e-3,
    delay_base_twist=5e-3,
)


@dataclass(frozen=True)
class Flown:
    """What sensors see, and all unknowns as they are."""

    record: Record
    truth: NDArray[np.float64]


def askew(
    robot: RobotModel, axes: NDArray[np.float64], origins: NDArray[np.float64]
) -> RobotModel:
    """Return a robot with tilted and displaced joints."""
    joints = [
        replace(
            joint,
            R_PC=joint.R_PC @ Rotation.from_rotvec([*tilt, 0.0]).as_matrix(),
            p_PC_P=joint.p_PC_P + moved,
        )
        for joint, tilt, moved in zip(
            robot.joints, axes.reshape(-1, 2), origins.reshape(-1, 3), strict=True
        )
    ]
    return replace(robot, tree_joints=joints)


def conserved_twist(
    robot: RobotModel,
    q: NDArray[np.float64],
    qd: NDArray[np.float64],
    wheel_rates: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the base's twist that MuJoCo's mass matrix gives for zero momentum, shape (N, 6)."""
    spec = mujoco.MjSpec.from_string(urdf_from_robot(robot))
    spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    data = mujoco.MjData(model)
    places = [model.joint(name).qposadr[0] for name in robot.joint_names]
    rates = [model.joint(name).dofadr[0] for name in robot.joint_names]
    spin = np.array([wheel.spin_inertia * wheel.axis for wheel in robot.wheels])
    matrix, twists = np.zeros((model.nv, model.nv)), np.empty((len(q), 6))
    for k in range(len(q)):
        data.qpos[places] = q[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, matrix)
        momentum = matrix[:6][:, rates] @ qd[k]
        momentum[3:] += wheel_rates[k] @ spin
        twists[k] = -np.linalg.solve(matrix[:6, :6], momentum)
    return twists


def late(times: NDArray[np.float64], values: NDArray[np.float64], delay: float) -> NDArray:
    """Return what was a delay before."""
    return CubicSpline(times, values)(times - delay)


def fly(robot: RobotModel, method: Momentum, seed: int) -> Flown:
    """Return what the sensors of a robot with errors see."""
    rng = np.random.default_rng(seed)
    unknowns, count = method.unknowns, len(method.minimal)
    truth = np.append(np.zeros(count), unknowns.std * rng.normal(size=len(unknowns.std)))
    at = {name: truth[place] for name, place in unknowns.places.items()}
    true = askew(robot, at['joint_axis'], at['joint_origin'])
    truth[:count] = minimal_parameters(true).values(true)
    plan, n = load_plan(PLANS / 'servicer.yaml'), len(robot.joints)
    times = np.arange(0.0, plan.duration, 1.0 / RATE)
    motion = plan.sample(times)
    q, qd, wheels = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    twist = conserved_twist(true, q, qd, wheels)
    gyro = late(times, twist[:, 3:], at['delay.imu'][0])
    gyro = Rotation.from_rotvec(at['gyro_mounting']).apply(gyro, inverse=True)
    gyro = gyro * (1.0 + at['gyro_scale']) + at['gyro_bias']
    there = late(times, twist, at['delay.base_twist'][0])
    velocity = there[:, :3] + np.cross(there[:, 3:], at['twist_point'])
    velocity = Rotation.from_rotvec(at['twist_mounting']).apply(velocity, inverse=True)
    velocity = velocity * (1.0 + at['twist_scale'])
    noise = rng.normal(size=(len(times), 6 + n)) * method.rate_std
    encoders = robot.noise.joint_position * rng.normal(size=q.shape)
    record = Record(
        times,
        q + at['encoder_offset'] + encoders,
        qd + noise[:, 6:],
        wheels,
        np.hstack([velocity, gyro]) + noise[:, :6],
    )
    return Flown(record, truth)


def errors(estimate: Estimate, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the errors of all unknowns in standard deviations."""
    values = np.append(estimate.values, [each.value for each in estimate.others])
    std = np.append(estimate.std, [each.std for each in estimate.others])
    return (values - truth[: len(values)]) / std


def squared(estimate: Estimate, truth: NDArray[np.float64]) -> float:
    """Return the normalised squared error of the parameters."""
    return squared_error(estimate.values - truth[: len(estimate.values)], estimate.covariance)


def median_error(estimate: Estimate, truth: NDArray[np.float64]) -> float:
    """Return the median relative error of the parameters, %."""
    values = estimate.values
    true = truth[: len(values)]
    return 100.0 * float(np.median(np.abs((values - true) / np.where(true, true, 1.0))))


@dataclass(frozen=True)
class Found:
    """What one seed came to, with calibrations, without, and live with them if that was asked."""

    result: Result
    off: NDArray[np.float64]
    median: float
    squared: float
    seconds: float
    blind: Result
    blind_off: NDArray[np.float64]
    blind_median: float
    live: Estimate | None
    live_off: NDArray[np.float64]
    live_median: float
    live_squared: float
    live_seconds: float


def found(
    seed: int, robot: RobotModel, calibrated: Momentum, plain: Momentum, *, is_live: bool
) -> Found:
    """Fly once, identify twice, and live."""
    flown = fly(robot, calibrated, seed)
    begin = time.process_time()
    result = identify(flown.record, calibrated, with_links=False)
    seconds = time.process_time() - begin
    blind = identify(flown.record, plain, with_links=False)
    begin = time.process_time()
    live = identified_live(calibrated, flown.record).estimate() if is_live else None
    return Found(
        result,
        errors(result.estimate, flown.truth),
        median_error(result.estimate, flown.truth),
        squared(result.estimate, flown.truth),
        seconds,
        blind,
        errors(blind.estimate, flown.truth)[: len(plain.minimal)],
        median_error(blind.estimate, flown.truth),
        live,
        errors(live, flown.truth) if live is not None else np.empty(0),
        median_error(live, flown.truth) if live is not None else np.nan,
        squared(live, flown.truth) if live is not None else np.nan,
        time.process_time() - begin,
    )


def inside(off: NDArray[np.float64]) -> str:
    """Return the share of errors inside the 95 % intervals, %."""
    return f'{100.0 * np.mean(np.abs(off) < 1.96):.1f}'


def chance(count: int) -> str:
    """Return the normalised squared errors of so many numbers that chance allows."""
    low, high = chi2.ppf([0.025, 0.975], count) / count
    return f'{low:.3f}-{high:.3f}'


def print_live(runs: list[Found], parameters: int) -> None:
    """Print what was identified live, and how far it is from the fit of the log."""
    off = np.array([run.live_off for run in runs])
    apart = [np.abs(run.live_off - run.off).max() for run in runs]
    seconds = np.mean([run.live_seconds for run in runs])
    print(f'\nLive, {len(runs)} seeds, {seconds:.0f} s of processor each')
    print_table(
        ['', 'calibrated', 'wanted'],
        [
            ['chi-square', f'{np.mean([run.live.chi_square for run in runs]):.3f}', '0.95-1.05'],
            ['all unknowns inside 95 %, %', inside(off), '93-97'],
            ['parameters inside 95 %, %', inside(off[:, :parameters]), '93-97'],
            [
                'normalised squared error of the parameters',
                f'{np.mean([run.live_squared for run in runs]):.3f}',
                chance(parameters * len(runs)),
            ],
            ['median error, %', f'{np.mean([run.live_median for run in runs]):.2f}', '-'],
            ['most from the fit of the log, deviations', f'{max(apart):.2f}', '-'],
        ],
    )


def main() -> None:
    """Fly, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print_machine()
    true, prior = dual_arm('servicer'), dual_arm('servicer_prior')
    nuisance = NuisanceSettings(gyro_bias=BIAS)
    calibrated = Momentum.from_model(prior, nuisance, calibration=GOOD_HARDWARE)
    plain = Momentum.from_model(prior, nuisance)
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    runs = [found(seed, true, calibrated, plain, is_live=seed < at_once) for seed in range(seeds)]
    off = np.array([run.off for run in runs])
    blind = np.array([run.blind_off for run in runs])
    count = len(calibrated.minimal)
    squares = [run.result.estimate.chi_square for run in runs]
    blind_squares = [run.blind.estimate.chi_square for run in runs]
    seconds = np.mean([run.seconds for run in runs])
    print(f'\nServicer, {seeds} seeds, {off.shape[1]} unknowns, {seconds:.0f} s of processor each')
    print_table(
        ['', 'calibrated', 'not calibrated', 'wanted'],
        [
            [
                'chi-square',
                f'{np.mean(squares):.3f}',
                f'{np.mean(blind_squares):.2f}',
                '0.95-1.05',
            ],
            ['all unknowns inside 95 %, %', inside(off), '-', '93-97'],
            ['parameters inside 95 %, %', inside(off[:, :count]), inside(blind), '93-97'],
            [
                'normalised squared error of the parameters',
                f'{np.mean([run.squared for run in runs]):.3f}',
                '-',
                chance(count * len(runs)),
            ],
            [
                'median error of the parameters, %',
                f'{np.mean([run.median for run in runs]):.2f}',
                f'{np.mean([run.blind_median for run in runs]):.0f}',
                '-',
            ],
        ],
    )
    if at_once:
        print_live(runs[:at_once], count)
    std = np.mean([[each.std for each in run.result.estimate.others] for run in runs], axis=0)
    left = 100.0 * std / calibrated.unknowns.std
    print_table(
        ['unknown', 'error, standard deviations RMS', 'of the prior left, %'],
        [
            [
                name,
                f'{np.sqrt(np.mean(off[:, place] ** 2)):.2f}',
                f'{np.median(left[place.start - count : place.stop - count]):.1f}',
            ]
            for name, place in calibrated.unknowns.places.items()
        ],
    )


if __name__ == '__main__':
    main()

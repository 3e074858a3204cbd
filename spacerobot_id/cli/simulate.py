"""``spacerobot-id simulate``: fly an exciting motion without ROS and write the log of it."""

import argparse
from dataclasses import replace
import json
import time

import numpy as np

from spacerobot_id.cli.robot_options import (
    add_mass_option,
    add_momentum_options,
    add_robot_options,
    described_robot,
    known_momentum,
    with_known_mass,
)
from spacerobot_id.cli.terminal import compiling_notice, output_folder, seed
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.constraint.limit_set import LimitSettings
from spacerobot_id.excitation.planner import plan_excitation
from spacerobot_id.excitation.planner_settings import PlannerSettings, ThrustParameters
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.flight.base_flight import fly_base
from spacerobot_id.flight.recording import FlightSettings, fly_plan
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.model import load_robot, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum
from spacerobot_id.simulation import DEFAULT_GAINS, DynamicSimulation, Gains, ManoeuvringMode
from spacerobot_id.simulation.controller import Drive

_MODES = tuple(mode.value for mode in ManoeuvringMode)
_QUICK = {'draws': 50, 'restarts': 1, 'iterations': 30}
"""Effort of the planner: a plan in some seconds, some percent from the best."""

_NO_MOMENTUM = (0.0, 0.0, 0.0)
_HARMONICS = 3
"""Harmonics of a motion of a robot that turns with a known momentum."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Simulate a robot on an exciting motion, faster than real time and without '
        'ROS, and write the rosbag2 folder that the nodes would have recorded.'
    )
    add_robot_options(parser, 'true robot, its YAML file beside it')
    parser.add_argument(
        '--prior', metavar='URDF', help='robot as planner and control know it (ROBOT.urdf)'
    )
    parser.add_argument('--plan', metavar='YAML', help='motion; planned from the prior if missing')
    parser.add_argument(
        '--out', type=output_folder, required=True, metavar='BAG', help='folder to write'
    )
    parser.add_argument('--seed', type=seed, default=0, help='of noise and plan (%(default)s)')
    parser.add_argument('--no-noise', action='store_true', help='let the sensors be perfect')
    parser.add_argument(
        '--mode',
        choices=_MODES,
        help='what drives the base (rotation-floating, floating for a robot without wheels); '
        'wheels that the mode does not drive stay at rest',
    )
    parser.add_argument(
        '--planar',
        action='store_true',
        help='a table holds the base in its plane; thrusters fire if the robot has some, as in '
        '--mode flying',
    )
    parser.add_argument(
        '--gains',
        nargs=2,
        type=float,
        metavar=('K_P', 'K_D'),
        help='of computed torque, by joint positions (1/s^2) and rates (1/s)',
    )
    parser.add_argument(
        '--no-feed-forward',
        action='store_true',
        help='leave the accelerations of the plan out of computed torque',
    )
    add_momentum_options(parser, 'the robot turns at the start')
    add_mass_option(parser)
    parser.add_argument(
        '--storage',
        choices=[each.value for each in BagStorage],
        default=BagStorage.MCAP.value,
        help='file format of the folder (%(default)s)',
    )
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Simulate and write."""
    if options.out.exists():
        raise ConfigurationError(f'--out: {options.out} exists already')
    robot = described_robot(options)
    prior = load_robot(options.prior, free_base=options.free_base) if options.prior else robot
    if options.known_mass:
        prior = prior.with_mass(options.known_mass)
    momentum = known_momentum(options)
    mode = ManoeuvringMode(options.mode or ('rotation-floating' if robot.wheels else 'floating'))
    fires = mode.properties.translation is Drive.THRUSTERS or options.planar
    fires = fires and bool(prior.thrusters)
    driven = prior if mode.properties.drives_wheels else replace(prior, wheels=())
    if options.plan:
        plan = load_plan(options.plan)
    else:
        plan = _planned(driven, options, momentum, fires=fires)
    settings = FlightSettings(
        seed=options.seed,
        noise=not options.no_noise,
        mode=ManoeuvringMode.FLYING if fires and options.planar else mode,
        planar=options.planar,
        thrust=ThrustParameters() if fires else None,
        angular_momentum=tuple(options.angular_momentum or _NO_MOMENTUM),
        attitude=tuple(options.attitude),
        joints=Gains(*options.gains) if options.gains else DEFAULT_GAINS,
        feeds_forward=not options.no_feed_forward,
    )
    if plan.names == POSE_COORDINATES:
        settings = _of_base(options, settings)
    else:
        _compile(robot)
    begin = time.perf_counter()
    fly = fly_base if plan.names == POSE_COORDINATES else fly_plan
    streams = fly(robot, plan, prior, settings)
    seconds = time.perf_counter() - begin
    messages = write_bag(options.out, streams, BagStorage(options.storage))
    stamps = streams.true_pose.stamps
    result = {
        'robot': robot.name,
        'bag': str(options.out),
        'storage': options.storage,
        'mode': settings.mode.value,
        'conserved': settings.mode.properties.conserved,
        'plan_seconds': plan.duration,
        'simulated_seconds': float(stamps[-1] - stamps[0]),
        'samples': len(stamps),
        'messages': messages,
        'wall_seconds': seconds,
    }
    print(json.dumps(result) if options.json else _text(result))
    return 0


def _compile(robot: RobotModel) -> None:
    """Have the simulation compiled, which takes long the first time; print a notice if it does."""
    notice = compiling_notice()
    notice.start()
    try:
        resting = DynamicSimulation.at_rest(robot, np.zeros(len(robot.joints)))
        resting.advanced_to([resting.time + resting.step])
    finally:
        notice.cancel()


def _of_base(options: argparse.Namespace, settings: FlightSettings) -> FlightSettings:
    """Return the settings of a flight along a plan of the base's pose, from rest.

    Raises
    ------
    ConfigurationError
        If an option asks for what such a flight cannot have; names it.
    """
    given = {
        'mode': options.mode not in (None, 'flying'),
        'planar': options.planar,
        'angular-momentum': options.angular_momentum is not None,
    }
    for option in (name for name, is_given in given.items() if is_given):
        raise ConfigurationError(
            f'--{option}: a plan of the pose of the base is flown from rest in the mode flying'
        )
    return replace(settings, mode=ManoeuvringMode.FLYING, thrust=None)


def _planned(
    prior: RobotModel, options: argparse.Namespace, momentum: KnownMomentum | None, *, fires: bool
) -> ExcitingMotion:
    """Return a motion from joints and wheels at zero, for thrusters or with what is known."""
    settings = PlannerSettings(seed=options.seed, **_QUICK)
    present = np.zeros(len(prior.joints) + len(prior.wheels))
    turns = momentum is not None and any(momentum.angular_momentum)
    if turns and not fires and not prior.wheels:
        settings, method = replace(settings, harmonics=_HARMONICS), 'angular_momentum'
        return plan_excitation(prior, present, settings, method=method, momentum=momentum).plan
    settings = with_known_mass(settings, options.known_mass)
    if not fires:
        return plan_excitation(prior, present, settings).plan
    limits = LimitSettings(planar=options.planar)
    settings = replace(settings, intervals=20, interval=3.0, limits=limits)
    return plan_excitation(prior, present, settings, method='momentum_balance').plan


def _text(result: dict[str, object]) -> str:
    """Return the result for people."""
    factor = result['simulated_seconds'] / result['wall_seconds']
    return (
        f'{result["robot"]}: a motion of {result["plan_seconds"]:.1f} s, mode {result["mode"]} '
        f'({result["conserved"]}), {factor:.0f} times as fast as real time\n'
        f'written: {result["bag"]} ({result["storage"]}, {result["messages"]} messages)'
    )

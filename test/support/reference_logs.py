"""The logs of ``test/reference``: what simulators and MuJoCo made, and how each is identified.

Run as a program, this file makes the logs that are missing. A log that is there is never made
again: its figures are of those very messages.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

from method_cases import (
    case_of,
    OF_FREE_FLYER,
    OF_MOMENTUM,
    REFERENCE,
    robot_of,
    settings_of,
)
import numpy as np
from robots import dual_arm

from spacerobot_id.estimation.batch.identify import log_from_streams
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.excitation.planner import load_plan
from spacerobot_id.flight.recording import fly_plan
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.methods.settings import MethodSettings

PLANS = Path(__file__).parents[2] / 'benchmarks' / 'plans'
BEGIN = 1000.0
"""Stamp that the times of samples are counted from, s."""

_OF_TURNING = (
    'angular_momentum',
    'angular_momentum_least_squares',
    'equations_of_motion',
    'equations_of_motion_fourier',
    'angular_momentum_and_torques',
)
METHODS_BY_LOG = {
    'dual_arm': OF_MOMENTUM,
    'turning_arm': _OF_TURNING,
    'space_cobot': OF_FREE_FLYER,
    'air_bearing': ('momentum_balance',),
}
CASES = [(log, method) for log, methods in METHODS_BY_LOG.items() for method in methods]


def recorded(log, method):
    """Return the record of a reference log, and the method with its settings."""
    recorded = log_from_streams(robot_of(method), streams(log), settings_for(method))
    return recorded.log, recorded.method


def settings_for(method):
    """Return the settings that a method is given for its reference log."""
    own = MethodSettings() if method == 'free_flyer' else settings_of(method)  # has no period
    return IdentifySettings(method=method, of_method=own)


@cache
def streams(log):
    """Return what a reference log has."""
    return read_bag(REFERENCE / log, ())


def dual_arm_log(rate=12.5, seconds=20):
    """Return a motion of the dual-arm robot as the dynamic simulation records it."""
    plan = load_plan(PLANS / 'dual_arm.yaml')
    plan = replace(plan, knots=plan.knots[: seconds + 1], durations=plan.durations[:seconds])
    robot = dual_arm()
    flown = fly_plan(replace(robot, noise=replace(robot.noise, rate=rate)), plan)
    return replace(flown, true_joints=None, true_pose=None, true_twist=None)


def log_of_record(model, record, every=1):
    """Return what a record was made of: each reading where its own sensor has one."""
    base, rows = model.link_names[0], np.arange(0, len(record), every)
    times = BEGIN + record.times

    def there(*columns):
        return [row for row in rows if all(np.isfinite(column[row]).all() for column in columns)]

    made = {}
    if record.has('q').any():
        own = there(record.q)
        columns = [np.hstack([record.q, np.zeros_like(record.wheel_rates)])[own]]
        columns.append(np.hstack([record.qd, record.wheel_rates])[own])
        if record.has('joint_torque').any():
            idle = np.full_like(record.wheel_rates, np.nan)
            columns.append(np.hstack([record.joint_torque, idle])[own])
        names = model.joint_names + model.wheel_names
        made['joints'] = JointStream(times[own], times[own], names, *columns)
    if record.has('base_twist').any():
        own = there(record.base_twist[:, 3:])
        absent = np.full((len(own), 7), np.nan)
        rates = record.base_twist[own, 3:]
        made['imu'] = ImuStream(
            times[own], times[own], base, rates, 0.0, absent[:, :3], absent[:, 3:]
        )
        own = there(record.base_twist[:, :3])
        if own:
            made['twist'] = TwistStream(times[own], times[own], base, record.base_twist[own])
    if record.has('attitude').any():
        own = there(record.position, record.attitude)
        made['pose'] = PoseStream(
            times[own], times[own], 'world', record.position[own], record.attitude[own]
        )
    if record.wrench is not None:
        stamps = BEGIN + record.wrench.times
        made['applied_wrench'] = WrenchStream(stamps, stamps, base, record.wrench.values)
    if record.thrust is not None:
        stamps = BEGIN + record.thrust.times
        names = tuple(each.name for each in model.thrusters)
        made['thrust'] = ThrustStream(stamps, stamps, names, record.thrust.values)
    return BagStreams(**made)


def made(log):
    """Return the streams of a reference log, made again."""
    if log == 'dual_arm':
        return dual_arm_log()
    method = METHODS_BY_LOG[log][0]
    whole = log_of_record(robot_of(method), case_of(method).record)
    if log != 'turning_arm':
        return whole
    half = {name: getattr(whole, name) for name in ('joints', 'imu', 'pose')}
    cut = {name: each[np.arange(0, len(each.stamps), 4)] for name, each in half.items()}
    return BagStreams(**cut)


if __name__ == '__main__':
    for name in METHODS_BY_LOG:
        if not (REFERENCE / name).exists():
            write_bag(REFERENCE / name, made(name))

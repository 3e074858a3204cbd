"""Logs of moving robots, as their sensors would have filled them."""

from dataclasses import replace
from functools import cache

from motions import measure, paper_plan, with_noise
import numpy as np
from robots import dual_arm, servicer
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.multibody import base_twist_from_momentum

BEGIN = 1000.0
"""Stamp that times are counted from, s."""


def log_of(model, measured, gyro_std):
    """Return the log of what was measured: joints and wheels, a gyro, twists of the base."""
    stamps, base = BEGIN + measured.times, model.link_names[0]
    nothing = np.full((len(stamps), 7), np.nan)
    wheel_angles = np.zeros_like(measured.wheel_rates)
    return BagStreams(
        joints=JointStream(
            stamps,
            stamps,
            model.joint_names + model.wheel_names,
            np.hstack([measured.q, wheel_angles]),
            np.hstack([measured.qd, measured.wheel_rates]),
        ),
        imu=ImuStream(
            stamps,
            stamps,
            base,
            measured.base_twist[:, 3:],
            gyro_std,
            nothing[:, :3],
            nothing[:, 3:],
        ),
        twist=TwistStream(stamps, stamps, base, measured.base_twist),
    )


@cache
def dual_arm_log():
    """Return the readings of the dual arm's sensors along the paper's motion, every 20 ms."""
    model = dual_arm()
    clean = measure(model, paper_plan(), rate=50.0)
    return log_of(model, with_noise(clean, Momentum.from_model(model), 0), 8e-5)


@cache
def dual_arm_log_with_still_joint():
    """Return the readings of the same sensors when the last joint is held."""
    model, plan = dual_arm(), paper_plan()
    column = plan.names.index('joint_6')
    knots = plan.knots.copy()
    knots[:, column] = knots[0, column]
    clean = measure(model, replace(plan, knots=knots), rate=50.0)
    noisy = with_noise(clean, Momentum.from_model(model), 0)
    rates = noisy.qd.copy()
    rates[:, column] = 0.0
    return log_of(model, replace(noisy, qd=rates), 8e-5)


@cache
def servicer_log():
    """Return the readings of the servicer's sensors while joints and wheels swing for a minute."""
    model, rng = servicer(), np.random.default_rng(0)
    times = np.arange(0.0, 60.0, 0.02)
    pulsation = 2.0 * np.pi * rng.uniform(0.03, 0.1, 10)
    phase = np.outer(times, pulsation) + rng.uniform(0, 6, 10)
    clean = measured_swings(model, times, 0.5 * np.sin(phase), 0.5 * pulsation * np.cos(phase))
    return log_of(model, with_noise(clean, Momentum.from_model(model), 1), 2e-5)


def shortened(log, count):
    """Return the first messages of joints, gyro and twists."""
    parts = {name: getattr(log, name)[np.arange(count)] for name in ('joints', 'imu', 'twist')}
    return replace(log, **parts)


@cache
def servicer_log_with_poses(count):
    """Return the begin of that log with the poses that its rates lead to."""
    log = shortened(servicer_log(), count)
    twist = log.twist.twists
    step = log.twist.stamps[1] - log.twist.stamps[0]
    middle = 0.5 * (twist[:-1] + twist[1:])
    attitudes, positions = [Rotation.from_rotvec([0.4, -0.3, 1.2])], [np.zeros(3)]
    for linear, angular in zip(middle[:, :3], middle[:, 3:], strict=True):
        half = attitudes[-1] * Rotation.from_rotvec(0.5 * step * angular)
        positions.append(positions[-1] + step * half.apply(linear))
        attitudes.append(attitudes[-1] * Rotation.from_rotvec(step * angular))
    stamps = log.twist.stamps
    pose = PoseStream(
        stamps, stamps, 'world', np.array(positions), Rotation.concatenate(attitudes).as_quat()
    )
    return replace(log, pose=pose)


def measured_swings(model, times, angles, rates):
    """Return what perfect sensors see of joints and wheels that swing."""
    n = len(model.joints)
    wheels = 50.0 * rates[:, n:]
    twist = base_twist_from_momentum(model, angles[:, :n], rates[:, :n], wheels)
    return Record(times, angles[:, :n], rates[:, :n], wheels, twist)

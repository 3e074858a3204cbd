"""Wheels whose drivers give angles alone: their rates are slopes of these."""

from dataclasses import replace

from logs import servicer_log_with_poses
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import servicer

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.stream import StreamNeeds
from spacerobot_id.methods.momentum import Momentum

ROBOT = replace(
    servicer(),
    noise=replace(servicer().noise, base_position=1e-5),
    wheels=[replace(each, max_rate=100.0) for each in servicer().wheels],
)
COUNT = 300


@pytest.fixture(name='log', scope='module')
def log_with_angles():
    """Return a log whose wheels' angles, modulo a turn, fit their rates."""
    log = servicer_log_with_poses(COUNT)
    joints, wheels = log.joints, wheels_of(log)
    steps = np.diff(joints.stamps)[:, None]
    means = 0.5 * (joints.velocities[1:, wheels] + joints.velocities[:-1, wheels])
    angles = np.vstack([np.zeros(len(wheels)), np.cumsum(means * steps, axis=0)])
    positions = joints.positions.copy()
    positions[:, wheels] = np.mod(angles + np.pi, 2.0 * np.pi) - np.pi
    return replace(log, joints=replace(joints, positions=positions))


def wheels_of(log):
    return [log.joints.names.index(name) for name in ROBOT.wheel_names]


def without_velocities(log, places=slice(None)):
    velocities = log.joints.velocities.copy()
    velocities[:, places] = np.nan
    return replace(log, joints=replace(log.joints, velocities=velocities))


def test_rates_of_wheels_come_from_their_angles(log):
    """Two samples at each end are lost; no joint gives a rate, either."""
    known = record_from_log(ROBOT, log, needs=Momentum.needs).measurement
    found = record_from_log(ROBOT, without_velocities(log), needs=Momentum.needs).measurement
    rows = np.searchsorted(known.times, found.times)
    assert len(found) >= len(known) - 6
    assert_allclose(known.times[rows], found.times)
    scale = np.abs(known.wheel_rates).max()
    assert_allclose(found.wheel_rates, known.wheel_rates[rows], atol=2e-3 * scale)
    assert np.isnan(found.qd).all()
    assert_allclose(found.q, known.q[rows])


def test_wheels_that_may_turn_too_far_between_samples_are_refused(log):
    fast = [replace(each, max_rate=1e4, max_momentum=np.inf) for each in ROBOT.wheels]
    robot = replace(ROBOT, wheels=fast)
    with pytest.raises(MeasurementError, match='velocity of wheel_x, wheel_y, wheel_z'):
        record_from_log(robot, without_velocities(log), needs=Momentum.needs)


def test_methods_that_need_rates_refuse_joints_without(log):
    with pytest.raises(MeasurementError, match=r'velocity of .* is not provided'):
        record_from_log(ROBOT, without_velocities(log), needs=StreamNeeds())


def test_a_velocity_that_is_lost_now_and_then_is_not_made_up(log):
    velocities = log.joints.velocities.copy()
    velocities[::3, wheels_of(log)[0]] = np.nan
    spoilt = replace(log, joints=replace(log.joints, velocities=velocities))
    found = record_from_log(ROBOT, spoilt, needs=Momentum.needs)
    assert found.rejected['joint_states: velocity of wheel_x is not provided'] == COUNT / 3

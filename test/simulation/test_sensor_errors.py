"""Sensors that are off: each error is what it says it is, and is off by default."""

from dataclasses import replace
from functools import cache

from flights import flight, sample_times
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.model import Sensors, StreamSettings
from spacerobot_id.model.description.robot_writer import changed
from spacerobot_id.settings.yaml_file import read_yaml
from spacerobot_id.simulation import SensorSet, stream_deliveries

TURN = (0.02, -0.01, 0.03)


@cache
def truth():
    return flight(intervals=3).advanced_to(sample_times(3.0))[1]


def read(sensors, *, noise=False):
    """Return readings of sensors, by default without white noise."""
    model = replace(dual_arm(), sensors=sensors)
    if not noise:
        model = replace(model, noise=replace(type(model.noise)(), rate=model.noise.rate))
    return SensorSet(model, 3).measure(truth())


def test_encoders_are_off_by_their_offsets():
    names = dual_arm().joint_names
    seen = read(Sensors(encoder_offset={names[1]: 0.01, names[4]: -0.02})).motion
    assert_allclose(seen.q - truth().q, np.tile([0, 0.01, 0, 0, -0.02, 0], (len(seen), 1)), atol=0)
    assert_array_equal(seen.qd, truth().qd)


def test_the_gyro_is_turned_and_scaled():
    readings = read(Sensors(gyro_mounting=TURN, gyro_scale=(0.01, 0.0, -0.02)))
    turned = Rotation.from_rotvec(TURN).apply(truth().base_twist[:, 3:], inverse=True)
    assert_allclose(readings.gyro, turned * [1.01, 1.0, 0.98], atol=1e-15)
    assert_array_equal(readings.motion.base_twist[:, :3], truth().base_twist[:, :3])


def test_the_velocity_is_that_of_another_place_in_other_axes():
    place = np.array([0.1, -0.2, 0.3])
    sensors = Sensors(twist_point=tuple(place), twist_mounting=TURN, twist_scale=(0.0, 0.01, 0.0))
    linear, angular = np.split(truth().base_twist, 2, axis=1)
    there = np.array([v + np.cross(w, place) for v, w in zip(linear, angular, strict=True)])
    wanted = there @ Rotation.from_rotvec(TURN).as_matrix() * [1.0, 1.01, 1.0]
    assert_allclose(read(sensors).motion.base_twist[:, :3], wanted, atol=1e-15)


def test_the_pose_is_that_of_a_marker():
    seen = read(Sensors(pose_point=(0.3, 0.0, 0.1), pose_mounting=TURN)).motion
    turned = Rotation.from_quat(truth().attitude)
    assert_allclose(seen.position - truth().position, turned.apply([0.3, 0.0, 0.1]), atol=1e-12)
    between = (turned.inv() * Rotation.from_quat(seen.attitude)).as_rotvec()
    assert_allclose(between, np.tile(TURN, (len(seen), 1)), atol=1e-12)


@pytest.mark.parametrize('stream', ['joint_states', 'imu/data', 'base_twist', 'base_pose'])
def test_outliers_are_as_many_and_as_far_off_as_is_said(stream):
    """The share and the size are right, and no other stream has any."""
    some = Sensors(streams={stream: StreamSettings(outliers=0.1, outlier_size=1000.0)})
    model = dual_arm()
    clean = SensorSet(model, 3).measure(truth()).motion
    seen = SensorSet(replace(model, sensors=some), 3).measure(truth()).motion
    parts = {
        'joint_states': (seen.qd - clean.qd) / model.noise.joint_rate,
        'imu/data': (seen.base_twist - clean.base_twist)[:, 3:]
        / model.noise.base_angular_velocity,
        'base_twist': (seen.base_twist - clean.base_twist)[:, :3]
        / model.noise.base_linear_velocity,
        'base_pose': seen.position - clean.position,
    }
    for name, off in parts.items():
        hit = np.abs(off).max(axis=1) > 1e-9
        assert hit.any() == (name == stream and bool(np.abs(off).max()))
        if name == stream and name != 'base_pose':
            assert 0.05 < hit.mean() < 0.16
            assert_allclose(np.abs(off[hit]), 1000.0, rtol=1e-6)


def test_stamps_of_receipt_are_late():
    """By the delay; a message does not come before its stamp."""
    streams = {'imu/data': StreamSettings(latency=0.01, delay=0.01)}
    ways = stream_deliveries(replace(dual_arm(), sensors=Sensors(streams=streams)), 0)
    times = np.arange(5) * 0.01
    assert_allclose(ways['imu/data'].deliver(times).stamps, times + 0.01)
    assert_allclose(ways['imu/data'].deliver(times).arrivals, times + 0.01)
    assert_array_equal(ways['base_pose'].deliver(times).stamps, times)


def test_stamps_of_a_coarse_clock_are_rounded_up():
    streams = {'base_pose': StreamSettings(rate=10.0, latency=0.02, delay=0.02, stamp_step=0.05)}
    ways = stream_deliveries(replace(dual_arm(), sensors=Sensors(streams=streams)), 0)
    came = ways['base_pose'].deliver(0.01 * np.arange(1, 41))
    assert_allclose(came.stamps, [0.15, 0.25, 0.35, 0.45])
    assert_array_equal(came.arrivals, came.stamps)


def test_nothing_is_off_by_default_and_without_noise():
    off = Sensors(gyro_scale=(1.0, 1.0, 1.0), pose_point=(1.0, 0.0, 0.0))
    model = replace(dual_arm(), sensors=off)
    ideal = SensorSet(model, noisy=False).measure(truth())
    assert_array_equal(ideal.gyro, truth().base_twist[:, 3:])
    assert_array_equal(ideal.motion.position, truth().position)
    assert_array_equal(read(Sensors()).gyro, truth().base_twist[:, 3:])


def test_errors_are_read_and_written():
    text = """
encoder_offset: {joint_1: 0.01}
gyro_mounting: [0.01, 0.0, 0.02]
streams: {imu/data: {delay: -0.005, outliers: 0.01, outlier_size: 50}}
"""
    sensors = read_yaml(Sensors, text, 'robot.yaml')
    assert sensors.gyro_mounting == (0.01, 0.0, 0.02)
    assert sensors.stream('imu/data') == StreamSettings(
        delay=-0.005, outliers=0.01, outlier_size=50.0
    )
    content = changed(sensors)
    assert content['gyro_mounting'] == [0.01, 0.0, 0.02]
    assert content['encoder_offset'] == {'joint_1': 0.01}


@pytest.mark.parametrize(
    'text', ['gyro_scale: [0.1]', 'streams: {imu/data: {outliers: 1.5}}', 'pose_point: 3']
)
def test_errors_that_cannot_be_are_refused(text):
    with pytest.raises(DescriptionError):
        read_yaml(Sensors, text, 'robot.yaml')

"""Sensors of the base in contradicting conventions are found, among good and bad ones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from streams import flight, ROBOT, STEP

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.monitors.frames import check_frames, FrameMonitor

FLIPPED = np.array([1.0, -1.0, -1.0])
"""From axes forward, left, up to axes forward, right, down."""


def measured(seed=0, rows=1500):
    """Return aligned samples with noise."""
    seen, noise, rng = flight(), ROBOT.noise, np.random.default_rng(seed)
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(rows, 3)))
    twist = seen.twist[:rows] + noise.base_angular_velocity * rng.normal(size=(rows, 6))
    return Record(
        times=100.0 + STEP * np.arange(rows),
        q=seen.positions[:rows, :2],
        qd=seen.velocities[:rows, :2],
        wheel_rates=seen.velocities[:rows, 2:],
        base_twist=twist,
        position=seen.position[:rows] + noise.base_position * rng.normal(size=(rows, 3)),
        attitude=(Rotation.from_quat(seen.attitude[:rows]) * turn).as_quat(),
    )


def messages_of(samples, blocks=20):
    """Return messages on what is found to disagree, block after block."""
    monitor = FrameMonitor(ROBOT.noise)
    for begin in range(0, len(samples), blocks):
        monitor.take(samples[begin : begin + blocks])
    return monitor.disagreements()


def disagreements(samples, blocks=20):
    """Return which topics are found to disagree."""
    return {message.split()[0] for message in messages_of(samples, blocks)}


def with_gyro(samples, change):
    twist = samples.base_twist.copy()
    twist[:, 3:] = change(twist[:, 3:])
    return replace(samples, base_twist=twist)


def with_velocity(samples, change):
    twist = samples.base_twist.copy()
    twist[:, :3] = change(twist[:, :3])
    return replace(samples, base_twist=twist)


def inverted(samples):
    return replace(samples, attitude=Rotation.from_quat(samples.attitude).inv().as_quat())


GYRO = {
    'axes forward, right, down': lambda samples: with_gyro(samples, lambda rate: FLIPPED * rate),
    'degrees': lambda samples: with_gyro(samples, np.rad2deg),
    'the other way round': lambda samples: with_gyro(samples, np.negative),
    'a quaternion from world to body': inverted,
}
VELOCITY = {
    'axes forward, right, down': lambda samples: with_velocity(
        samples, lambda rate: FLIPPED * rate
    ),
    'of the centre of mass': lambda samples: with_velocity(samples, np.zeros_like),
    'millimetres': lambda samples: with_velocity(samples, lambda rate: 1e3 * rate),
}


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('blocks', [1, 7, 400])
def test_F11_good_sensors_agree(seed, blocks):
    assert disagreements(measured(seed), blocks) == set()


HINTS = {
    'axes forward, right, down': 'the gyro looks negated in y and z (NED axes?)',
    'degrees': 'the gyro looks as if in degrees per second',
    'the other way round': 'the gyro looks negated in x and y and z',
    'a quaternion from world to body': 'the quaternion looks like that from the inertial frame',
}


@pytest.mark.parametrize('wrong', GYRO)
def test_F11_a_gyro_against_the_pose_is_found_and_the_mistake_is_named(wrong):
    (found,) = (
        each for each in messages_of(GYRO[wrong](measured())) if each.startswith('imu/data')
    )
    assert found.startswith('imu/data and base_pose disagree about the motion of the base: ')
    assert HINTS[wrong] in found


@pytest.mark.parametrize('wrong', GYRO)
def test_F11_a_log_is_refused_with_the_words_of_the_node(wrong):
    samples = GYRO[wrong](measured())
    with pytest.raises(MeasurementError) as error:
        check_frames(samples, ROBOT.noise, has_twist=True)
    assert str(error.value) == messages_of(samples)[0]


def test_F11_a_pose_that_jumps_now_and_then_is_no_contradiction():
    """By a metre and half a turn, every five seconds, as motion capture does."""
    samples = measured(rows=3000)
    jumps = np.arange(len(samples)) // 500
    turn = Rotation.from_rotvec(np.outer(jumps, [0.0, 0.0, 3.0]))
    jumped = replace(
        samples,
        position=turn.apply(samples.position) + jumps[:, None],
        attitude=(turn * Rotation.from_quat(samples.attitude)).as_quat(),
    )
    for end in range(200, len(samples), 300):
        assert disagreements(jumped[:end]) == set()
    check_frames(jumped, ROBOT.noise, has_twist=True)


def test_F11_sensors_that_agree_again_are_said_to():
    """What was wrong for ten seconds is forgotten after some good spans."""
    samples = measured(rows=3000)
    wrong = np.arange(len(samples)) < 1000
    assert disagreements(with_gyro(samples, lambda rate: rate * FLIPPED)[wrong]) == {'imu/data'}
    flipped = with_gyro(samples, lambda rate: np.where(wrong[:, None], FLIPPED * rate, rate))
    assert disagreements(flipped) == set()


@pytest.mark.parametrize('wrong', VELOCITY)
def test_F11_a_velocity_against_the_pose_is_found(wrong):
    assert disagreements(VELOCITY[wrong](measured())) == {'base_twist'}


def test_F11_a_velocity_in_the_axes_of_the_world_is_found_when_the_base_has_turned():
    samples, turn = measured(), Rotation.from_euler('z', 120.0, degrees=True)
    turned = turn * Rotation.from_quat(samples.attitude)
    samples = replace(samples, attitude=turned.as_quat(), position=turn.apply(samples.position))
    assert disagreements(samples) == set()
    world = turned.apply(samples.base_twist[:, :3])
    assert disagreements(with_velocity(samples, lambda _: world)) == {'base_twist'}


def test_F11_a_quaternion_in_another_order_is_found():
    samples = measured()
    assert disagreements(replace(samples, attitude=np.roll(samples.attitude, 1, axis=1)))


def test_F11_noise_and_a_biased_gyro_of_a_robot_at_rest_are_no_contradiction():
    samples = measured()
    still = replace(
        samples,
        base_twist=1e-5 * np.random.default_rng(1).normal(size=(len(samples), 6)) + 1e-4,
        position=samples.position[:1] + 1e-5 * np.random.default_rng(2).normal(size=(1500, 3)),
        attitude=np.repeat(samples.attitude[:1], len(samples), axis=0),
    )
    assert disagreements(still) == set()


def test_F11_delays_and_holes_are_no_contradiction():
    """A pose that is late by 50 ms, and half a second missing every two seconds."""
    samples = measured()
    late = replace(samples[5:], attitude=samples.attitude[:-5], position=samples.position[:-5])
    assert disagreements(late) == set()
    assert disagreements(samples[np.arange(len(samples)) % 200 > 50]) == set()

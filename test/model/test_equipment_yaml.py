"""Actuators and sensors of the YAML file: read, written, and wrong with file and key."""

import pytest
from robots import dual_arm, servicer
from urdf_examples import read_with_yaml

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.model import (
    Actuators,
    Disturbances,
    JointFriction,
    load_robot,
    PropellerRing,
    Propellers,
    Sensors,
    StreamSettings,
    Thrusters,
    Valves,
    write_robot,
)

ACTUATORS = """
actuators:
  joint_limits: true
  wheel_limits: true
  friction: {hinge: {viscous: 0.5, coulomb: 1e-2}}
  thrusters: {max_force: 10, max_torque: 2, min_impulse: 0.1, min_angular_impulse: 0.02}
  propellers: {ring: {count: 6, radius: 0.2, tilt: 0.9, torque_per_thrust: 0.01}, max_thrust: 3}
"""
RING = Propellers(PropellerRing(6, 0.2, 0.9, 0.01).mixing, 3.0)
SENSORS = """
noise: {rate: 200}
sensors:
  encoder_resolution: 1e-4
  gyro_bias: -2e-5
  gyro_bias_walk: 3e-7
  accelerometer: 0.0
  imu_frame: base
  streams:
    imu/data: {rate: 200, latency: 0.01, dropout: 0.1}
    base_pose: {rate: 25}
"""


VALVES = """
thrusters:
- {name: left, position: [0, 0.1, 0], direction: [1, 0, 0], strength: 0.2}
- {name: right, position: [0, -0.1, 0], direction: [1, 0, 0], strength: 0.2}
actuators:
  valves:
    strength: {left: -0.2}
    direction: {right: [0, 0, 0.02]}
    strength_loss: 0.15
    dead_time: 0.02
    delay: 0.15
    scatter: 0.1
disturbances:
  force: [4e-3, -3e-3, 0]
  torque: [0, 0, 1e-3]
  drag: 0.01
  table: {x: 1e-4, xy: -2e-5}
"""


def test_everything_is_off_by_default():
    """In the shipped robots and in a file that says nothing."""
    for model in (dual_arm(), servicer(), read_with_yaml('')):
        assert model.actuators == Actuators()
        assert model.sensors == Sensors()
        assert model.disturbances == Disturbances()
        assert not model.disturbances.act


def test_actuators_are_what_the_file_says():
    given = read_with_yaml(ACTUATORS).actuators
    friction = {'hinge': JointFriction(0.5, 0.01)}
    assert given == Actuators(True, True, friction, Thrusters(10.0, 2.0, 0.1, 0.02), RING)
    assert given.friction_of('other') == JointFriction()


def test_sensors_are_what_the_file_says():
    given = read_with_yaml(SENSORS).sensors
    streams = {
        'imu/data': StreamSettings(200.0, 0.01, 0.1),
        'base_pose': StreamSettings(25.0),
    }
    assert given == Sensors(1e-4, -2e-5, 3e-7, 0.0, 'base', streams)
    assert given.stream('base_twist') == StreamSettings()


def test_valves_and_disturbances_are_what_the_file_says_and_are_written_again(tmp_path):
    model = read_with_yaml(VALVES)
    turned = {'right': (0.0, 0.0, 0.02)}
    assert model.actuators.valves == Valves({'left': -0.2}, turned, 0.15, 0.02, 0.15, 0.1)
    table = {'x': 1e-4, 'xy': -2e-5}
    assert model.disturbances == Disturbances((4e-3, -3e-3, 0.0), (0.0, 0.0, 1e-3), 0.01, table)
    assert model.disturbances.act
    write_robot(model, tmp_path / 'robot.urdf')
    again = load_robot(tmp_path / 'robot.urdf')
    assert (again.actuators, again.disturbances) == (model.actuators, model.disturbances)


def test_what_is_written_is_read(tmp_path):
    model = read_with_yaml(ACTUATORS + SENSORS)
    write_robot(model, tmp_path / 'robot.urdf')
    again = load_robot(tmp_path / 'robot.urdf')
    assert (again.actuators, again.sensors) == (model.actuators, model.sensors)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('actuators: {power: 1}', r'actuators\.power: unknown key; known are joint_limits'),
        ('actuators: {joint_limits: 1}', r'actuators\.joint_limits: must be true or false, got 1'),
        ('actuators: {friction: {elbow: {}}}', r"actuators\.friction\.elbow: 'elbow' is an unkn"),
        ('actuators: {friction: {hinge: {dry: 1}}}', r'friction\.hinge\.dry: unknown key'),
        ('actuators: {friction: {hinge: {viscous: -1}}}', r'hinge\.viscous: must not be negative'),
        ('actuators: {thrusters: {max_force: 0}}', r'thrusters\.max_force: must be above zero'),
        ('actuators: {thrusters: {min_impulse: .inf}}', r'min_impulse: must be finite'),
        ('actuators: {propellers: {max_thrust: 1}}', r'propellers: needs either a ring or a mix'),
        (
            'actuators: {propellers: {mixing_matrix: [[1, 0], [0, 1]]}}',
            r'propellers\.mixing_matrix: must be six rows',
        ),
        (
            'actuators: {propellers: {ring: {count: 4, radius: 1, tilt: 0.5}}}',
            r'propellers\.ring: must give force and moment in every direction',
        ),
        (
            'actuators: {propellers: {ring: {count: 7, radius: 1, tilt: 0.5}}}',
            r'ring\.count: must be an even number, got 7',
        ),
        (
            'actuators: {propellers: {ring: {count: .inf, radius: 1, tilt: 0.5}}}',
            r'ring\.count: must be a whole number, got inf',
        ),
        (
            'actuators: {propellers: {ring: {count: 1.0e+12, radius: 1, tilt: 0.5}}}',
            r'ring\.count: must be at most 1000, got 1000000000000',
        ),
        (
            'actuators: {valves: {lag: 1}}',
            r'actuators\.valves\.lag: unknown key; known are streng',
        ),
        (
            'actuators: {valves: {strength: {up: 0.1}}}',
            r"strength\.up: 'up' is an unknown thruster",
        ),
        ('actuators: {valves: {direction: {up: 1}}}', r'valves\.direction\.up: '),
        ('actuators: {valves: {strength: {up: -1}}}', r'strength\.up: must be above -1, got -1'),
        ('actuators: {valves: {strength_loss: 1.5}}', r'strength_loss: must be at most 1'),
        ('actuators: {valves: {delay: -0.1}}', r'valves\.delay: must not be negative'),
        ('disturbances: {tilt: 1}', r'disturbances\.tilt: unknown key; known are force, torque'),
        ('disturbances: {drag: -1}', r'disturbances\.drag: must not be negative'),
        ('disturbances: {force: [1, 2]}', r'disturbances\.force: '),
        ('disturbances: {table: {yx: 1}}', r'disturbances\.table\.yx: unknown key; known are x'),
        ('sensors: {gyro: 1}', r'sensors\.gyro: unknown key; known are encoder_resolution'),
        ('sensors: {gyro_bias_walk: -1}', r'sensors\.gyro_bias_walk: must not be negative'),
        ('sensors: {accelerometer: good}', r'sensors\.accelerometer: must be a number'),
        ('sensors: {imu_frame: moon}', r"sensors\.imu_frame: 'moon' is no link that is fixed"),
        ('sensors: {imu_frame: arm}', r"sensors\.imu_frame: 'arm' is no link that is fixed"),
        ('sensors: {streams: {camera: {}}}', r'sensors\.streams\.camera: unknown key'),
        ('sensors: {streams: {base_pose: {rate: 101}}}', r'rate: must not be above the rate of n'),
        ('sensors: {streams: {base_pose: {dropout: 2}}}', r'dropout: must be at most 1, got 2'),
        ('sensors: {streams: {base_pose: {latency: -1}}}', r'latency: must not be negative'),
    ],
)
def test_faults_name_the_key(text, reason):
    with pytest.raises(DescriptionError, match=reason):
        read_with_yaml(text)

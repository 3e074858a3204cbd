"""Sensors that are off, live: what they are off by is found, and what does not show is logged."""

from estimator_sensors import estimator, robots_folder
import numpy as np
from ros_harness import NodeProcess
from scipy.spatial.transform import Rotation

from spacerobot_id.nodes.messages import array_from_vector3, vector3_from_array

TURN, OFFSET = np.array([0.01, -0.02, 0.015]), 0.01


def off(messages):
    """Return messages of a gyro that is turned and of encoders that are off."""
    imu, joints = messages['imu/data'], messages['joint_states']
    turned = Rotation.from_rotvec(TURN).apply(array_from_vector3(imu.angular_velocity), True)
    imu.angular_velocity = vector3_from_array(turned)
    joints.position[0] += OFFSET
    return messages


def test_a_turned_gyro_is_found_live_and_what_does_not_show_is_said(tmp_path_factory):
    """A last joint's offset is one with its link's parameters: it stays as uncertain as it was."""
    folder = robots_folder(tmp_path_factory)
    settings = {'gyro_mounting': 0.05, 'encoder_offset': 0.05}
    with estimator(folder, 'off', **settings) as sensors:
        sensors.fly(1000, off)
        report = sensors.settle()
        found = dict(zip(report['other_names'], report['other_values'], strict=True))
        std = dict(zip(report['other_names'], report['other_std'], strict=True))
        for axis, turn in zip('xyz', TURN, strict=True):
            name = f'gyro_mounting.{axis}'
            assert abs(found[name] - turn) < 4.0 * std[name] < 1e-3
        assert std['encoder_offset.shoulder_left'] > 0.04
        assert abs(report['chi_square'] - 1.0) < 0.1
        assert report['valid']


def test_auto_without_tolerances_ends_the_start_with_a_reason(tmp_path_factory):
    """The node logs what is missing, and in which robot."""
    folder = robots_folder(tmp_path_factory)
    parameters = {'robot': str(folder / 'prior.urdf'), 'calibrate': 'auto'}
    node = NodeProcess('estimator', parameters)
    node.wait_for_output('calibrate: auto needs tolerances in')
    node.stop()
    assert 'Traceback' not in node.final_output

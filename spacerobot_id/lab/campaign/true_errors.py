"""Errors of sensors and geometry that a run had, by the calibrations that would find them."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.campaign.draws.setting import RunSetting
from spacerobot_id.model import RobotModel

_DELAYED = {
    'delay.imu': 'imu/data',
    'delay.base_twist': 'base_twist',
    'delay.base_pose': 'base_pose',
}
"""Streams by the calibrations of their delays."""

_OF_SENSORS = (
    'gyro_mounting',
    'gyro_scale',
    'twist_point',
    'twist_mounting',
    'twist_scale',
    'pose_point',
    'pose_mounting',
)
"""Calibrations that are three numbers of the sensors, of the same names."""

_ROUNDING = 1e-12


def true_errors(used: RunSetting, prior: RobotModel) -> frozenset[str]:
    """Return the calibrations whose unknowns are not zero in a run.

    Parameters
    ----------
    used : RunSetting
        What the run was flown with.
    prior : RobotModel
        Robot as the method knows it.
    """
    robot, sensors, start = used.robot, used.robot.sensors, used.start
    found = {key for key in _OF_SENSORS if any(getattr(sensors, key))}
    beside = sensors.stream('joint_states').delay
    late = {each.fault.key.removeprefix('F16 skew ') for each in used.faults.values()}
    found |= {
        key
        for key, stream in _DELAYED.items()
        if sensors.stream(stream).delay != beside or stream in late
    }
    there = {
        'encoder_offset': any(sensors.encoder_offset.values()),
        'gyro_bias': bool(sensors.gyro_bias or sensors.gyro_bias_walk),
        'angular_momentum': _is_some(np.array(start.angular_momentum)),
        'linear_momentum': _is_some(np.array(start.linear_momentum)),
        'joint_axis': _is_some(_axes(robot) - _axes(prior)),
        'joint_origin': _is_some(_origins(robot) - _origins(prior)),
        'wheel_scale': _is_some(_spins(robot) - _spins(prior)),
    }
    return frozenset(found | {key for key, is_there in there.items() if is_there})


def _is_some(numbers: NDArray[np.float64]) -> bool:
    """Return whether any of some numbers is more than rounding."""
    return bool((np.abs(numbers) > _ROUNDING).any())


def _axes(robot: RobotModel) -> NDArray[np.float64]:
    return np.array([joint.R_PC for joint in robot.tree_joints])


def _origins(robot: RobotModel) -> NDArray[np.float64]:
    return np.array([joint.p_PC_P for joint in robot.tree_joints])


def _spins(robot: RobotModel) -> NDArray[np.float64]:
    return np.array([wheel.spin_inertia for wheel in robot.wheels])

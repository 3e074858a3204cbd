"""Errors of good sensors and joints, by the settings of their calibrations, rad, m, s or 1."""

import numpy as np

DEGREE = np.pi / 180.0
GOOD_HARDWARE = {
    'encoder_offset': 0.5 * DEGREE,
    'joint_axis': 0.1 * DEGREE,
    'joint_origin': 1e-3,
    'gyro_mounting': 0.5 * DEGREE,
    'gyro_scale': 2e-3,
    'twist_point': 5e-3,
    'twist_mounting': 0.5 * DEGREE,
    'twist_scale': 2e-3,
    'pose_point': 5e-3,
    'pose_mounting': 0.5 * DEGREE,
    'delay.imu': 5e-3,
    'delay.base_twist': 5e-3,
    'delay.base_pose': 5e-3,
}

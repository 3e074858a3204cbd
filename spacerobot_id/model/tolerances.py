"""Which tolerances and known errors of sensors and geometry a robot's YAML file can give."""

TOLERANCES = {
    'encoder_offset': 'rad or m',
    'joint_axis': 'rad',
    'joint_origin': 'm',
    'gyro_bias': 'rad/s',
    'gyro_mounting': 'rad',
    'gyro_scale': '1',
    'twist_point': 'm',
    'twist_mounting': 'rad',
    'twist_scale': '1',
    'pose_point': 'm',
    'pose_mounting': 'rad',
    'delay.imu': 's',
    'delay.base_twist': 's',
    'delay.base_pose': 's',
    'wheel_scale': '1',
}
"""Units of the tolerances by their names, which are those of the estimator's settings."""

CALIBRATED = {
    'gyro_mounting': 3,
    'gyro_scale': 3,
    'twist_point': 3,
    'twist_mounting': 3,
    'twist_scale': 3,
    'pose_point': 3,
    'pose_mounting': 3,
    'delay.imu': 1,
    'delay.base_twist': 1,
    'delay.base_pose': 1,
}
"""Numbers of the errors of sensors that a robot's YAML file can state, in the same units."""

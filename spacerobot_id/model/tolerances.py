"""Which tolerances a robot's YAML file can give: how far sensors and geometry may be off."""

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

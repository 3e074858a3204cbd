"""Start the three nodes for a robot with thrusters and an arm on an air-bearing table."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('spacerobot_id')
ARGUMENTS = [  # besides those of the included file
    DeclareLaunchArgument(
        'params_file',
        default_value=PathJoinSubstitution([SHARE, 'config', 'air_bearing.yaml']),
        description='YAML file of parameters.',
    ),
    DeclareLaunchArgument(
        'robot',
        default_value=PathJoinSubstitution([SHARE, 'config', 'robots', 'air_bearing.urdf']),
        description='URDF of the robot to simulate, its YAML file beside it.',
    ),
]


def generate_launch_description():
    arguments = {name: LaunchConfiguration(name) for name in ('params_file', 'robot')}
    identify = IncludeLaunchDescription(
        PathJoinSubstitution([SHARE, 'launch', 'identify.launch.py']),
        launch_arguments=arguments.items(),
    )
    return LaunchDescription([*ARGUMENTS, identify])

"""Start simulator, planner and estimator for a free-flyer that has grasped an unknown object."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('spacerobot_id')
ROBOTS = PathJoinSubstitution([SHARE, 'config', 'robots'])
ARGUMENTS = [  # besides those of the included file
    DeclareLaunchArgument(
        'params_file',
        default_value=PathJoinSubstitution([SHARE, 'config', 'free_flyer.yaml']),
        description='YAML file of parameters.',
    ),
    DeclareLaunchArgument(
        'robot',
        default_value=PathJoinSubstitution([ROBOTS, 'space_cobot_loaded.urdf']),
        description='URDF of the robot to simulate, its load with it, its YAML file beside it.',
    ),
    DeclareLaunchArgument(
        'prior',
        default_value=PathJoinSubstitution([ROBOTS, 'space_cobot.urdf']),
        description='URDF that planner and estimator are given: the robot without its load.',
    ),
]


def generate_launch_description():
    names = ('params_file', 'robot', 'prior')
    whole = IncludeLaunchDescription(
        PathJoinSubstitution([SHARE, 'launch', 'identify.launch.py']),
        launch_arguments={name: LaunchConfiguration(name) for name in names}.items(),
    )
    return LaunchDescription([*ARGUMENTS, whole])

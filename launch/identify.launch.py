"""Start simulator, planner and estimator: a whole identification on one machine."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, PythonExpression
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('spacerobot_id')
ROBOT = LaunchConfiguration('robot')
ARGUMENTS = [  # besides those of the two included files
    DeclareLaunchArgument(
        'use_sim_time', default_value='true', description='Take the time from /clock.'
    ),
    DeclareLaunchArgument(
        'robot',
        default_value=PathJoinSubstitution([SHARE, 'config', 'robots', 'naveen_dual_arm.urdf']),
        description='URDF of the robot to simulate, its YAML file beside it.',
    ),
    DeclareLaunchArgument(
        'prior',
        default_value=PythonExpression(["'", ROBOT, "'.removesuffix('.urdf') + '_prior.urdf'"]),
        description='URDF that planner and estimator are given; by default ROBOT_prior.urdf.',
    ),
]


def included(name, robot):
    """Return another launch file of this package, given this robot, in a scope of its own."""
    path = PathJoinSubstitution([SHARE, 'launch', f'{name}.launch.py'])
    include = IncludeLaunchDescription(path, launch_arguments={'robot': robot}.items())
    return GroupAction([include])


def generate_launch_description():
    return LaunchDescription(
        [
            *ARGUMENTS,
            included('simulator', ROBOT),
            included('onboard', LaunchConfiguration('prior')),
        ]
    )

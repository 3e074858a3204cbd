"""Start simulator, planner and estimator: a whole identification on one machine."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, PythonExpression
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
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
    DeclareLaunchArgument(
        'rviz',
        default_value='false',
        choices=['true', 'false'],
        description='Start RViz, and let the estimator publish the frames of base and links.',
    ),
]


def included(name, **arguments):
    """Return another launch file of this package, given these arguments, in a scope of its own."""
    path = PathJoinSubstitution([SHARE, 'launch', f'{name}.launch.py'])
    return GroupAction([IncludeLaunchDescription(path, launch_arguments=arguments.items())])


def viewer():
    """Return the action that starts RViz if that is asked for."""
    view = PathJoinSubstitution([SHARE, 'config', 'views', 'identify.rviz'])
    return Node(
        package='rviz2',
        executable='rviz2',
        name='rviz',
        arguments=['-d', view],
        parameters=[
            {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
        ],
        condition=IfCondition(LaunchConfiguration('rviz')),
    )


def generate_launch_description():
    return LaunchDescription(
        [
            *ARGUMENTS,
            included('simulator', robot=ROBOT),
            included(
                'onboard',
                robot=LaunchConfiguration('prior'),
                publish_tf=LaunchConfiguration('rviz'),
            ),
            viewer(),
        ]
    )

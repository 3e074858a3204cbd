"""Start planner and estimator, for a robot whose drivers run already."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

CONFIG = PathJoinSubstitution([FindPackageShare('spacerobot_id'), 'config'])
ARGUMENTS = [
    DeclareLaunchArgument('namespace', default_value='', description='Namespace to start in.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', description='Take the time from /clock.'
    ),
    DeclareLaunchArgument(
        'params_file',
        default_value=PathJoinSubstitution([CONFIG, 'identify.yaml']),
        description='YAML file of parameters.',
    ),
    DeclareLaunchArgument(
        'robot',
        default_value=PathJoinSubstitution([CONFIG, 'robots', 'naveen_dual_arm_prior.urdf']),
        description='URDF of the robot as far as it is known, its YAML file beside it.',
    ),
    DeclareLaunchArgument('log_level', default_value='info', description='Level of the log.'),
]


def onboard_node(name):
    """Return the action that starts one of the two nodes."""
    return Node(
        package='spacerobot_id',
        executable=name,
        name=name,
        namespace=LaunchConfiguration('namespace'),
        parameters=[
            LaunchConfiguration('params_file'),
            {
                'robot': ParameterValue(LaunchConfiguration('robot'), value_type=str),
                'use_sim_time': ParameterValue(
                    LaunchConfiguration('use_sim_time'), value_type=bool
                ),
            },
        ],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        output='screen',
    )


def generate_launch_description():
    return LaunchDescription([*ARGUMENTS, onboard_node('planner'), onboard_node('estimator')])

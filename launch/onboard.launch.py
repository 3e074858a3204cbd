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
    DeclareLaunchArgument(
        'publish_tf',
        default_value='false',
        description='Let the estimator publish the frames of base and links on /tf.',
    ),
    DeclareLaunchArgument('log_level', default_value='info', description='Level of the log.'),
]


def typed(argument, value_type):
    """Return the value of an argument as a parameter."""
    return ParameterValue(LaunchConfiguration(argument), value_type=value_type)


def onboard_node(name, **parameters):
    """Return the action that starts one of the two nodes, with parameters of its own."""
    return Node(
        package='spacerobot_id',
        executable=name,
        name=name,
        namespace=LaunchConfiguration('namespace'),
        parameters=[
            LaunchConfiguration('params_file'),
            {
                'robot': typed('robot', str),
                'use_sim_time': typed('use_sim_time', bool),
                **parameters,
            },
        ],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        output='screen',
    )


def generate_launch_description():
    estimator = onboard_node('estimator', publish_tf=typed('publish_tf', bool))
    return LaunchDescription([*ARGUMENTS, onboard_node('planner'), estimator])

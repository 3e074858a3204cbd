"""Start the simulated robot alone."""

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
        'use_sim_time', default_value='true', description='Take the time from /clock.'
    ),
    DeclareLaunchArgument(
        'params_file',
        default_value=PathJoinSubstitution([CONFIG, 'identify.yaml']),
        description='YAML file of parameters.',
    ),
    DeclareLaunchArgument(
        'robot',
        default_value=PathJoinSubstitution([CONFIG, 'robots', 'naveen_dual_arm.urdf']),
        description='URDF of the robot to simulate, its YAML file beside it.',
    ),
    DeclareLaunchArgument('log_level', default_value='info', description='Level of the log.'),
]


def generate_launch_description():
    simulator = Node(
        package='spacerobot_id',
        executable='simulator',
        name='simulator',
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
        remappings=[('clock', '/clock')],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        output='screen',
    )
    return LaunchDescription([*ARGUMENTS, simulator])

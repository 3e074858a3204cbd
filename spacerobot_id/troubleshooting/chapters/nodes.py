"""Messages of nodes."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

NODES = Chapter(
    'Nodes',
    'Messages in the log of a node, in answers of its services, and in `~/status`.',
    (
        Trouble(
            'Nothing happens after the start',
            (
                'no subscriber on ...',
                'use_sim_time is true and time stands still: nothing new on ... for ... s',
                'nothing to stop: ...',
                'no plan yet',
                'too busy',
                '...: service not available',
                '...: no such service is there now',
                '...: not within ... s',
                '...: no answer within ... s',
            ),
            'Nodes that do not discover each other: another namespace, another `ROS_DOMAIN_ID`, a '
            'controller that is not active, or `use_sim_time` without `/clock`. A planner moves '
            'nothing until `~/start_excitation` is called.',
            '`ros2 node list`, `ros2 topic info -v /joint_trajectory`, `ros2 lifecycle get '
            '/planner`; then `ros2 service call /planner/start_excitation std_srvs/srv/Trigger` '
            'and `ros2 topic echo /planner/status`.',
        ),
        Trouble(
            'A node cannot be configured',
            (
                'cannot ...: ...',
                'transition ...: not allowed while ...',
                'cannot go on: ...',
                'cannot close: ...',
                'wrong arguments: ...',
                '... ended with code ...; see ...',
                '--live: the node failed: ...',
                '--live: the node did not end in ... s',
            ),
            'The node stays unconfigured, or ends; the reason is behind it.',
            'Do what the reason asks for, then `ros2 lifecycle set /NODE configure`, or start it'
            ' again.',
        ),
        Trouble(
            'No robot description',
            (
                'robot: the path of a URDF is needed...',
                'robot: nothing was published on ... within ... s; ...',
                'robot_yaml: ...: cannot be read: ...',
            ),
            '`robot` is empty, or there is no publisher of the topic `robot_description`.',
            '`-p robot:=/path/robot.urdf`; or start robot_state_publisher first, or raise '
            '`description_timeout`.',
        ),
        Trouble(
            'Too many names',
            ('get_estimate: ... names at once, of which the first ... are answered',),
            'A program asks for more than there is to know; what is beyond answers NOT_SET.',
            'Ask for the names that you need: `names` has those of all parameters.',
        ),
        Trouble(
            'Parameters refused',
            (
                'parameters refused: ...',
                'parameter ... was given and is unknown here',
            ),
            'A value out of its range, one that cannot change while the node runs, or a name '
            'that this node does not have: a parameter file of another node.',
            '[Parameters](../parameters.md) has names, ranges and meanings; `/**/estimator:` in '
            'a file matches any namespace.',
        ),
        Trouble(
            'An error inside a node',
            (
                '... failed and was skipped (... such errors so far): ...',
                'update failed and was skipped: ...: ...',
                'the estimator does not know a part of its estimate',
            ),
            'A callback raised an error. The message was skipped and the node goes on.',
            'If it comes again it is a fault of the package: report it with the log of the node.',
        ),
        Trouble(
            'Packages of messages',
            (
                '...: ... needs the package ..., which is not installed here: ...',
                '...: ... has no ...',
                '...; frames are not published',
                'pose_type: means nothing beside an adapter',
            ),
            'An adapter or output names a type whose package is not installed, or that does not '
            'exist in it; `publish_tf` needs tf2_msgs.',
            'Install `ros-$ROS_DISTRO-PACKAGE`, and source the workspace that has it.',
        ),
        Trouble(
            'Checkpoint',
            (
                '...: cold start: ...',
                '...: no checkpoint: ...',
                '...: what was refused is kept as ...',
                '...: not removed: ...',
                'it is of another description or other settings',
                'it is of another method',
                'it is of another source of the base velocity',
                'its version is ..., wanted is ...',
                'it is damaged...',
                'it is damaged: ... is not there or holds no numbers',
                'it is damaged: shown are no variances',
            ),
            'The file belongs to another robot, method, settings of it or version, or was cut '
            'off; or it cannot be written.',
            'Nothing, if you changed one of these: the estimator begins with the prior, and keeps '
            'what was refused beside. Otherwise look at `checkpoint_file`.',
        ),
        Trouble(
            'Files that are not written',
            (
                '...: not written: ...',
                '...: nothing will be written: ...',
                '... is a folder',
                '... is no folder',
                '... is no regular file',
                '... is a symbolic link',
                '... is not writable',
                'save_file is not set',
                'save_file: is that of the JSON; the page is beside it',
                "the page's charts need plotly, which is not installed: pip install plotly",
            ),
            'A file is in a folder that may not be written to, or is there as a device, a pipe or '
            'a link, which are never replaced; `~/save` has no file; or plotly is missing.',
            'Name the file itself; set `save_file` to a path that ends with `.json`; `pip install '
            'plotly`.',
        ),
        Trouble(
            'The drives of the base are turned off',
            ('base_wrench: nothing for ... s, drives off',),
            'Who commanded the base has ended or is silent; the wrench it asked for last would '
            'push on for ever.',
            'See whether the planner still runs; `base_wrench_timeout` of the simulator is how '
            'long a wrench lasts.',
        ),
        Trouble(
            'The simulator is slow',
            (
                'cannot keep up: time is slow',
                'stamped ... s ahead of simulated time',
                '... % of the samples are used',
                '... is what it keeps',
            ),
            'The computer is busier than `real_time_factor` allows; commands are stamped by '
            'another clock.',
            'Lower `real_time_factor`; start all nodes with `use_sim_time: true` and `/clock` '
            'remapped as the launch files do.',
        ),
    ),
)

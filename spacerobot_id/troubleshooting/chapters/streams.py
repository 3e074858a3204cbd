"""Messages about streams and sensors."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

STREAMS = Chapter(
    'Sensors and messages',
    'Published live in `/diagnostics` by topic and once in the log, and of logs by `identify`, '
    'with the number of messages.',
    (
        Trouble(
            'Waiting for a topic',
            (
                'waiting for ...',
                'no message received ...',
                'silent',
            ),
            'No message has come on this topic, or none that is good. The estimate stands still.',
            '`ros2 topic hz` the topic; remap it, set `namespace`, or use an adapter '
            '([adapters](../adapters.md)); see the status of the topic for the reason of a '
            'refusal.',
        ),
        Trouble(
            'The value is frozen',
            ('value is frozen: the same in ... samples, while the robot moves',),
            'A sensor repeats its last value bit for bit while stamps go on and other sensors '
            'show that the robot moves: a driver that hangs, motion capture that lost its '
            'markers, an encoder without power.',
            'Restart the driver. The samples are not used until the value changes. A sensor of '
            'coarse steps that rightly repeats itself: raise `frozen_samples`, or set it to 0.',
        ),
        Trouble(
            'Encoder glitches',
            ('encoder glitch of ...',),
            'The position of a joint jumped farther than any motion explains and was back within '
            'three readings: a bit error, or a counter that was read while it changed.',
            'These readings are not used; that is no error as long as they are few. Many: cable, '
            'connector or driver of the encoder. Jumps that stay are no glitches and are kept.',
        ),
        Trouble(
            'Gyro or velocity against the pose',
            (
                '... and ... disagree about the motion of the base: ...',
                '... looks turned by (...) deg',
                '... is ... times what it should be: another unit?',
                'the gyro looks as if ...',
                'the quaternion looks like ...',
                'the twist looks as if in inertial axes',
                '... looks negated in ...',
                '... looks as if its axes were exchanged: ...',
                'wrong frame, axes, unit or point, or a frozen value',
            ),
            'Attitude and gyro, or position and velocity, describe different motions: NED axes '
            'against ENU, FRD against FLU, a quaternion in w x y z order, degrees, an inertial '
            'frame in place of the body frame.',
            'The likely mistake is named behind it. A gyro that is NED, or FRD, is put right by '
            '`axes: {world: ned, body: frd}` in an adapter, or by the frame of the IMU in the '
            'URDF. The estimate is not valid while it lasts.',
        ),
        Trouble(
            'No base_twist',
            (
                'no base_twist: the motion of the centre of mass is followed by base_pose; ...',
                'base_twist has come',
                'base_twist: ... messages are too few; base_pose gives the velocity',
                'neither base_twist nor base_pose is in the log',
                'base_velocity: ... needs a measured base velocity',
            ),
            'No velocity of the base is measured. That is no error: the position of the base is '
            'followed instead, or a local polynomial over the poses gives the velocity.',
            'Nothing. Where the robot moves far from one pose to the next, or there is no gyro, '
            'use `momentum_balance`; with no position at all `angular_momentum`. Methods of '
            'least squares need the velocity.',
        ),
        Trouble(
            'Frame of a message',
            (
                'frame ... is neither the base ... nor the frame of the pose ...',
                'frame ... is not in the description...',
                '; the setting imu_frame says which frame an IMU is without one',
                'frame ... is not fixed to the base',
                'frame ..., not the base ...',
                '... is no link that is fixed to the base',
                'no poses within ... s to turn it to base axes with',
                'no pose to turn it to base axes with',
            ),
            'The `frame_id` (or `child_frame_id`) of the message is none that the description '
            'has on its base, so that the mounting of the sensor is not known.',
            'Name the link that carries the sensor, joined by fixed joints to the base, in the '
            'URDF; `imu_frame` for an IMU that names none; a twist is in the base link or in the'
            ' frame of the pose.',
        ),
        Trouble(
            'Joints of joint_states',
            (
                'joint ... is missing',
                'a joint is named twice',
                '...: a joint is named twice',
                '... of ... is not provided',
                'a position is not provided',
                '... ... values for ... joints',
                'joint_states: ...',
            ),
            'A joint of the description is not in the message, is there twice, or its velocity '
            'is empty or NaN, which joint_state_broadcaster sends for interfaces that do not '
            'exist.',
            'Publish all joints that move, with velocities. Of joints that never have any '
            '`momentum` derives them from positions, and of wheels whose largest rate '
            '(`max_rate`) is below half a turn per message. Make joints that never move `fixed`, '
            'or rename with an adapter.',
        ),
        Trouble(
            'Numbers that cannot be',
            (
                'has NaN or infinity',
                'is too large to be measured',
                'quaternion is not of unit length',
                'angular velocity is marked as not provided',
            ),
            'NaN, infinity, 1e9, a quaternion of zeros, or a covariance of -1, which marks a '
            'quantity of an IMU as not provided.',
            'The message is refused and counted. Ask the driver why.',
        ),
        Trouble(
            'Stamps',
            (
                'has the stamp of the sample before',
                'is older than the sample before',
                'has a stamp far from the sample before',
                'goes on from others after a jump of the clock',
                'has no stamp',
                '...: the clock has jumped; buffers cleared',
            ),
            'Two publishers, a clock that was set, a bag in a loop, a simulator that was reset, '
            'or stamps that a driver does not fill.',
            'Use `header.stamp` of the measurement, one clock on all computers (chrony, PTP), '
            '`use_sim_time` with bags. After a jump buffers are cleared and the estimate is '
            'kept.',
        ),
        Trouble(
            'Readings far off',
            ('is far from the readings around it',),
            'A reading of a fast sensor that no motion explains: a bit that flipped, a bad '
            'connector. It is left out where readings are averaged.',
            'Nothing, if there are few. Often: look at cable, connector or driver.',
        ),
        Trouble(
            'A pose jumps',
            (
                'is far from the poses around it',
                'new origin at ... s: positions jumped by (...) m',
            ),
            'A pose that no motion explains. One alone is refused; when those after it go on '
            'from there, the origin has moved (a new calibration of the motion capture, another '
            'rigid body).',
            'Nothing; a new origin is put back and logged once. Often: look at the motion '
            'capture.',
        ),
        Trouble(
            'Wrong thrusters',
            (
                'the description has no thrusters',
                'thruster ... is not in the description',
                'a thruster is named twice',
                '... effort values for ... thrusters',
                'thruster_commands came ... s after their stamp',
                'thruster commands: ... is to open to ..., not 0..1',
            ),
            '`thruster_commands` names thrusters that the YAML file of the robot does not have, '
            'or gives no share between 0 and 1 for each.',
            'Give `thrusters` the names of the commands, or rename by an adapter; send commands '
            'ahead of their stamp.',
        ),
        Trouble(
            'Counters in diagnostics',
            (
                'not aligned',
                'dropped from full buffers',
                'clock jumps',
                'callback errors',
                'updates waiting',
                'updates dropped',
            ),
            'Samples without others of their time; samples that had to go because others did not'
            ' come; jumps of the clock; errors in callbacks; samples that wait for the computer,'
            ' and that it was too slow for.',
            'Counters that stand still are history. Where `updates dropped` grows, lower '
            '`most_rate`, or take fewer calibrations (`spacerobot-id bench ROBOT.urdf` shows what'
            ' a rate costs).',
        ),
        Trouble(
            'Several publishers',
            (
                '... has ... publishers',
                '... publishers',
            ),
            'Two nodes publish one topic: a simulator left running, or a bag played beside the '
            'robot.',
            '`ros2 topic info -v` names them; stop one. Drivers of different joints may share '
            '`joint_states`.',
        ),
        Trouble(
            'A sensor states another noise',
            (
                'imu/data states a noise of ... rad/s, the description ... rad/s',
                'imu/data: its covariance states a noise of ... rad/s, which no gyro has; ...',
            ),
            'The covariance of the messages goes before `noise` of the description, unless it '
            'states less than a hundredth of that: a number that stands for none.',
            'Nothing, if the covariance is right. Otherwise set `gyro_noise`.',
        ),
        Trouble(
            'A topic was refused and is good again',
            (
                '...: rejected: ...',
                'rejected: ...',
                '...: good again',
                'the sensors of the base agree',
                '...: ... of ... messages were not used',
            ),
            'The first message that is refused is logged, not each; the rest is counted by '
            'reason.',
            'See the reason.',
        ),
    ),
)

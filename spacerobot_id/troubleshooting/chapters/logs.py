"""Messages about logs and adapters."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

LOGS = Chapter(
    'Logs and adapters',
    'Messages of `identify`, `report`, `model --log` and `topics`; those of adapters by the '
    'estimator, too.',
    (
        Trouble(
            'No messages on a topic',
            (
                '...: no messages on ...; topics are ...',
                '...: no topic gives ...',
                '...: no topic ...; topics are ...',
                '--out: no topic looks like one that a robot is identified from',
                '... is not in the log',
                'an unknown momentum needs base_pose, which is not in the log',
            ),
            'The log has the topic under another name or in a namespace, or it was not recorded.',
            '`spacerobot-id topics BAG` lists what is there. `--topic NAME:=TOPIC`, '
            '`--namespace`, or `--adapter`.',
        ),
        Trouble(
            'No complete sample',
            (
                'no complete sample; missing: ...',
                'samples that fit together',
                '...: no other samples around it',
                '...: no sample comes after the first wrench. ...',
                'no wrench is known at the first sample',
            ),
            'Topics are there, but never all at one time: clocks differ, one of them ended '
            'before the other began, or a topic is too slow to be interpolated.',
            'Look how stamps lie against receipt (`spacerobot-id topics BAG`); put clocks right '
            'with `stamp: {offset: ...}` or `receipt: true` of an adapter; raise '
            '`longest_bracket` for slow topics, or use `momentum_balance`.',
        ),
        Trouble(
            'Logs without rosbags',
            (
                'logs are read and written with rosbags, which is not installed: pip install '
                'rosbags',
            ),
            'The package was installed by ROS 2, which has no such package; nodes need none.',
            '`pip install rosbags`.',
        ),
        Trouble(
            'The log cannot be read',
            (
                '...: a size in it is larger than the memory',
                '...: no rosbag2 folder that can be read: ...',
                'the bag has no definition of ...',
                'its messages are in ..., not in CDR',
                'a message cannot be read: ...',
                'it is no mcap file',
                'a chunk is damaged',
                'a chunk has another size than stated',
                'chunks are compressed by ...',
                'a text is longer than its record',
                'no file in it that ends in ...',
                '...: no rosbag2 folder that can be read: not there',
                '...: no rosbag2 folder that can be read: it ends in none of ...',
                '...: ... has messages of ..., not of ...',
                '...: ... changes: ...',
                '...: cannot be written: ...',
                '...: a folder of sqlite3 can have no ?, # or % in its name',
            ),
            'The files are damaged, of another format or version, or of types that are not known '
            'here: sqlite3 keeps no definitions before ROS 2 Iron.',
            'Give the folder of the log; record with `-s mcap`, which keeps definitions. Another '
            'type on a topic: an adapter states how it is read.',
        ),
        Trouble(
            'A log that is not whole',
            (
                '...: ...: ... of ... messages could not be read: ...',
                '...: ...: ... messages were read of the ... that metadata.yaml states',
                '...: was not closed: the messages that it has whole were read',
                '...: was not closed: what ... has was read, too',
                '...: metadata.yaml is missing or damaged: all files there are were read',
                '...: is named in metadata.yaml, and not there',
                '...: is not named in metadata.yaml, and was not read',
                '...: is empty',
                'the index lacks messages',
                'the index leads elsewhere',
                'an index has another size than stated',
                'messages are not in chunks',
            ),
            'The recording was cut off, as by a loss of power, or files of it were moved, copied '
            'or left out. What there is was read.',
            'Where what is missing matters: copy the folder again, whole, the files `-wal` of '
            'sqlite3 among them; `ros2 bag reindex FOLDER` writes `metadata.yaml` again.',
        ),
        Trouble(
            'Fields of an adapter',
            (
                '...: ... has no field ...; it has ...',
                '... has no field ...',
                '...: there are only ... values',
                '... is ..., neither numbers nor a vector',
                '... is ..., not a number',
                '...: ... values, not ...',
                '... is ..., which the adapter does not know',
                'attitude is missing',
                'names are missing',
                '... is missing',
                'needs a unit: it is a number',
                'is a time and has no unit',
                'gives no fields, as ... needs none; ... does',
                'in: body or world is needed where axes are given',
                'must be body, or the name of a frame on the base',
                '... gives nothing; it needs one of ...',
                'states what open is of shares, which are missing',
                'must be fields such as pose.position or data[1:9], got ...',
            ),
            'The adapter names a field that the message does not have, or leaves out one that '
            'the quantity needs.',
            'The message has file, key and what is there. `spacerobot-id topics BAG` proposes '
            'an adapter; [adapters by key](adapter_yaml.md).',
        ),
        Trouble(
            'Axes, units and orders of an adapter',
            (
                '...: not the axes of a rotation',
                '... is none of x, y, z, -x, -y, -z',
                'must be ... or three of x, y, z, -x, -y, -z, got ...',
                'unknown unit ...; known are ...',
                'must be xyzw or wxyz, got ...',
                'is of a quaternion',
                'is of receipt: true',
                'means nothing beside receipt',
                'must be true, or left out',
            ),
            'Axes that mirror, a unit that is not known, or keys that exclude each other.',
            'See [adapters by key](adapter_yaml.md).',
        ),
        Trouble(
            'Thrusters of the adapter and of the description',
            ('...: thrusters: ... are not those of ...: ...',),
            'Both name thrusters, and the names differ.',
            'Use the same names, or leave `thrusters` out of one.',
        ),
        Trouble(
            'Poses or torques are needed',
            (
                '... needs the attitude of base_pose',
                '... needs base_pose and base_wrench or applied_wrench',
                '... needs joint_states and base_pose',
                'this method needs the torques of all joints (effort)',
                '...: torques take wheels on the base only',
                'noise: base_position and base_attitude are needed by the method ...',
                'force_walk: positions cannot be predicted under forces that walk; ...',
                'base_wrench or applied_wrench',
                'effort in joint_states',
            ),
            'The method takes a topic, or a size of noise, that is not there.',
            '[Which method for my sensors](which_method.md) shows which methods do without.',
        ),
        Trouble(
            'Several logs',
            (
                '--method: ... fits one bag; several are for momentum_balance',
                '... have no parameters in common: methods and robots must find the same ones',
                '...: a result alone; give two or more to compare them',
                '...: is no result of an identification',
                '...: its parameters do not belong together',
            ),
            'Logs of several flights are fitted as one by `momentum_balance` only; results are '
            'compared when they share parameters.',
            '`report BAG BAG` makes one page each and compares them.',
        ),
    ),
)

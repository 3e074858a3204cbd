"""Messages about URDFs and the YAML file beside them."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

DESCRIPTIONS = Chapter(
    'Robot descriptions',
    'Errors and warnings name file and element. What a warning is about can still be used.',
    (
        Trouble(
            'The file cannot be read',
            (
                'cannot be read: ...',
                '...: cannot be read: ...',
                'is no UTF-8 text: ...',
                'no encoding ...',
                'no XML: ...',
                '...no YAML: ...',
                'the outermost element must be <robot>',
                'a document type declaration may define entities or read other files and is '
                'refused',
                '...: ... is neither a file nor one of ...',
                '...: is not among the files of ...',
            ),
            'No such file, or one that is not URDF or YAML.',
            'Check path and encoding; `python -m xml.dom.minidom FILE` shows where XML breaks.',
        ),
        Trouble(
            'No YAML file',
            ('has no YAML file beside it: ...',),
            'A URDF has neither reaction wheels nor noise of sensors nor limits of acceleration: '
            'the robot has no wheels then, its sensors are taken for perfect where messages state '
            'nothing, and its deviations are far too small.',
            'Write `ROBOT.yaml` beside `ROBOT.urdf`, or name one with `--robot-yaml`.',
        ),
        Trouble(
            'Macros of a URDF',
            (
                'macros must be expanded first, ...',
                'its macros cannot be expanded...',
                'the package ... is not found',
            ),
            'The file uses xacro.',
            '`pip install xacro`, or `xacro ROBOT.urdf.xacro > ROBOT.urdf`; source the workspace'
            ' of packages it includes.',
        ),
        Trouble(
            'Numbers that look like other units',
            (
                'by its mass and inertia its density is about ... kg/m^3, which no robot has: '
                'masses are in kg, inertias in kg m^2',
                'it is ... times the size of its link, by mass and inertia, away from the joint '
                'before: lengths are in m',
                'its limits reach ... rad, which look like degrees: angles are in rad',
                'its <origin> turns by ... rad, which looks like degrees: angles are in rad',
            ),
            'The description is in grams, millimetres or degrees, as CAD programs export it.',
            'Export it in SI units, or convert it. Where the numbers are right the warning can '
            'be passed over: nothing is changed by it.',
        ),
        Trouble(
            'Names of links that are no names of topics',
            (
                'link ... has a name that no topic can have: it is published ...',
                'nowhere, as another has its topic',
            ),
            'Topics of ROS have letters, digits and underscores alone; other characters of a '
            'name are published as underscores.',
            'Nothing has to be done; subscribe to the topic that is named, or rename the link.',
        ),
        Trouble(
            'Links and joints that do not make a tree',
            (
                'it is part of a cycle of joints...',
                'no joint leads to it, nor to ...: a robot has one root link',
                'it has two parents, ... and ...',
                'its ... link ... is unknown',
                'the robot has no links',
                'two ...s have this name',
                'neither it nor any other link has mass',
            ),
            'A robot is a tree with one root; a parent or child is misspelt, or a loop is closed.',
            'Correct the names; open closed loops by leaving out one joint, or describe what '
            'follows by `<mimic>`.',
        ),
        Trouble(
            'Joints that are not supported',
            (
                'joints of type ... are not supported',
                '... joints are not supported, but for one from a root link without mass to the '
                'base; ...',
                'it mimics ..., and so itself',
                'it mimics ..., which has no position of one number',
                'it mimics ..., which is an unknown joint',
                'its limits leave no position to ..., which it mimics; ...',
                'its axis is zero',
                'its axis is too long to have a direction',
                'its limit of velocity or effort is negative, which is taken for none',
                'the soft limits ... and ... of its <safety_controller> leave it no motion; they '
                'are passed over',
                'the lower limit ... is above the upper limit ...',
                'a ... joint needs a <limit>; its motion is taken as unlimited',
                '...; no motion of it can be planned',
                'its lower limit ... is above its upper limit ...; ...',
            ),
            'Revolute, continuous, prismatic and fixed joints are, and one floating or planar '
            'joint at the root.',
            'Replace a spherical joint by three revolute ones; name the free base by '
            '`free_base`; give `<limit>`.',
        ),
        Trouble(
            'Which link is the free base',
            (
                'it is to be the free base, and ...',
                'it is the free base; other links of ... kg are left out',
            ),
            '`free_base` names a link that does not exist, or that something heavy is joined to '
            'by a moving joint.',
            'Name the link that floats; what is above it (a world, a table) is left out.',
        ),
        Trouble(
            'Mass and inertia of a link',
            (
                'its mass of ... kg is negative',
                'it has an inertia but no mass; the inertia counts all the same',
                'its inertia is not symmetric: ... is not ...',
                'it moves without <inertial>; its mass is that of what is fixed to it',
                'it moves and has no mass; to a prior that is a thousandth of the robot at most',
                'nothing that it moves has mass or inertia; it is held at zero, ...',
                '...: neither its base nor anything that revolute joints hold to it has mass, ...',
                'link ..., with all that hangs on it, has no positive inertia in the motions '
                'that are free: ...',
                'link ... has no positive inertia at ... s: no such robot moves',
            ),
            'The prior of a link is its described inertia: without one there is little to begin '
            'with.',
            'Give `<inertial>` your best guess; a factor of two off is no harm.',
        ),
        Trouble(
            'Elements of a URDF',
            (
                'it has ... elements <...>...',
                '<...> has no <...>',
                '<...> has no ...',
                '... of <...> must be ..., got ...',
                'one finite number',
                '... finite numbers',
                '<origin> has an unknown attribute ...',
                'its collision shape is none of sphere, cylinder and box; passed over',
                'the size of its collision box must be above zero',
                'the ... of its collision ... must be above zero',
                ' (... times: also ...)',
            ),
            'An element or attribute is missing, doubled or no number.',
            'Correct it. Meshes as collision shapes are passed over: add a cylinder where links '
            'are to be kept apart.',
        ),
        Trouble(
            'Reaction wheels',
            (
                'two wheels are named ...',
                '... is a joint: name it under the key joint',
                'link ... is unknown',
                'joint ... is unknown, or does not move',
                'joint ... follows another one, or is followed, and is no wheel',
                'joint ... must be continuous to be a wheel',
                'joint ... carries other joints and cannot be a wheel',
                'its centre of mass is ... m off its spin axis: ...',
                'its inertia is not symmetric about its spin axis (by ... kg m^2): ...',
                'an axis needs a direction...',
                'is a wheel, not a...',
                '... is an unknown joint, or a wheel',
            ),
            'A wheel is a continuous joint of the URDF that turns a body symmetric about its '
            'axis, or an entry with `name`, `axis` and `spin_inertia`.',
            'See `wheels` in [robot.yaml by key](robot_yaml.md).',
        ),
        Trouble(
            'Thrusters, propellers and sensors of the YAML file',
            (
                'is the name of two thrusters: ...',
                '... is an unknown thruster',
                'is an unknown...',
                'a direction must not be zero',
                'needs either a ring or a mixing_matrix',
                'must give force and moment in every direction; its rank is ...',
                'must be six rows of one length',
                'must be an even number, got ...',
                'must not be above the rate of noise, ... Hz',
                "calibrate: auto needs tolerances in ...'s YAML file, which gives none",
            ),
            'A name that the robot does not have, or geometry that cannot hold the base.',
            'See [robot.yaml by key](robot_yaml.md).',
        ),
    ),
)

"""Messages about plans and their execution."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

PLANNING = Chapter(
    'Planning and motion',
    'Messages of `plan`, of the planner in `~/status` and its services, and by the simulator to a '
    'trajectory.',
    (
        Trouble(
            'A limit leaves no motion',
            (
                '...: no motion keeps this limit, not even a hundredth of one: ... times the '
                'limit is needed',
                '...: its limits leave no motion (...)',
                '...: its limits do not let it from start to end within ... s',
                '...: this limit is broken where the motion starts, ... times it',
                '...: is at ..., outside its limits',
                '...: starts at ..., not between ... and ...',
                '...: ...: the plan uses ... times this limit',
                'the motion breaks a limit of its family, or moves at its ends',
                '...: its box has no room between its corners',
                'base: rate',
                'base: excursion',
                '...: box along ...',
                '...: distance to ...',
                'joint ... ... is beyond its limits...',
                '... is beyond its limit...',
            ),
            'The limit is broken where the robot stands already, or is narrower than any motion '
            'that shows something: a base that may not turn, links that touch, a start outside '
            'of the joint limits.',
            'Move the robot to the middle of its range; widen the limit that is named, or '
            '`start_tolerance`; give the motion more time (`duration`); `clearance: -1` where '
            'collision shapes of the URDF touch at rest.',
        ),
        Trouble(
            'Limits that a plan needs',
            (
                '...: needs a velocity or acceleration limit to plan with',
                '...: needs a rate or momentum limit to plan with',
                '...: has neither joints nor reaction wheels to move; ...',
                '...: its effort limit is zero, which moves nothing',
                'noise: the rate of base_pose is needed',
                '...: nmpc needs actuators.propellers',
            ),
            'Without a limit a motion could be as fast as one likes; without a torque, or an '
            'actuator, there is none.',
            'Give `<limit velocity>` and an `effort` above zero in the URDF, `joint_limits`, or '
            '`max_rate` of the wheel in the YAML file. What has nothing to move can still be '
            'planned for as one body: `--method free_flyer`.',
        ),
        Trouble(
            'The motion is too short',
            (
                'a motion of ... s shows no parameter better than the description states it: ...',
                'duration: ... s are more than ... intervals of ... s',
                'stopped before the first motion was tried',
            ),
            'In this time, within these limits and with this noise nothing would be identified.',
            'Give it longer: standard deviations shrink with the root of the duration. Widen '
            'limits; state the noise as it is.',
        ),
        Trouble(
            'Nothing left to learn',
            (
                'nothing to do: every parameter of interest is known to ...%',
                'nothing to do: ...',
            ),
            '`replan_from_estimate` found no parameter that is known worse than asked for.',
            'Lower `wanted_std`, or name others in `of_interest`.',
        ),
        Trouble(
            'of_interest names something unknown',
            ('...: of interest, but no link and no minimal parameter',),
            'The name is none of the links, and no minimal parameter of this method.',
            '`spacerobot-id model ROBOT.urdf` lists both.',
        ),
        Trouble(
            'A frame to keep in a box',
            (
                '...: no frame to keep in a box; known are ...',
                '...: means nothing without keep_in_frame',
                '...: three numbers are needed with keep_in_frame',
            ),
            '`keep_in_frame` is no frame of the robot, or a corner of its box is missing.',
            'Take one of the frames that are named; give both corners.',
        ),
        Trouble(
            'Known momentum and plane',
            (
                'known_angular_momentum: this method takes the robot to be at rest',
                'known_angular_momentum: all present positions are needed',
                'known_angular_momentum: three numbers are needed, got ...',
                'planar: no angular momentum is planned with on a table',
                '--attitude: four zeros are no quaternion',
                '--...: must be finite, got ...',
            ),
            'Settings that exclude each other.',
            'A robot that turns: `angular_momentum` with `known_angular_momentum`. A table: '
            '`planar` at rest.',
        ),
        Trouble(
            'Families and numbers of a plan',
            (
                'at least one interval is needed, got ...',
                'at least one harmonic is needed, got ...',
                'plateau: is of cycloids, not of ...',
                '... harmonics: too few to begin and end at rest',
                'direction combinations of ... actuators cannot be listed',
                'present positions of ... needed, got ...',
                'shortest_pulse: must be below ... s',
                'shortest_pulse: ... s is above longest_pulse, ...',
                'thrust_box: every number must be above zero',
                'angle: must be between 0 and a quarter turn, got ...',
                'the duration must be above zero, got ... s',
                'rate_cosines, rate_sines: must be of the same harmonics',
                '...: finite values for ... actuators are needed',
                'cycles: must be at least one, got ...',
                '... actuators: coefficients of shapes ...',
                'a motion of ... harmonics of ... is none of ... harmonics of ...',
                'a pose has the coordinates ..., not ...',
            ),
            'A setting of the motion that does not fit the robot or the others.',
            'See [parameters](../parameters.md#planner).',
        ),
        Trouble(
            'A plan file',
            (
                '...: moves ..., ... has ...',
                'the plan moves ...; ... has ...',
                'plan_file: such a plan moves ..., not the base as ... does (...)',
                '...: this motion cannot be written to a file',
                '...: must be a mapping with names, durations, knots',
                '...: family: ... is none of ...',
                '...: names: must be a list of texts, none of them twice',
                '...: durations: must be numbers above zero, at least one',
                '...: plateau: must be from 0 to ...',
                '...: knots: must be ... rows of ... numbers for ... durations and ... names, '
                'got shape ...',
                '...: rate_cosines, rate_sines: the motion is not at rest at its ends',
                '...: ...: must be one number',
                '...: ...: has a value that is not finite',
                '...: ...: must be numbers in rows of one length',
            ),
            'The plan is of another robot, was cut off, or edited.',
            'Write it again by `spacerobot-id plan ROBOT.urdf --out PLAN.yaml`.',
        ),
        Trouble(
            'The planner stops a motion',
            (
                'stopping the motion: ...',
                'propellers off: ...',
                'still moving: stopping once more',
                '...; whether it is at rest is not known',
                '... is at ... and should be at ...',
                '...: the motion has not begun within ... s',
                'failed: ... m from where it should be',
                'the base is ... m out of thrust_box',
                'busy: ...',
                'no plan: ...',
                'planner: ...',
            ),
            'Joints, poses or twists stopped coming, or the robot is not where the plan has it: '
            'a controller that lags, a limit, a collision, an emergency stop.',
            'Look at the topic or joint that is named. Lower limits of velocity and acceleration'
            ' that the controller cannot follow; `stray_distance` for a base that drifts, '
            '`start_timeout` for a controller that begins late.',
        ),
        Trouble(
            'The planner does not send a command',
            (
                'not started: ...',
                '...: no stop is sent yet: ...',
                '...: from ..., moving at ... per s, the command would ask for ... times the '
                'limit of its ...',
                '...: the command would ask for ... times its effort',
                'the motion is over in ... s',
                '... s, when what was sent ends',
                'the planner is inactive: activate it first',
            ),
            'Every command starts from where joints and wheels may be when their controllers '
            'take it up, and keeps their limits from there, or is not sent: a joint has moved '
            'since the motion was planned, moves already, or what was sent comes to rest sooner '
            'than any stop. What was sent ends at rest in any case.',
            'Wait until everything rests, and see that nobody else commands it; then ask for '
            '`start_excitation` again, which plans from where the robot is. Activate the node '
            'where it is inactive.',
        ),
        Trouble(
            'Joint states that no command is made of',
            (
                '... jumps from ... to ...',
                'joint_states: ...: put there at once, or there is a second source',
                'joint_states: ..., again and again: there are two sources',
                'joint_states: frozen: ... moves at ... per s and stays at ...',
                'joint_states: the last message came ... s ago',
                'joint_states repeat exactly: the motion waits for ... s, as joints may be ... '
                'from where they seem to be',
            ),
            'A joint goes to and fro faster than it can, its position stays while its rate says '
            'that it moves, or the last message is old: two drivers publish the same joint, one '
            'of them has died, or the network delays messages.',
            '`ros2 topic info -v` names the publishers of `joint_states`: leave one for each '
            'joint. Start the driver again that repeats itself. Where encoders are exact, as in a '
            'simulation or at rest, `still_reach: 0` lets motions begin at once.',
        ),
        Trouble(
            'Somebody else commands the joints',
            ('...: somebody else publishes on it, too, and may replace what is sent',),
            'A second publisher is on the topic of a controller; a trajectory of it replaces that '
            'of the planner in mid motion, which then stops where the robot is not found where it '
            'should be.',
            'Leave the controllers to the planner while it moves the robot.',
        ),
        Trouble(
            'A trajectory is refused',
            (
                'stamped ... s: only stamp zero, start now, is taken',
                '... points, more than ...',
                'no points',
                'no positions',
                'efforts cannot be followed',
                'point ...: ..., ... s',
                'point ...: its time is not finite',
                'point 0: its time is negative, ... s',
                'point ... has ... ... for ... joints',
                'accelerations without velocities',
                'joint ..., point ...: ...',
                'joint ..., point ...: not at rest at the last point',
                'joint ... ...',
                'is named twice',
                'is unknown here',
                'is missing',
                'the robot has none to move',
                'the only point is at time zero',
                '... of shape ... for ...',
                '... points of ... joints',
                'its time, ... s, is not after that of the point before',
                'at ... at time zero, while the joint is at ...',
                '... refused: ...',
                'mode ... does not drive the wheels',
                'the wheels hold the base',
            ),
            'The simulator, like a joint_trajectory_controller, takes stamp zero, known joints, '
            'finite numbers, times that increase, and rest at the last point, within limits.',
            'Send what the planner sends, or correct the point that is named. The motion goes on'
            ' unchanged meanwhile.',
        ),
        Trouble(
            'Not every parameter is planned for',
            ('this motion of ... s does not show all parameters, ...',),
            'The plan is the best of its length, and leaves some parameters at more than half of'
            ' what was uncertain.',
            'A longer `--duration`, or wider limits; `model --plan PLAN.yaml` shows which.',
        ),
    ),
)

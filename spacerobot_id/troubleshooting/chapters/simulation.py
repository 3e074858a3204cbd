"""Messages of simulations."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

SIMULATION = Chapter(
    'Simulation',
    'Messages of `simulate` and of the simulator node.',
    (
        Trouble(
            'Settings of the simulator that exclude each other',
            (
                'mode, base_hold: ... motion has neither',
                'initial_attitude: a quaternion of zeros is no rotation',
                'attitude: a quaternion of length zero is no rotation',
                'initial_angular_momentum, initial_attitude: ...',
                'initial_joint_positions: ... values for ... joints',
                'planar: ... motion knows no table',
                'planar: the base is tilted, or does not move in the plane',
                'mode: ... is none of ...',
                'mode ...: ... has no three independent reaction wheels to hold the base with',
                'mode ... fires no thrusters',
                '... has no thrusters',
                'base wrench: mode ... allows no ...',
                'step: must be above zero, got ...',
                '...: ... rad/s is beyond its limit, ...',
                '...: expected ... values, got shape ...',
                '...: value ... is ...',
            ),
            'A mode drives what the robot does not have, or kinematic motion is asked for '
            'something dynamic.',
            '[Parameters of the simulator](../parameters.md#simulator) has which belong together.',
        ),
        Trouble(
            'Payload',
            (
                'payload: ...',
                'payload: link ... is unknown',
                'payload: one is joined to ... already',
                'payload: there is none',
            ),
            'The link does not exist, one is attached already, there is none to release, or the '
            'body cannot exist.',
            '`payload_link`, `payload_mass`, `payload_inertia`.',
        ),
        Trouble(
            'The simulated motion grows beyond all numbers',
            (
                'the motion is not finite any more at ... s',
                'flight ...: not finite any more at ... s',
                'accelerations of sample ... are beyond all numbers',
            ),
            'Gains, forces or rates are far too large for the step, or a link has next to no '
            'inertia.',
            'Shorten `step`; look for links of a few grams that carry heavy ones.',
        ),
        Trouble(
            'Predictive control',
            (
                'model predictive control needs CasADi: ...',
                'predictive control: no solution for body ..., step ...',
            ),
            'CasADi is not installed, or the propellers cannot follow the reference.',
            '`pip install casadi`; lower `base_speed` and `base_acceleration`.',
        ),
        Trouble(
            'Controller of another robot',
            ('controller: ... ... are not those of the robot, ...',),
            '`controller_robot` has other joints or wheels than `robot`.',
            'Give descriptions of the same joints.',
        ),
    ),
)

"""Messages of the library to its callers."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

LIBRARY = Chapter(
    'The library',
    'Errors of arguments in Python. Nodes and commands do not raise them; if one does, it is a '
    'fault of the package.',
    (
        Trouble(
            'Shapes of arrays',
            (
                'expected ... values of wheels, got ...',
                'expected (samples, ...) values, got ...',
                '... has links 0 to ..., not ...',
                '... has shape ..., not ...',
                '... of sample ... is not finite: ...',
                '...: ... columns, not ...',
                '...: ... for ... times',
                'held: ... for ... times',
                'held: not finite',
                'held: times do not increase',
                'wrench: ... columns, not 6',
                'poses are not finite',
                'times of poses do not increase',
            ),
            'Samples come first, components last; all arrays of a record are of the same times.',
            'See the docstring: shapes are there.',
        ),
        Trouble(
            'A robot made by hand',
            (
                '... links cannot have ... joints',
                '...: parent ... must come before its child',
                '... cannot follow ...',
                'base ... is none of the ... links',
                'joints that follow others belong to no articulated body of their own',
            ),
            '`RobotModel` has its links in an order in which parents come first.',
            'Use `load_robot`, or order the links.',
        ),
        Trouble(
            'A robot that does not resist motion',
            (
                'the inertia of the robot is singular',
                'a base has no mass',
                'a base inertia is singular',
            ),
            'Neither mass nor inertia keeps the base from moving in some direction, so that '
            'momentum does not determine how it moves.',
            'Give the links masses and inertias of bodies; minimal parameters have to be those of '
            'a robot, too.',
        ),
        Trouble(
            'Readings without noise',
            ('the root of a covariance is singular',),
            'Some reading, or some of several together, has no noise at all, so that it cannot be '
            'weighed against the others.',
            'State a noise above zero for every sensor.',
        ),
        Trouble(
            'Information beyond all bounds',
            ('the information is not finite',),
            'What is fitted went so far from any robot that numbers overflow: no robot explains '
            'the data.',
            'See what `identify` names as their cause; check commands, units and frames.',
        ),
        Trouble(
            'Methods of another kind',
            (
                '...: readings follow from whole stretches of a record',
                '...: samples are absorbed one by one',
                'this source has no gradient: take differences',
                '... needs accelerations: see prepared',
            ),
            'The method does not do what was asked of it.',
            'Use `identify`, which takes every method as it is.',
        ),
        Trouble(
            'Missions',
            (
                '...: the estimator has other minimal parameters',
                '...: the estimate has no finite covariance yet',
            ),
            'Planner and estimator are given different robots or methods, or the estimator has '
            'just begun.',
            'Give both nodes the same `robot` and `method`.',
        ),
        Trouble(
            'Published numbers',
            (
                '... reduced parameters are not the ... of ...',
                'a tolerance has a ...',
                'no number is in [...]',
                '...: a printed number has a key, and only that',
                '...: limits ... of a number that is printed as ... are wide: say what they '
                'refuse',
                '...: nothing is printed under ...',
                '...: ... has the shape ..., not ...',
                '....yaml: ...: ...',
                '... is no printed number',
            ),
            'A file of `config/published` was changed, or a study compares what is not in it.',
            'Restore the file.',
        ),
    ),
)

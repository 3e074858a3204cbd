"""Messages when an estimate is written to other software."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

OUTPUTS = Chapter(
    'Outputs',
    'Messages of `~/apply`, `identify --write` and `--out-urdf`.',
    (
        Trouble(
            'The estimate is not written yet',
            (
                'the estimate is not valid: ...',
                'the estimate has been valid for ... s, apply_after is ... s',
                'apply is not set',
                'the last estimate is being written',
                'not applied: ...',
                '; ... of ... parameters are not identified',
                'the result is not usable',
                '--write: ... is not written: ...',
            ),
            '`~/apply` writes only what has been valid for `apply_after`, without a reset or '
            'change of the robot.',
            'Wait, or remove the defect that is named.',
        ),
        Trouble(
            'The other side refuses',
            (
                '... refuses: ...',
                'apply_file: ... writes a file, whose path is needed',
                '...: the ... ... can be written to live only, by ~/apply of the estimator',
            ),
            'The service or node answered with an error, which is behind it; or the output is '
            'none for a log.',
            'Ask that node. Offline only files and parameters can be written.',
        ),
        Trouble(
            'A value that does not show',
            (
                '... does not show with this method and these data',
                '... finds no links, and so no ...',
                '--out-urdf: ... finds no links: it does not show ...',
                '... carries nothing beside what its description has that can exist: ...',
                '... has no link ...; it has ...',
                'no value ...; there are ...; a text is {constant: TEXT}',
            ),
            'The output asks for a mass, a link or a load that this method cannot see.',
            'Take it out of the output, or use `momentum`; [methods](../methods.md) has what '
            'each does not show.',
        ),
        Trouble(
            'Commands by an adapter',
            (
                'no place for commands of ...',
                'commands are in axes of the base: in: body',
                '...: no topic takes ...',
                '...: no topic gives ...',
            ),
            'The planner is to command a bed whose adapter has no topic, or no field, for it.',
            'Add the topic or the thruster to the adapter; wrenches are sent in axes of the base; '
            '[adapters](../adapters.md).',
        ),
        Trouble(
            'Fields of an output',
            (
                'takes ... numbers, got ...',
                'takes a number, got ...',
                'has ... elements',
                'is ..., not ...',
                'is ...: say which of its fields',
                'must be a field such as inertia.com.x or data[1], or a parameter',
                'must be the name of one parameter',
                'a constant stands alone, in the unit of its field',
                'means nothing beside ...',
                '--write-to: is of --write, which is missing',
            ),
            'The field of the message has another type or length than the value.',
            'See [outputs by key](output_yaml.md).',
        ),
    ),
)

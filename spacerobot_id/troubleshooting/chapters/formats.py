"""Messages about any YAML file of the package."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

FORMATS = Chapter(
    'YAML files',
    'The same for robots, adapters, outputs, plans and parameter files; each message names file '
    'and key.',
    (
        Trouble(
            'An unknown or missing key',
            (
                'unknown key; known are ...',
                '...: ...: unknown key; known are ...',
                '...: unknown key ...',
                '...it is missing',
                '... is there twice',
                'there are none',
                'needs one of ...',
                'one is named twice',
            ),
            'A typing error, or a key of another file.',
            'Keys that are known are named. `robot.yaml`: [by key](robot_yaml.md); '
            '[adapters](adapter_yaml.md); [outputs](output_yaml.md). Editors check as you type '
            'with the schemas in `config/schemas`.',
        ),
        Trouble(
            'A file is too large, or stands for more than it says',
            (
                'is larger than ... MB',
                'aliases stand for more than ... values, or for themselves',
                'it is nested too deeply',
            ),
            'No file of this package is that large; aliases of YAML can stand for any number of '
            'values.',
            'Look whether it is the file that was meant; write out what aliases stand for.',
        ),
        Trouble(
            'A value of the wrong kind',
            (
                'must be a mapping, got ...',
                'must be a list, got ...',
                'must be a text, got ...',
                'must be true or false, got ...',
                'must be a number, got ...',
                'must be a number below 1e308',
                'must be above zero, got ...',
                'must be finite, got ...',
                'must be three numbers, got ...',
                'must be a whole number, got ...',
                'must be a whole number of ... to ..., got ...',
                'must be above ..., got ...',
                'must not be negative, got ...',
                'must not be above ..., got ...',
                'must be ..., got ...',
                'must be like ..., got ...',
            ),
            'The value is of another type or out of range.',
            'The message has what is wanted. Write `true` and `false`, decimal points, and no '
            'quotes about numbers.',
        ),
    ),
)

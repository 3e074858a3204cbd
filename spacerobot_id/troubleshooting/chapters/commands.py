"""Messages of commands about their options."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

COMMANDS = Chapter(
    'Commands',
    'Exit code 2 is wrong usage, 1 that the work failed.',
    (
        Trouble(
            'Output files',
            (
                '--out: ... is the name of the page beside the plan',
                '... is a folder',
                '... is no folder',
                'the folder ... is not writable',
                '--out: ... exists already',
            ),
            'The file or folder exists, or cannot be written.',
            'Choose another name. Nothing is overwritten that took time to make.',
        ),
        Trouble(
            'Nothing is known of a message',
            ('nothing is known of this message: ...',),
            'The message is none of this package, or only a part of one.',
            'Give all of it, in quotes. Errors of Python, ROS or a driver are not known here.',
        ),
        Trouble(
            'Replaying of faults was interrupted',
            ('interrupted, ... of ... faults not replayed',),
            'Ctrl-C, or a signal, ended `torture` before all faults were replayed.',
            'Tables and page have those that were; `--fault` replays others alone.',
        ),
        Trouble(
            'Options that belong together',
            (
                '--robot: the prior model is needed to identify from a bag',
                '... has other parameters than the prior model: links, joints and their axes must '
                'be the same',
                '--fault: ... is none that this log can carry: ...',
                '...: even without faults it is not valid: ...',
                '--method: ... says what a motion shows by its fit',
                '--start: ... numbers are needed, of ..., got ...',
                '--topic: ... is no NAME:=TOPIC with NAME one of ...',
                '--...: a plan of the pose of the base is flown from rest in the mode flying',
                'either BAG or --live is needed',
                '...: no topics',
            ),
            'An option needs another one, or has another form.',
            '`spacerobot-id COMMAND --help`.',
        ),
    ),
)

"""Messages about settings."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

SETTINGS = Chapter(
    'Settings',
    'Of parameters of nodes, of `--config` files and of options; names are the same.',
    (
        Trouble(
            'A setting out of range',
            (
                '...: ... is none of ...',
                '...: ... is no number',
                '...: must be finite, got ...',
                '...: must be a whole number, got ...',
                '...: must be at least ..., got ...',
                '...: must be at most ..., got ...',
                '...: must be odd, got ...',
                '...: must be an array of ..., got ...',
                '...: must have ... ..., got ...',
                '...: must be true or false, got ...',
                '...: must be a text, got ...',
                '...: must be ... numbers, got ...',
                '...: must be above zero...',
                '... is not ...',
            ),
            'The value is of another type, or outside of what makes sense.',
            '[Parameters](../parameters.md) has the range and the meaning of each.',
        ),
        Trouble(
            'Not taken by the method',
            (
                '...: not taken by the method ...',
                '; ... take... it',
                '...: ... cannot be calibrated',
                'method: ... is none of ...',
                'method ... is deprecated: it is called ...',
                'change_links: ...: no such link; there are ...',
                'known_strengths: ... is none of ...',
                'unevenness: a table is only where planar is true',
            ),
            'A setting that would have no effect with this method is an error, and not ignored.',
            '[Methods](../methods.md) lists what each takes.',
        ),
        Trouble(
            'A parameter file',
            (
                '...: needs keys and values',
                '...: has no section for the node ...',
                '...: ...: must stand in a section of a node',
                '...: needs ros__parameters with keys and values',
                '...: ...: must stand under ros__parameters',
            ),
            'The file has neither plain keys nor sections of nodes, or both mixed.',
            '`spacerobot-id parameters > all.yaml` writes one to begin with.',
        ),
    ),
)

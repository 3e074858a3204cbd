"""The configuration, and how to make the report again."""

import platform

import numpy as np

from spacerobot_id import __version__
from spacerobot_id.report.page.content import Listing, Section, Table, Text
from spacerobot_id.report.subject import Subject


def repeat_section(subject: Subject) -> Section:
    """Return method, files, settings and the command."""
    method = subject.result.method
    rows = [
        ('method', f'{method.name}: {method.summary}'),
        ('robot', method.model.name),
        ('data', f'{subject.source}, {len(subject.record)} samples over {subject.duration:.1f} s'),
        *((name, digest) for name, digest in subject.files.items()),
        ('spacerobot-id', __version__),
        ('Python, numpy', f'{platform.python_version()}, {np.__version__}'),
    ]
    blocks = [Table(('what', 'which'), rows, text_columns=(1,))]
    if subject.settings:
        settings = [(key, str(value)) for key, value in subject.settings.items()]
        caption = 'Settings that are not as they are by default'
        blocks.append(Table(('setting', 'value'), settings, caption, text_columns=(1,)))
    else:
        blocks.append(Text('All settings are as they are by default.'))
    if subject.command:
        blocks += [Text('The report again:'), Listing([' '.join(subject.command)], is_code=True)]
    return Section('repeat', 'Configuration, and how to repeat it', blocks)

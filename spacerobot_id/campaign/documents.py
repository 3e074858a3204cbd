"""The keys of campaign files as tables in Markdown, from what reads them."""

from collections.abc import Mapping

from spacerobot_id.campaign.definition.inputs import KEYS
from spacerobot_id.campaign.draws.distributions import PARAMETERS
from spacerobot_id.campaign.draws.key_names import EQUIPMENT, OTHERS
from spacerobot_id.campaign.outcome import METRICS
from spacerobot_id.measurement.faults import FAULTS


def campaign_tables() -> str:
    """Return the tables of docs/campaigns.md: keys of the file, what can be drawn, metrics."""
    laws = [(f'`{kind}`', ', '.join(names)) for kind, names in PARAMETERS.items()]
    laws += [('`choice`', 'values, weights'), ('`covariance`', 'mean, matrix')]
    drawn = OTHERS | EQUIPMENT
    parts = [
        (
            'Keys of a campaign file',
            ('key', 'meaning'),
            _rows({key: text for key, (_, text) in KEYS.items()}),
        ),
        ('Distributions', ('name', 'parameters'), laws),
        (
            'What can be drawn',
            ('key', 'unit', 'is'),
            [(_code(key), unit, description) for key, (unit, description) in drawn.items()],
        ),
        (
            'Faults of messages',
            ('fault', 'is', 'size in'),
            [
                (f'`{each.key}`', each.description, '' if each.size is None else each.size.unit)
                for each in FAULTS
            ],
        ),
        (
            'What can be required',
            ('metric', 'unit', 'is'),
            [(f'`{name}`', each.unit, each.description) for name, each in METRICS.items()],
        ),
    ]
    return '\n\n'.join(f'### {title}\n\n{_table(head, rows)}' for title, head, rows in parts)


def _rows(descriptions: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(f'`{key}`', description) for key, description in descriptions.items()]


def _code(key: str) -> str:
    """Return a key as code; a bar would end a cell of the table."""
    return f'`{key}`'.replace('|', '\\|')


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)

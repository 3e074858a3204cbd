"""The catalogue as a page of the docs."""

from collections.abc import Iterator

from spacerobot_id.troubleshooting.catalogue import CHAPTERS
from spacerobot_id.troubleshooting.trouble import Trouble


def trouble_page() -> str:
    """Return a page in Markdown: a section for every trouble, with its messages."""
    parts = [
        '# Tuning and trouble',
        'All errors and warnings of the package, why they come, and what to do. '
        '`spacerobot-id explain MESSAGE` prints the same in a terminal. '
        'Three dots stand for what differs from case to case. Written by '
        '`python docs/generate.py` from `spacerobot_id/troubleshooting`.',
    ]
    for chapter in CHAPTERS:
        parts += [f'## {chapter.title}', chapter.introduction]
        for trouble in chapter.troubles:
            parts += _section(trouble)
    return '\n\n'.join(parts) + '\n'


def _section(trouble: Trouble) -> Iterator[str]:
    """Yield the paragraphs of a trouble."""
    yield f'### {trouble.title}'
    if trouble.messages:
        yield '\n'.join(f'- `{text.strip("; ")}`' for text in trouble.messages)
    yield trouble.cause
    yield f'**What to do:** {trouble.cure}'

"""What errors and warnings mean and what to do: the page of the docs, read for a terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
import re

GAP = '...'
"""What stands in a message for what differs from case to case."""

_AS_LIKE = 0.6
"""Share of the similarity of the best that others must have."""

_CURE = '**What to do:** '


@dataclass(frozen=True, eq=False)
class Trouble:
    """Messages of one cause.

    Parameters
    ----------
    title : str
        Short name, as a user would search for it.
    messages : tuple of str
        The messages, with ``...`` for what differs from case to case.
    cause, cure : str
        Why it comes, and what to do.
    """

    title: str
    messages: tuple[str, ...]
    cause: str
    cure: str

    @property
    def id(self) -> str:
        """Identifier: the anchor of its section on the page."""
        return re.sub(r'[^a-z0-9_]+', '-', self.title.lower()).strip('-')

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The messages as regular expressions."""
        return tuple(
            re.compile('.*'.join(map(re.escape, text.split(GAP))), re.DOTALL)
            for text in self.messages
        )

    def similarity(self, message: str) -> int:
        """Return how many characters of a message are fixed text of this; zero if it is none."""
        return max(
            (
                len(text.replace(GAP, ''))
                for text, pattern in zip(self.messages, self.patterns, strict=True)
                if pattern.fullmatch(message)
            ),
            default=0,
        )


def read_troubles(page: Path) -> tuple[Trouble, ...]:
    """Return the entries of a page: sections of the third level, in their order.

    Parameters
    ----------
    page : Path
        ``docs/reference/trouble.md``, which comes with the package.
    """
    return tuple(_entries(page.read_text(encoding='utf-8')))


def troubles_of(message: str, troubles: tuple[Trouble, ...]) -> list[Trouble]:
    """Return the troubles that a message is one of, the likeliest first.

    Parameters
    ----------
    message : str
        The message, as a log or a terminal has it: with file, element or node before it; or the
        identifier of an entry, such as the name of an error's class.
    troubles : tuple of Trouble
        The entries.
    """
    parts = ' '.join(message.split()).split(': ')
    names = {part.lower() for part in parts}
    named = [trouble for trouble in troubles if trouble.id in names]
    endings = [': '.join(parts[begin:]) for begin in range(len(parts))]
    like = {trouble: max(map(trouble.similarity, endings)) for trouble in troubles}
    least = max(1.0, _AS_LIKE * max(like.values(), default=0.0))
    found = [trouble for trouble in troubles if like[trouble] >= least and trouble not in named]
    return sorted(found, key=lambda trouble: -like[trouble]) + named


def _entries(text: str) -> Iterator[Trouble]:
    """Yield what stands below each heading of the third level."""
    for section in re.split(r'^### ', text, flags=re.MULTILINE)[1:]:
        title, *paragraphs = section.partition('\n## ')[0].strip().split('\n\n')
        messages: tuple[str, ...] = ()
        if paragraphs[0].startswith('- `'):
            messages = tuple(line[3:-1] for line in paragraphs.pop(0).splitlines())
        cause, cure = paragraphs
        yield Trouble(title, messages, cause, cure.removeprefix(_CURE))

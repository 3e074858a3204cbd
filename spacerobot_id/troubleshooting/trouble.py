"""A warning or error, why it comes, and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
import re

GAP = '...'
"""What stands in a pattern for what differs from case to case."""


@dataclass(frozen=True, eq=False)
class Trouble:
    """Messages of one cause.

    Parameters
    ----------
    title : str
        Short name, as a user would search for it; it does not change.
    messages : sequence of str
        The messages, with ``...`` for what differs from case to case.
    cause : str
        Why it comes.
    cure : str
        What to do.
    """

    title: str
    messages: Sequence[str]
    cause: str
    cure: str

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The messages as regular expressions."""
        return tuple(
            re.compile('.*'.join(map(re.escape, text.split(GAP))), re.DOTALL)
            for text in self.messages
        )

    def likeness(self, message: str) -> int:
        """Return how many characters of a message are fixed text of this; zero if it is none."""
        return max(
            (
                len(text.replace(GAP, ''))
                for text, pattern in zip(self.messages, self.patterns, strict=True)
                if pattern.fullmatch(message)
            ),
            default=0,
        )


@dataclass(frozen=True)
class Chapter:
    """Troubles of one kind.

    Parameters
    ----------
    title : str
        What they have in common.
    introduction : str
        What is to be known of all of them.
    troubles : sequence of Trouble
        The troubles.
    """

    title: str
    introduction: str
    troubles: Sequence[Trouble]

"""Warnings of a description: those that say the same of many elements are one line."""

from collections.abc import Iterator
from contextlib import contextmanager
import re
import warnings

from spacerobot_id.exceptions import DescriptionWarning

_NUMBER = re.compile(r'[-+]?\d[\d.]*(e[-+]?\d+)?')
_NAMED = 5
"""Elements that a line names; of further ones it gives the number."""


@contextmanager
def counted_warnings() -> Iterator[None]:
    """Give warnings at the end of the block, one for all that say the same of other elements."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    alike: dict[object, list[DescriptionWarning]] = {}
    for each in caught:
        said = each.message
        if isinstance(said, DescriptionWarning):
            kind = said.element.partition(' ')[0]
            key = said.source, kind, _NUMBER.sub('', said.reason)
            alike.setdefault(key, []).append(said)
        else:
            warnings.warn_explicit(said, each.category, each.filename, each.lineno)
    for group in alike.values():
        warnings.warn(_counted(group), stacklevel=4)


def _counted(group: list[DescriptionWarning]) -> DescriptionWarning:
    """Return the first of some warnings, and what else it holds for."""
    first, *others = group
    names = list(dict.fromkeys(each.element.partition(' ')[2] for each in others))
    names = [name for name in names if name != first.element.partition(' ')[2]]
    if not others:
        return first
    listed = ', '.join(names[:_NAMED])
    more = f' and {len(names) - _NAMED} more' if len(names) > _NAMED else ''
    times = f' ({len(group)} times: also {listed}{more})' if names else f' ({len(group)} times)'
    return DescriptionWarning(first.source, first.element, first.reason + times)

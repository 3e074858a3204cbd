"""Types of messages as the files of a log define them, those of ROS where they do not."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TYPE_CHECKING

from spacerobot_id.measurement.bag.recorded import Recorded

if TYPE_CHECKING:
    from rosbags.interfaces.typing import Typesdict
    from rosbags.typesys.store import Typestore

_RULE = '=' * 80 + '\n'
"""Between the definitions of several types in IDL."""


def defined_types(recorded: Sequence[Recorded]) -> 'Typestore':
    """Return the types of topics; those that nothing defines, or not legibly, are left out.

    Events of services are an example: their definition is that of the service.

    Parameters
    ----------
    recorded : sequence of Recorded
        Topics.
    """
    from rosbags.typesys import get_typestore, Stores

    found: Typesdict = {}
    for kind, encoding, text in dict.fromkeys(
        (each.msgtype, each.encoding, each.definition) for each in recorded
    ):
        with suppress(Exception):  # the parser raises anything on what is no definition
            found |= _parsed(kind, encoding, text)
    wanted = {each.msgtype for each in recorded}
    if any(_unknown(kind, found) for kind in wanted):
        of_ros = get_typestore(Stores.ROS2_JAZZY).fielddefs
        for kind in wanted:
            while missing := [each for each in _unknown(kind, found) if each in of_ros]:
                found |= {each: of_ros[each] for each in missing}
    store = get_typestore(Stores.EMPTY)
    with suppress(Exception):
        store.register(found)
        return store
    for kind, definition in found.items():
        with suppress(Exception):
            store.register({kind: definition})
    return store


def lacks_definition(kind: str, store: 'Typestore') -> bool:
    """Return whether a type, or one that it is made of, is not defined."""
    return bool(_unknown(kind, store.fielddefs))


def _parsed(kind: str, encoding: str, text: str) -> 'Typesdict':
    """Return the types that a definition has."""
    from rosbags.typesys import get_types_from_idl, get_types_from_msg

    if encoding == 'ros2msg':
        return get_types_from_msg(text, kind)
    if encoding not in ('ros2idl', 'omgidl'):
        return {}
    if not text.startswith(f'{_RULE}IDL: '):
        return get_types_from_idl(text)
    found: Typesdict = {}
    for part in text.split(_RULE)[1:]:
        found |= get_types_from_idl(part.partition('\n')[2])
    return found


def _unknown(kind: str, known: 'Typesdict') -> set[str]:
    """Return which types are not known of those that one is made of."""
    unknown, seen, waiting = set(), set(), [kind]
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in known:
            waiting += _named(description for _, description in known[each][1])
        else:
            unknown.add(each)
    return unknown


def _named(descriptions: Iterable[Any]) -> Iterator[str]:
    """Yield the types that fields are of, those that are no messages left out."""
    from rosbags.interfaces import Nodetype

    for node, what in descriptions:
        if node is Nodetype.NAME:
            yield what
        elif node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            yield from _named([what[0]])

"""Elements of an XML file that know what to name when something in them is wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
import re
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.model.description.description import Place

_COMMA = re.compile(r',\s+')
"""What some put between numbers; a comma within a number is none."""

_DECLARATION = re.compile(r'\s*(<!--.*?-->\s*)*<\?xml\b.*?\?>', re.DOTALL)
"""The declaration of XML, and what must not but may stand before it."""


class _DoctypeError(Exception):
    """A document type declaration was met."""


@dataclass(frozen=True, eq=False)
class XmlNode:
    """An XML element and the link or joint that it belongs to.

    Parameters
    ----------
    element : xml.etree.ElementTree.Element
        The element.
    place : Place
        What its errors name.
    """

    element: ElementTree.Element
    place: Place

    @property
    def tag(self) -> str:
        """Name of the element."""
        return self.element.tag

    def has(self, key: str) -> bool:
        """Return whether the element has an attribute."""
        return key in self.element.attrib

    def named(self, tag: str) -> Iterator['XmlNode']:
        """Yield the children of one kind, each with its own name as its place."""
        for child in self.element.findall(tag):
            node = replace(self, element=child, place=Place(self.place.source, tag))
            name = node.text('name')
            yield replace(node, place=Place(self.place.source, f'{tag} {name}'))

    def find(self, tag: str) -> 'XmlNode | None':
        """Return the only child of one kind, None if there is none."""
        found = self.element.findall(tag)
        if len(found) > 1:
            raise self.place.error(f'it has {len(found)} elements <{tag}>')
        return replace(self, element=found[0]) if found else None

    def first(self, tag: str) -> 'XmlNode | None':
        """Return the first child of one kind, None if there is none; warn of further ones."""
        found = self.element.findall(tag)
        if len(found) > 1:
            self.place.warn(f'it has {len(found)} elements <{tag}>; the first one counts')
        return replace(self, element=found[0]) if found else None

    def all(self, tag: str) -> 'Iterator[XmlNode]':
        """Yield the children of one kind, which need no names; their place is this one's."""
        for child in self.element.findall(tag):
            yield replace(self, element=child)

    def require(self, tag: str) -> 'XmlNode':
        """Return the only child of one kind, which must be there."""
        child = self.find(tag)
        if child is None:
            raise self.place.error(f'<{self.tag}> has no <{tag}>')
        return child

    def text(self, key: str) -> str:
        """Return an attribute, which must be there and not empty."""
        value = self.element.get(key)
        if not value:
            raise self.place.error(f'<{self.tag}> has no {key}')
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return a finite number, the default if there is one and the attribute is missing."""
        if default is not None and not self.has(key):
            return default
        return float(self._floats(key, 1)[0])

    def vector(self, key: str, default: Sequence[float] | None = None) -> NDArray[np.float64]:
        """Return three finite numbers, the default if there is one and they are missing."""
        if default is not None and not self.has(key):
            return np.array(default, dtype=float)
        return self._floats(key, 3)

    def _floats(self, key: str, length: int) -> NDArray[np.float64]:
        text = self.text(key)
        try:
            values = np.array([float(each) for each in _COMMA.sub(' ', text).split()])
        except ValueError:
            values = np.empty(0)
        if len(values) != length or not np.isfinite(values).all():
            wanted = 'one finite number' if length == 1 else f'{length} finite numbers'
            raise self.place.error(f'{key} of <{self.tag}> must be {wanted}, got {text!r}')
        return values


def parse_xml(text: str, source: str) -> XmlNode:
    """Return the outermost element of an XML text.

    Names keep their prefixes as they stand: those of simulators' extensions are often declared
    nowhere.

    Parameters
    ----------
    text : str
        Text without document type declaration, through which XML can read other files.
    source : str
        File, or another name for it, to be named in errors.
    """
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(_DECLARATION.sub(_empty_lines, text.rstrip('\0\n'), count=1), True)
    except _DoctypeError:
        raise Place(source, 'DOCTYPE').error(
            'a document type declaration may define entities or read other files and is refused'
        ) from None
    except (expat.ExpatError, UnicodeEncodeError) as error:
        line = getattr(error, 'lineno', 1)
        raise DescriptionError(source, f'line {line}', f'no XML: {error}') from error
    root = builder.close()
    return XmlNode(root, Place(source, f'<{root.tag}>'))


def _empty_lines(found: re.Match[str]) -> str:
    """Return as many empty lines as were found, so that errors keep their numbers."""
    return '\n' * found[0].count('\n') if not found.start() else found[0]


def _refuse_doctype(*_: object) -> NoReturn:
    raise _DoctypeError

"""What a page is made of: sections of text, lists, tables and charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum


class Tone(Enum):
    """How a statement is coloured."""

    GOOD = 'good'
    WARNING = 'warning'
    BAD = 'bad'
    PLAIN = 'plain'


@dataclass(frozen=True)
class Text:
    """A paragraph.

    Parameters
    ----------
    text : str
        Plain text.
    tone : Tone
        A note that stands out, unless it is plain.
    """

    text: str
    tone: Tone = Tone.PLAIN
    kind: str = field(default='text', init=False)


@dataclass(frozen=True)
class Listing:
    """A list of sentences, or lines to type.

    Parameters
    ----------
    items : sequence of str
        Plain text.
    is_code : bool
        Whether they are lines of a terminal.
    """

    items: Sequence[str]
    is_code: bool = False
    kind: str = field(default='listing', init=False)


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        Cells, as many as there are columns.
    caption : str
        What it shows.
    text_columns : sequence of int
        Columns of text, which are set to the left and may wrap; the others are numbers.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ''
    text_columns: Sequence[int] = ()
    kind: str = field(default='table', init=False)


@dataclass(frozen=True, eq=False)
class Chart:
    """An interactive chart.

    Parameters
    ----------
    traces : sequence of mapping
        Traces of plotly.js.
    layout : mapping
        Its layout.
    caption : str
        What it shows, in a sentence.
    height : int
        Height, pixels.
    frames : sequence of mapping
        Frames of an animation.
    """

    traces: Sequence[Mapping[str, object]]
    layout: Mapping[str, object]
    caption: str
    height: int = 320
    frames: Sequence[Mapping[str, object]] = ()
    kind: str = field(default='chart', init=False)


Block = Text | Listing | Table | Chart


@dataclass(frozen=True)
class Details:
    """Blocks that are folded away until they are asked for, or printed.

    Parameters
    ----------
    title : str
        What is in it.
    blocks : sequence of Block
        Blocks.
    """

    title: str
    blocks: Sequence[Block]
    kind: str = field(default='details', init=False)


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Parameters
    ----------
    key : str
        Its anchor.
    title : str
        Its heading.
    blocks : sequence of Block or Details
        What is in it, in order.
    """

    key: str
    title: str
    blocks: Sequence[Block | Details]


@dataclass(frozen=True)
class Fact:
    """A number that stands at the top of a page.

    Parameters
    ----------
    name, value, note : str
        What it is, how much, and a note beside it.
    """

    name: str
    value: str
    note: str = ''


@dataclass(frozen=True)
class Page:
    """A page.

    Parameters
    ----------
    title, subtitle : str
        Heading, and a line below it.
    sections : sequence of Section
        Sections.
    verdict : str
        The paragraph at the top; none if empty.
    tone : Tone
        Colour of the verdict.
    headline : str
        Its heading.
    facts : sequence of Fact
        Numbers below it.
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    verdict: str = ''
    tone: Tone = Tone.PLAIN
    headline: str = ''
    facts: Sequence[Fact] = ()

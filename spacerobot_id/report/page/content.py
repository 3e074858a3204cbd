"""What a page is made of: sections of text, lists, tables and charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
import math

ROUNDING = 1e-12
"""Share of the largest of some numbers below which one is the rounding of zero."""

_MANYFOLD = 100.0
"""Share from which on the number that it is of is as good as zero."""


def number(value: float, digits: int = 4) -> str:
    """Return a number with some significant digits; unknown and infinite ones as text."""
    if value is None or math.isnan(value):
        return 'unknown'
    if math.isinf(value):
        return 'infinite'
    if value == 0.0:
        return '0'
    if 1e-3 <= abs(value) < 1e6:
        decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
        return f'{value:.{decimals}f}'
    mantissa, exponent = f'{value:.{digits - 1}e}'.split('e')
    return f'{mantissa}e{int(exponent)}'


def beside(value: float, std: float) -> str:
    """Return a value with as many digits as its standard deviation leaves a meaning."""
    if not (math.isfinite(value) and math.isfinite(std)) or std <= 0.0:
        return number(value)
    if value == 0.0:
        return '0'
    digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(std)) + 2
    return number(value, min(max(digits, 2), 7))


def of_rounding(value: float, largest: float) -> float:
    """Return a value beside others, the largest of which is given; zero if rounding made it."""
    return value if abs(value) > ROUNDING * abs(largest) else 0.0


def vector(values: Sequence[float]) -> str:
    """Return the components of a vector."""
    largest = max(map(abs, values), default=0.0)
    return ', '.join(number(of_rounding(float(each), largest)) for each in values)


def percent(share: float) -> str:
    """Return a share in per cent, with its sign; nothing of one that compares with about zero."""
    if not math.isfinite(share) or abs(share) >= _MANYFOLD:
        return ''
    digits = 1 if abs(share) < 0.995 else 0
    return f'{100.0 * share:+.{digits}f} %'


def interval(std: float) -> str:
    """Return half a 95 % interval."""
    return f'±{number(1.96 * std, 2)}' if math.isfinite(std) else 'unknown'


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence, the last ones counted."""
    if len(names) > most:
        return f'{", ".join(names[:most])} and {len(names) - most} more'
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'


def counted(count: int, noun: str) -> str:
    """Return a number of things; the noun takes an s."""
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'


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

"""What a published result is held against: numbers with the limits that they must keep."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Claim:
    """A number, and what a paper or a demand says of it.

    Parameters
    ----------
    text : str
        What the number is.
    value : float
        The number.
    unit : str
        Its unit; empty if it has none.
    at_least, at_most : float
        Limits; infinite where there is none.
    published : float, optional
        The number that the paper prints, to stand beside ours.
    note : str
        Why ours differs from it, in a sentence; empty if it does not.
    """

    text: str
    value: float
    unit: str = ''
    at_least: float = -np.inf
    at_most: float = np.inf
    published: float | None = None
    note: str = ''

    @property
    def holds(self) -> bool:
        """Whether the number keeps its limits; one that is not finite does not."""
        return bool(np.isfinite(self.value) and self.at_least <= self.value <= self.at_most)

    @property
    def limit(self) -> str:
        """The limits in words."""
        words = []
        if np.isfinite(self.at_least):
            words.append(f'at least {self.at_least:g}')
        if np.isfinite(self.at_most):
            words.append(f'at most {self.at_most:g}')
        return ', '.join(words)


@dataclass(frozen=True)
class ComparisonTable:
    """A table of a paper, its numbers beside ours.

    Parameters
    ----------
    title : str
        Which table, and of what.
    heads : tuple of str
        Heads of the columns.
    rows : tuple of tuple
        Cells: words, numbers, or None where there is nothing.
    note : str
        Why ours differs throughout, in a sentence; empty if it does not.
    row_notes : mapping of int to str
        The same of single rows, by their index.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]
    note: str = ''
    row_notes: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reproduction:
    """A published result, computed anew.

    Parameters
    ----------
    name : str
        Name of the result, as the command line takes it.
    title : str
        What it is and where it was published.
    claims : sequence of Claim
        Numbers and their limits.
    files : sequence of Path
        Pictures and tables that were written.
    tables : sequence of ComparisonTable
        Numbers that stand beside the paper's without a limit.
    """

    name: str
    title: str
    claims: Sequence[Claim]
    files: Sequence[Path]
    tables: Sequence[ComparisonTable] = ()

    @property
    def holds(self) -> bool:
        """Whether all claims hold."""
        return all(claim.holds for claim in self.claims)


def reproduction_as_json(result: Reproduction) -> dict[str, object]:
    """Return a result as plain values; a limit that there is not is None."""
    return {
        'name': result.name,
        'title': result.title,
        'holds': result.holds,
        'claims': [
            {
                'text': claim.text,
                'value': _finite_or_none(claim.value),
                'published': claim.published,
                'unit': claim.unit,
                'at_least': _finite_or_none(claim.at_least),
                'at_most': _finite_or_none(claim.at_most),
                'holds': claim.holds,
                'note': claim.note,
            }
            for claim in result.claims
        ],
        'tables': [
            {
                'title': table.title,
                'heads': list(table.heads),
                'rows': [[_plain(cell) for cell in row] for row in table.rows],
                'note': table.note,
                'row_notes': [table.row_notes.get(row, '') for row in range(len(table.rows))],
            }
            for table in result.tables
        ],
        'files': [str(path) for path in result.files],
    }


def reproduction_table(result: Reproduction) -> str:
    """Return a result for people: a line for each claim, then the tables, and why they differ."""
    with_paper = any(claim.published is not None for claim in result.claims)
    notes: list[str] = []
    rows = []
    for claim in result.claims:
        verdict = f'holds ({claim.limit})' if claim.limit else 'beside'
        if not claim.holds:
            verdict = f'FAILS ({claim.limit or "no number"})'
        verdict += _marker(claim.note, notes)
        paper = (claim.published,) if with_paper else ()
        rows.append((claim.text, claim.value, *paper, claim.unit, verdict))
    heads = ('', 'ours', 'paper', '', '') if with_paper else ()
    lines = [result.title, '', *_columns(heads, rows), *_sentences(notes, 0)]
    for table in result.tables:
        known = len(notes)
        title, heads, rows = table.title + _marker(table.note, notes), table.heads, table.rows
        if table.row_notes:
            markers = [_marker(table.row_notes.get(row, ''), notes) for row in range(len(rows))]
            heads = (*heads, '')
            rows = [(*row, marker.strip()) for row, marker in zip(rows, markers, strict=True)]
        lines += ['', title, '', *_columns(heads, rows), *_sentences(notes, known)]
    return '\n'.join([*lines, '', *(f'  {path}' for path in result.files)])


def _marker(note: str, notes: list[str]) -> str:
    """Return the number of a sentence in brackets; one that is new joins the others."""
    if not note:
        return ''
    if note not in notes:
        notes.append(note)
    return f' [{notes.index(note) + 1}]'


def _sentences(notes: Sequence[str], known: int) -> list[str]:
    """Return the lines of the numbered sentences after those that are known."""
    lines = [f'  [{number}] {note}' for number, note in enumerate(notes, 1)][known:]
    return ['', *lines] if lines else []


def _columns(heads: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> Iterator[str]:
    """Yield rows under their heads, words to the left and numbers to the right."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    everything = [list(heads), *cells] if heads else cells
    widths = [max(map(len, column)) for column in zip(*everything, strict=True)]
    to_left = [isinstance(cell, str) for cell in rows[0]]
    for row in everything:
        aligned = (
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, to_left, strict=True)
        )
        yield '  ' + '  '.join(aligned).rstrip()


def _cell(value: str | float | None) -> str:
    """Return what a cell shows: a dash for None, numbers as printed, or rounded if longer."""
    if value is None:
        return '-'
    if isinstance(value, str):
        return value
    whole = f'{value:.8g}'
    return whole if float(whole) == value else f'{value:.5g}'


def _plain(cell: str | float | None) -> str | float | None:
    """Return a cell as JSON can hold it."""
    return cell if cell is None or isinstance(cell, str) else _finite_or_none(cell)


def _finite_or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

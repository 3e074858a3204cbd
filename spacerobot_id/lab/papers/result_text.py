"""A reproduced result for people, and as plain values for JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, Reproduction

_LISTED = 24
"""Pairs of one place that are listed; of more, only those that fail and the closest."""


def result_as_json(result: Reproduction) -> dict[str, object]:
    """Return a result as plain values; a limit that there is not is None."""
    return {
        'name': result.name,
        'title': result.title,
        'holds': result.holds,
        'pairs': [_pair_as_json(pair) for pair in result.pairs],
        'tables': [
            {
                'title': table.title,
                'heads': list(table.heads),
                'rows': [[_plain(cell) for cell in row] for row in table.rows],
                'note': table.note,
            }
            for table in result.tables
        ],
        'files': [str(path) for path in result.files],
    }


def _pair_as_json(pair: Pair) -> dict[str, object]:
    values = asdict(pair)
    values |= values.pop('tolerance')
    return {key: _plain(value) for key, value in values.items()} | {'holds': pair.holds}


def result_as_text(result: Reproduction) -> str:
    """Return a result for people: pairs by their place in the paper, then the tables."""
    notes: list[str] = []
    lines = [result.title]
    places: dict[str, list[Pair]] = {}
    for pair in result.pairs:
        places.setdefault(pair.where, []).append(pair)
    for where, pairs in places.items():
        known = len(notes)
        lines += ['', where, '', *_pair_lines(pairs, notes), *_sentences(notes, known)]
    for table in result.tables:
        lines += ['', *_table_lines(table, notes)]
    return '\n'.join([*lines, '', *(f'  {path}' for path in result.files)])


def _pair_lines(pairs: Sequence[Pair], notes: list[str]) -> list[str]:
    """Return a line for each pair, of many only for those that show most."""
    listed, rest = list(pairs), ''
    if len(pairs) > _LISTED:
        listed = [pair for pair in pairs if not pair.holds] or [max(pairs, key=_used)]
        kept = sum(pair.holds for pair in pairs)
        rest = (
            f'  {kept} of {len(pairs)} hold; listed: those that do not, or the closest to a limit'
        )
    with_paper = any(pair.paper is not None for pair in listed)
    rows = []
    for pair in listed:
        tolerance = pair.tolerance
        verdict = f'{"holds" if pair.holds else "FAILS"} ({tolerance.limits})'
        for sentence in (tolerance.reason, tolerance.refuses):
            verdict += _marker(sentence, notes)
        paper = (pair.paper,) if with_paper else ()
        rows.append((pair.text, pair.ours, *paper, pair.unit, verdict))
    heads = ('', 'ours', 'paper', '', '') if with_paper else ()
    return [*([rest] if rest else []), *_columns(heads, rows)]


def _used(pair: Pair) -> float:
    """Return how much of its tolerance a pair uses, 1 at a limit."""
    limits = np.array([pair.tolerance.at_least, pair.tolerance.at_most])
    middle, reach = limits.mean(), np.ptp(limits) / 2.0
    return abs(pair.ours - middle) / reach if np.isfinite(reach) and reach > 0.0 else 0.0


def _table_lines(table: ComparisonTable, notes: list[str]) -> list[str]:
    """Return a table under its title, and its sentences."""
    known = len(notes)
    title = table.title + _marker(table.note, notes)
    return [title, '', *_columns(table.heads, table.rows), *_sentences(notes, known)]


def _marker(note: str, notes: list[str]) -> str:
    """Return the number of a sentence in brackets; one that is new joins the others."""
    if not note:
        return ''
    if note not in notes:
        notes.append(note)
    return f' [{notes.index(note) + 1}]'


def _sentences(notes: Sequence[str], known: int) -> list[str]:
    """Return the lines of the numbered sentences after those that are known."""
    lines = [f'  [{number}] {note}' for number, note in enumerate(notes, 1)]
    return ['', *lines[known:]] if len(lines) > known else []


def _columns(heads: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> Iterator[str]:
    """Yield rows under their heads, texts to the left and numbers to the right."""
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


def summary(result: Reproduction, seconds: float) -> str:
    """Return how a result went, in lines: the count, and what fails."""
    verdict = 'all hold' if result.holds else f'{len(result.failing)} FAIL'
    printed = sum(bool(pair.key) for pair in result.pairs)
    line = f'{result.name}: {len(result.pairs)} numbers, {printed} of them printed in the paper, '
    failing = (f'  FAILS {pair.text}' for pair in result.failing)
    return '\n'.join([f'{line}{verdict}, {seconds:.0f} s', *failing])


def _plain(cell: str | float | None) -> str | float | None:
    """Return a cell as JSON can hold it: None for numbers that are not finite."""
    return cell if cell is None or isinstance(cell, str) or np.isfinite(cell) else None

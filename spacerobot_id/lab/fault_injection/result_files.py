"""The cells as JSON and CSV beside their page."""

from collections.abc import Sequence
import csv
import json
import math
from pathlib import Path

from spacerobot_id.estimation.result import finite
from spacerobot_id.lab.fault_injection.cells import Cell, Verdict
from spacerobot_id.whole_file import whole_file, write_whole

_COLUMNS = (
    'fault',
    'strength',
    'unit',
    'begin',
    'noticed',
    'after',
    'live_valid',
    'live_joint',
    'live_worst',
    'live_parameter',
    'batch_valid',
    'batch_joint',
    'batch_worst',
    'batch_parameter',
    'harmed_and_valid',
)


def cell_values(cell: Cell) -> dict[str, object]:
    """Return a cell as plain values; numbers that are not finite become None."""
    notice = cell.notice
    return {
        'fault': cell.fault,
        'words': cell.description,
        'strength': 'until the end' if math.isinf(cell.strength) else cell.strength,
        'unit': cell.unit,
        'begin': cell.begin,
        'noticed': None if notice is None else notice.how,
        'after': None if notice is None else finite(notice.after),
        'live': _verdict_values(cell.live),
        'batch': None if cell.batch is None else _verdict_values(cell.batch),
        'harmed_and_valid': cell.is_lie,
    }


def write_json(cells: Sequence[Cell], path: Path) -> None:
    """Write all cells as one JSON list."""
    values = [cell_values(cell) for cell in cells]
    write_whole(path, json.dumps(values, indent=1, allow_nan=False) + '\n')


def write_csv(cells: Sequence[Cell], path: Path) -> None:
    """Write all cells as a table, a row each."""
    with whole_file(path) as draft, draft.open('w', newline='', encoding='utf-8') as file:
        table = csv.DictWriter(file, _COLUMNS, extrasaction='ignore')
        table.writeheader()
        for cell in cells:
            values = cell_values(cell)
            for name in ('live', 'batch'):
                verdict = values[name] or {}
                values |= {f'{name}_{key}': value for key, value in verdict.items()}
            table.writerow(values)


def _verdict_values(verdict: Verdict) -> dict[str, object]:
    return {
        'valid': verdict.is_valid,
        'defects': list(verdict.defects),
        'samples': verdict.samples,
        'joint': finite(verdict.harm.joint),
        'worst': finite(verdict.harm.worst),
        'parameter': verdict.harm.parameter,
    }

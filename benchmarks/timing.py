"""How benchmarks measure and print: the best of several runs, and a table."""

from collections.abc import Callable, Sequence
import os
from pathlib import Path
import platform
import sys
import time
import warnings

import numpy as np

from spacerobot_id import limit_threads
from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import load_robot, RobotModel

ROBOTS = Path(__file__).parents[1] / 'config' / 'robots'


def dual_arm(name: str = 'naveen_dual_arm') -> RobotModel:
    """Return the dual-arm robot of [Naveen 2024], or its prior."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(ROBOTS / f'{name}.urdf')


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several runs, after one that does not count."""
    work()
    runs = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        runs.append(time.perf_counter() - begin)
    return min(runs)


def with_one_thread() -> None:
    """Restart the script with one thread of linear algebra, as commands and nodes have it."""
    before = dict(os.environ)
    limit_threads()
    if os.environ != before:  # numpy has been imported
        os.execv(sys.executable, [sys.executable, *sys.argv])


def print_machine() -> None:
    """Print what the numbers were measured on."""
    print(
        f'{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, '
        f'numpy {np.__version__}'
    )


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their heads: the first column to the left, the others to the right."""
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    for row in [heads, ['-' * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print('  '.join(cells))

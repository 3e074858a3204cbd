"""The memory of processes over time, and how fast it grows."""

from dataclasses import dataclass
from pathlib import Path
import threading
import time

import numpy as np

_PERIOD = 2.0
"""Time between two looks, s."""

_BLOCKS = 20
"""Means that a slope is fitted to: neighbouring looks are not independent."""


@dataclass(frozen=True)
class Growth:
    """How the memory of a process changed.

    Parameters
    ----------
    first, middle, last : float
        Memory at the begin, in the middle and at the end of the time looked at, MB.
    slope, std : float
        Megabytes per hour, and its standard deviation.
    """

    first: float
    middle: float
    last: float
    slope: float
    std: float

    @property
    def is_flat(self) -> bool:
        """Whether it grows by less than 1 MB per hour, as far as can be seen."""
        return self.slope - 2.0 * self.std < 1.0


def growth(seconds: np.ndarray, megabytes: np.ndarray) -> Growth:
    """Return how memory grows, by a straight line through means of blocks."""
    count = min(_BLOCKS, len(seconds) // 2)
    hours, means = (
        np.array([block.mean() for block in np.array_split(each, count)])
        for each in (seconds / 3600.0, megabytes)
    )
    (slope, _), covariance = np.polyfit(hours, means, 1, cov=True)
    first, middle, last = (float(means[place]) for place in (0, count // 2, -1))
    return Growth(first, middle, last, float(slope), float(np.sqrt(covariance[0, 0])))


def resident_megabytes(process='self'):
    """Return the memory that a process has, MB; by its number, or this one."""
    status = Path(f'/proc/{process}/status').read_text()
    line = next(line for line in status.splitlines() if line.startswith('VmRSS'))
    return int(line.split()[1]) / 1024


class MemoryWatch:
    """Looks at the memory of the nodes of a crew, in a thread; use it as a context."""

    def __init__(self, crew):
        self._crew, self._begin, self._first = crew, time.monotonic(), 0.0
        self._ends, self._looks = threading.Event(), {}
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def begin(self):
        """Judge nothing that was before now."""
        self._first = time.monotonic() - self._begin

    def growths(self, since):
        """Return the growth of the present process of each node, some time (s) after its start.

        Until then it does many things for the first time, for which code is loaded.
        """
        found = {}
        for name, looks in self._looks.items():
            rows = np.array([(at, size) for at, pid, size in looks if pid == looks[-1][1]])
            rows = rows[rows[:, 0] >= max(rows[0, 0] + since, self._first)]
            found[name] = growth(*rows.T)
        return found

    def _run(self):
        while not self._ends.wait(_PERIOD):
            at = time.monotonic() - self._begin
            for name, node in [*self._crew.nodes.items()]:
                try:
                    size = resident_megabytes(node.process.pid)
                except (OSError, StopIteration):
                    continue  # it ends just now
                self._looks.setdefault(name, []).append((at, node.process.pid, size))


def memory_lines(growths: dict[str, Growth]) -> list[str]:
    """Return the table of the memory of each process."""
    titles = ('process', 'MB, first', 'MB, middle', 'MB, last', 'MB per hour')
    rows = [f'| {" | ".join(titles)} |', '|---' * len(titles) + '|']
    for name, each in growths.items():
        slope = f'{each.slope:+.2f} +- {each.std:.2f}'
        sizes = ' | '.join(f'{size:.1f}' for size in (each.first, each.middle, each.last))
        rows.append(f'| {name} | {sizes} | {slope} |')
    return rows

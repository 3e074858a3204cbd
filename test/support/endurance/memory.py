"""The memory of processes over time, and how fast it grows."""

from dataclasses import dataclass
from pathlib import Path
import threading
import time

import numpy as np

_PERIOD = 2.0
"""Time between two looks, s."""

_BLOCKS = 20
"""Parts of the time that a slope is fitted to: neighbouring looks are not independent."""

MOST = 30.0
"""What a process may hold more than at first, MB, an hour or a day later: caches, and free memory
between other data. What leaks by a message has taken more by then."""

_AT_REST = 0.1
"""Share of the looks at which a process is taken to compute nothing."""


@dataclass(frozen=True)
class Growth:
    """How the memory of a process changed.

    Parameters
    ----------
    first, middle, last : float
        Memory at rest at the begin, in the middle and at the end of the time looked at, MB: it is
        above that while the process computes.
    at_rest : float
        Slope of the memory at rest, MB per hour.
    slope, std : float
        Slope of the mean memory, which depends on what the process computes when, and its standard
        deviation, MB per hour.
    """

    first: float
    middle: float
    last: float
    at_rest: float
    slope: float
    std: float

    @property
    def is_flat(self) -> bool:
        """Whether it is at rest where it was, as far as allocators are: within ``MOST``."""
        return self.last - self.first < MOST


def growth(seconds: np.ndarray, megabytes: np.ndarray) -> Growth:
    """Return how memory grows, by straight lines through low quantiles and means of blocks."""
    count = min(_BLOCKS, len(seconds) // 2)
    hours = [block.mean() for block in np.array_split(seconds / 3600.0, count)]
    blocks = np.array_split(megabytes, count)
    rest = [float(np.quantile(block, _AT_REST)) for block in blocks]
    (slope, _), covariance = np.polyfit(hours, [block.mean() for block in blocks], 1, cov=True)
    return Growth(
        first=rest[0],
        middle=rest[count // 2],
        last=rest[-1],
        at_rest=float(np.polyfit(hours, rest, 1)[0]),
        slope=float(slope),
        std=float(np.sqrt(covariance[0, 0])),
    )


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
    titles = ('MB at rest, first', 'middle', 'last', 'MB per hour', 'on average, MB per hour')
    rows = [f'| process | {" | ".join(titles)} |', '|---' * (len(titles) + 1) + '|']
    for name, each in growths.items():
        sizes = ' | '.join(f'{size:.1f}' for size in (each.first, each.middle, each.last))
        slope = f'{each.slope:+.2f} +- {each.std:.2f}'
        rows.append(f'| {name} | {sizes} | {each.at_rest:+.2f} | {slope} |')
    return rows

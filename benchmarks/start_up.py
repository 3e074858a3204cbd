"""Time of ``spacerobot-id --help``, against importing the parts of scipy that every command needs.

Each run is a fresh interpreter, and the two take turns, so that both see the same machine. Run
with ``python benchmarks/start_up.py``.
"""

import subprocess
import sys
import time

from timing import print_machine, print_table

REPEATS = 9
TARGET = 1 / 3
"""Share of the import's time that the help may take."""

HELP = [sys.executable, '-m', 'spacerobot_id.cli.main', '--help']
SCIPY = [sys.executable, '-c', 'import scipy.optimize, scipy.spatial.transform']


def run(command: list[str]) -> float:
    """Return the seconds that a command takes."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    """Print the table."""
    print_machine()
    runs = [(run(HELP), run(SCIPY)) for _ in range(REPEATS + 1)][1:]  # the first fills caches
    ours, scipy = (sorted(each)[REPEATS // 2] for each in zip(*runs, strict=True))
    print_table(
        ['median of a fresh interpreter', 'ms', 'share of the import'],
        [
            ['spacerobot-id --help', f'{1e3 * ours:.0f}', f'{ours / scipy:.2f}'],
            ['import scipy.optimize, scipy.spatial.transform', f'{1e3 * scipy:.0f}', '1.00'],
        ],
    )
    print(f'target: {TARGET:.2f}, {"met" if ours / scipy < TARGET else "missed"}')


if __name__ == '__main__':
    main()

"""Demonstrations in a row on a machine with other work: how many come to a usable estimate.

Each is ``spacerobot-id demo`` in a folder of its own, with the seed of its number, beside
processes that do nothing but compute. Run with ``python benchmarks/demonstrations.py [RUNS [BUSY
[ROBOT]]]``: 3 runs beside 4 busy processes by default; ROBOT is that of ``demo --robot``. The exit
code is 1 if one failed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import json
import os
from pathlib import Path
import subprocess
import sys
from tempfile import TemporaryDirectory
import time

from timing import print_machine, print_table

BUSY = 'while True: sum(range(1000))'
PATIENCE = 1800.0
"""Longest time of a demonstration, s."""


@dataclass(frozen=True)
class Demonstration:
    """What one run came to."""

    seed: int
    exit_code: int
    seconds: float
    failure: str
    result: dict
    load: float

    @property
    def is_good(self) -> bool:
        """Whether it ended with an estimate that may be used."""
        return self.exit_code == 0 and bool(self.result.get('valid'))

    def row(self) -> list[str]:
        """Return its row of the table."""
        if not self.result:
            return [str(self.seed), f'failed: {self.failure}', f'{self.seconds:.0f}', *['-'] * 4]
        low, high = self.result['normalised_squared_error_bounds']
        return [
            str(self.seed),
            'usable' if self.is_good else 'not to be used',
            f'{self.seconds:.0f}',
            f'{self.load:.1f}',
            f'{self.result["rank"]}',
            f'{100 * self.result["coverage_95"]:.0f} %',
            f'{self.result["normalised_squared_error"]:.1f} ({low:.1f} to {high:.1f})',
        ]


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep processes computing."""
    them = [subprocess.Popen([sys.executable, '-c', BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for each in them:
            each.kill()
            each.wait()


def demonstrated(seed: int, robot: list[str]) -> Demonstration:
    """Run one demonstration."""
    command = ['-m', 'spacerobot_id', 'demo', '--json', '--seed', str(seed), *robot]
    begin = time.monotonic()
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, *command, '--out', folder],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        kept = Path(folder) / 'result.json'
        result = json.loads(kept.read_text()) if kept.exists() else {}
    lines = done.stderr.strip().splitlines()
    seconds, last = time.monotonic() - begin, lines[-1] if lines else ''
    return Demonstration(seed, done.returncode, seconds, last, result, os.getloadavg()[0])


def main() -> None:
    """Run and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    robot = ['--robot', sys.argv[3]] if len(sys.argv) > 3 else []
    print_machine()
    done = []
    with busy(count):
        for seed in range(runs):
            done.append(demonstrated(seed, robot))
            print('  '.join(done[-1].row()), file=sys.stderr, flush=True)
    good = sum(each.is_good for each in done)
    print(f'\n{runs} demonstrations in a row beside {count} busy processes: {good} usable')
    heads = ['seed', 'outcome', 's', 'load', 'rank', 'inside 95 %', 'squared error (chance)']
    print_table(heads, [each.row() for each in done])
    sys.exit(good < runs)


if __name__ == '__main__':
    main()

"""The same runs in one process, on workers, by address and through kill -9: one table, bit by bit.

The servicer along a motion of 1 s, by the command as a user types it. Run with
``python benchmarks/campaign_kills.py [RUNS] [--hardest]``, 12 by default, all ways or kills
alone; the exit code is 1 if a table differs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import hashlib
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
import time

from campaign import campaign_file
from timing import print_machine, print_table

DURATION, BATCH = 1.0, 5
PATIENCE = 1800.0
"""Longest time that anything may take, s."""

Process = subprocess.Popen


def command(file: Path, out: Path, *options: str) -> list[str]:
    """Return the command of a campaign."""
    arguments = ['-m', 'spacerobot_id', 'campaign', str(file), '--out', str(out)]
    return [sys.executable, *arguments, *options]


def started(arguments: list[str]) -> Process:
    """Start a process without output."""
    return Process(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until(is_so: Callable[[], bool], client: Process | None = None) -> None:
    """Wait until something is so; no longer than a client runs."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end or (client is not None and client.poll() is not None):
            raise RuntimeError('it did not come about')
        time.sleep(0.05)


def finished(out: Path) -> int:
    """Return how many runs of a folder are finished, whole batches and journals."""
    batches = len(list(out.glob('batches/runs-*.parquet')))
    lines = [each.read_bytes().count(b'\n') for each in out.glob('journal/*.jsonl')]
    return BATCH * batches + sum(lines)


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[Process]]]:
    """Start a scheduler and workers as processes of their own; yield its address and them."""
    place = folder / 'scheduler.json'
    options = ['--scheduler-file', str(place), '--no-dashboard']
    scheduler = started(
        [sys.executable, '-m', 'distributed.cli.dask_scheduler', '--port', '0', *options]
    )
    until(place.exists, scheduler)
    arguments = [
        sys.executable,
        '-m',
        'distributed.cli.dask_worker',
        '--nthreads',
        '1',
        '--no-nanny',
    ]
    them = [started([*arguments, *options]) for _ in range(workers)]
    try:
        yield json.loads(place.read_text())['address'], them
    finally:
        for each in (*them, scheduler):
            each.terminate()
            each.wait()


def by_address(file: Path, out: Path, *, with_kill: bool) -> None:
    """Run on a cluster by its address; kill one of its workers on the way."""
    with TemporaryDirectory() as folder, cluster(Path(folder), 2) as (address, workers):
        client = started(command(file, out, '--scheduler', address))
        if with_kill:
            until(lambda: finished(out) >= 2, client)
            os.kill(workers[0].pid, signal.SIGKILL)
        client.wait(PATIENCE)


def with_client_killed(file: Path, out: Path) -> None:
    """Run on two workers, kill the client on the way, and give the command again."""
    client = started(command(file, out, '--workers', '2'))
    until(lambda: finished(out) >= BATCH + 1, client)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    if (out / 'runs.parquet').exists():
        raise RuntimeError('the client had finished before it was killed')
    plainly(file, out, '2')


def plainly(file: Path, out: Path, workers: str) -> None:
    """Run on this computer."""
    started(command(file, out, '--workers', workers)).wait(PATIENCE)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    'one process, no Dask': lambda file, out: plainly(file, out, '0'),
    '1 worker': lambda file, out: plainly(file, out, '1'),
    '2 workers': lambda file, out: plainly(file, out, '2'),
    'scheduler and 2 workers by address': lambda file, out: by_address(file, out, with_kill=False),
    'the same, kill -9 of a worker': lambda file, out: by_address(file, out, with_kill=True),
    '2 workers, kill -9 of the client': with_client_killed,
}
"""How to run a campaign, the hardest last."""


def main() -> None:
    """Run and print."""
    arguments, ways = sys.argv[1:], list(WAYS.items())
    if '--hardest' in arguments:
        arguments.remove('--hardest')
        ways = [ways[0], *ways[-2:]]
    runs = int(arguments[0]) if arguments else 12
    print_machine()
    rows, first = [], ''
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = campaign_file(folder, runs, DURATION, batch=BATCH, stop='budget')
        for place, (way, go) in enumerate(ways):
            begin, out = time.perf_counter(), folder / f'out{place}'
            go(file, out)
            table = hashlib.sha256((out / 'runs.parquet').read_bytes()).hexdigest()
            first = first or table
            same = 'yes' if table == first else 'NO'
            rows.append([way, f'{time.perf_counter() - begin:.0f}', table[:12], same])
    print(f'\nServicer, {runs} runs of a motion of {DURATION:g} s')
    print_table(['way', 's', 'runs.parquet, SHA-256', 'as the first'], rows)
    sys.exit(any(row[-1] == 'NO' for row in rows))


if __name__ == '__main__':
    main()

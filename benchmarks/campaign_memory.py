"""Memory of a worker of a campaign over many short runs: its growth after the first hundred.

The servicer along a motion of 1 s, on one worker of Dask, by a method that ``identify`` of a
campaign file takes: ``momentum``, 0.4 s a run, or ``least_squares``, 0.07 s. Run with
``python benchmarks/campaign_memory.py [RUNS [METHOD]]``, 300 by momentum by default.
"""

from pathlib import Path
import sys
from tempfile import TemporaryDirectory
import time

from campaign import work_of
import numpy as np
from timing import print_machine, print_table, with_one_thread

from spacerobot_id.lab.campaign.cluster import dask_runs, local_or_remote_client
from spacerobot_id.lab.campaign.execution import finished_run

DURATION, FIRST = 1.0, 100


def main() -> None:
    """Run and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    method = sys.argv[2] if len(sys.argv) > 2 else 'momentum'
    with_one_thread()
    print_machine()
    with TemporaryDirectory() as folder:
        work = work_of(Path(folder), runs, DURATION, identify={'method': method})
        finished_run(work, 0)  # compiled
        with local_or_remote_client(1, '') as client:
            begin = time.perf_counter()
            done = list(dask_runs(client, work, iter(range(runs))))
            seconds = time.perf_counter() - begin
    memory = np.array([each.memory for each in done]) / 2**20
    failed = sum(bool(each.row['error']) for each in done)
    after = memory[FIRST:]
    print(f'\nServicer, {runs} runs of a motion of {DURATION:g} s by {method} on one worker')
    print_table(
        ['', 'value'],
        [
            ['a run, s', f'{seconds / runs:.3f}'],
            ['runs without an outcome', str(failed)],
            [f'memory after {FIRST} runs, MB', f'{memory[FIRST - 1]:.1f}'],
            ['at the end, MB', f'{memory[-1]:.1f}'],
            ['most since, MB', f'{after.max():.1f}'],
            [f'growth after the first {FIRST}, MB', f'{after.max() - memory[FIRST - 1]:.1f}'],
        ],
    )


if __name__ == '__main__':
    main()

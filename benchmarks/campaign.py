"""Time per run of a campaign on two workers against a serial loop, and the memory of a worker.

The servicer with masses and noise dispersed, along one plan; the serial loop runs the same
indices in this process. Run with ``python benchmarks/campaign.py [RUNS [DURATION]]``: 20 runs of a
motion of 20 s by default.
"""

from pathlib import Path
import sys
from tempfile import TemporaryDirectory
import time

import numpy as np
from timing import print_machine, print_table
import yaml

from spacerobot_id.campaign.campaign_file import campaign_from_inputs, campaign_inputs
from spacerobot_id.campaign.execution import (
    dask_runs,
    finished_run,
    local_or_remote_client,
    Work,
)
from spacerobot_id.campaign.run import planned
from spacerobot_id.excitation.trajectory.plan_file import plan_text

WORKERS, WARM = 2, 4


def work_of(folder: Path, runs: int, duration: float) -> Work:
    """Return a campaign of the servicer, its plan made once."""
    content = {
        'robot': 'servicer',
        'prior': 'servicer_prior',
        'runs': runs,
        'plan': {'duration': duration, 'draws': 20, 'restarts': 1, 'iterations': 10},
        'dispersions': [
            {
                'keys': 'links.*.mass',
                'factor': {'normal': {'mean': 100, 'std': 5}},
                'unit': '%',
            },
            {
                'keys': 'noise.joint_rate',
                'factor': {'uniform': {'low': 50, 'high': 150}},
                'unit': '%',
            },
        ],
    }
    path = folder / 'campaign.yaml'
    path.write_text(yaml.safe_dump(content))
    inputs = campaign_inputs(path)
    return Work(inputs, plan_text(planned(campaign_from_inputs(inputs))))


def main() -> None:
    """Run and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    duration = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    print_machine()
    with TemporaryDirectory() as folder:
        work = work_of(Path(folder), runs + WARM, duration)
        finished_run(work, 0)  # compiled
        with local_or_remote_client(WORKERS, '') as client:
            list(dask_runs(client, work, iter(range(WARM))))  # each worker has begun
            begin, processor = time.perf_counter(), time.process_time()
            alone = [finished_run(work, WARM + index) for index in range(runs)]
            serial, busy = time.perf_counter() - begin, time.process_time() - processor
            begin = time.perf_counter()
            together = list(dask_runs(client, work, iter(range(WARM, WARM + runs))))
            parallel = time.perf_counter() - begin
    rows = {each.row['index']: each.row for each in together}
    same = all(rows[each.row['index']] == each.row for each in alone)
    memory = np.array([each.memory for each in together]) / 2**20
    half = max(len(memory) // 2, 1)
    grown = np.median(memory[half:]) - np.median(memory[:half])
    print(f'\nServicer, {runs} runs of a motion of {duration:g} s')
    print_table(
        ['', 'value'],
        [
            ['a run, serial, s', f'{serial / runs:.3f}'],
            ['a run, serial, s of processor', f'{busy / runs:.3f}'],
            [f'a run on {WORKERS} workers, s', f'{parallel / runs:.3f}'],
            ['that over a half of serial', f'{parallel / (0.5 * serial):.3f}'],
            ['same rows', 'yes' if same else 'NO'],
            ['most memory of a worker, MB', f'{memory.max():.0f}'],
            ['its growth, median of the second half less the first, MB', f'{grown:.1f}'],
        ],
    )


if __name__ == '__main__':
    main()

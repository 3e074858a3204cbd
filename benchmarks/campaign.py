"""Time per run of a campaign on two workers against a serial loop over the same core.

The servicer with masses and noise dispersed, along one plan; the serial loop runs some of the same
indices in this process, block by block between those of the workers, so that other work on the
computer slows both. Run with ``python benchmarks/campaign.py [RUNS [DURATION]]``: 20 runs of a
motion of 20 s by default.
"""

from dataclasses import replace
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
import time

from distributed import Client
import numpy as np
from timing import print_machine, print_table, with_one_thread
import yaml

from spacerobot_id.excitation.trajectory.plan_file import plan_text
from spacerobot_id.lab.campaign.campaign_file import (
    campaign_from_inputs,
    campaign_inputs,
    CampaignInputs,
)
from spacerobot_id.lab.campaign.cluster import dask_runs, local_or_remote_client
from spacerobot_id.lab.campaign.execution import finished_run
from spacerobot_id.lab.campaign.run import planned

WORKERS, WARM = 2, 4
BLOCK, SERIAL = 100, 5
"""Runs of a block on the workers; one in so many of them is run serially, too."""


def campaign_file(folder: Path, runs: int, duration: float, **others: object) -> Path:
    """Write a campaign of the servicer; return its file."""
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
    path.write_text(yaml.safe_dump(content | others))
    return path


def work_of(folder: Path, runs: int, duration: float, **others: object) -> CampaignInputs:
    """Return a campaign of the servicer, its plan made once."""
    inputs = campaign_inputs(campaign_file(folder, runs, duration, **others))
    return replace(inputs, plan=plan_text(planned(campaign_from_inputs(inputs))))


def processors_of(client: Client) -> float:
    """Return the processor time of workers, scheduler and client so far, s."""
    return sum(client.run(time.process_time).values()) + time.process_time()


def main() -> None:
    """Run and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    duration = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    with_one_thread()
    print_machine()
    alone, together, serial, busy, parallel, processors = [], [], 0.0, 0.0, 0.0, 0.0
    with TemporaryDirectory() as folder:
        work = work_of(Path(folder), runs + WARM, duration)
        finished_run(work, 0)  # compiled
        with local_or_remote_client(WORKERS, '') as client:
            list(dask_runs(client, work, iter(range(WARM))))  # each worker has begun
            for first in range(WARM, WARM + runs, BLOCK):
                indices = range(first, min(first + BLOCK, WARM + runs))
                begin, processor = time.perf_counter(), time.process_time()
                alone += [finished_run(work, index) for index in indices[::SERIAL]]
                serial += time.perf_counter() - begin
                busy += time.process_time() - processor
                begin, processor = time.perf_counter(), processors_of(client)
                together += dask_runs(client, work, iter(indices))
                parallel += time.perf_counter() - begin
                processors += processors_of(client) - processor
    rows = {each.row['index']: each.row for each in together}
    same = all(rows[each.row['index']] == each.row for each in alone)
    failed = sum(bool(row['error']) for row in rows.values())
    serial, busy = serial / len(alone), busy / len(alone)
    parallel, processors = parallel / len(together), processors / len(together)
    memory = np.array([each.memory for each in together]) / 2**20
    print(f'\nServicer, {len(together)} runs of a motion of {duration:g} s')
    print_table(
        ['', 'value'],
        [
            [f'a run, serial ({len(alone)} of them), s', f'{serial:.3f}'],
            [f'a run on {WORKERS} workers, s', f'{parallel:.3f}'],
            ['that over a half of serial', f'{parallel / (0.5 * serial):.3f}'],
            ['a run, serial, s of processor', f'{busy:.3f}'],
            ['a run of workers, scheduler and client, s of processor', f'{processors:.3f}'],
            ['that over serial', f'{processors / busy:.3f}'],
            ['same rows', 'yes' if same else 'NO'],
            ['runs without an outcome', str(failed)],
            ['most memory of a worker, MB', f'{memory.max():.0f}'],
        ],
    )


if __name__ == '__main__':
    main()

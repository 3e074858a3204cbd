"""What many runs cost beside flying: journal, tables, the page, by the number of runs.

Rows with the columns of the campaign ``servicer`` and numbers out of a hat; nothing is flown. Run
with ``python benchmarks/campaign_tables.py [RUNS ...]``, 1000 and 10000 by default, each in a
process of its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory
import time

import numpy as np
from timing import print_machine, print_table

from spacerobot_id.lab.campaign.analysis.calibration import applied
from spacerobot_id.lab.campaign.analysis.page import campaign_page
from spacerobot_id.lab.campaign.campaign_file import campaign_from_inputs, campaign_inputs
from spacerobot_id.lab.campaign.execution import Execution, FinishedRun
from spacerobot_id.lab.campaign.result_folder import columns_of, load_results, ResultFolder
from spacerobot_id.report.page.render import write_page

SIZES = (1000, 10_000)
MEGABYTE = 2.0**20


def memory() -> float:
    """Return the most memory that this process has had, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


class Hat:
    """Finished runs with numbers out of a hat, and the time that these take."""

    def __init__(self, types: dict[str, str]) -> None:
        self.types, self.seconds = types, 0.0
        self.rng = np.random.default_rng(0)

    def __call__(self, indices: Iterator[int]) -> Iterator[FinishedRun]:
        """Yield a run for every index."""
        for index in indices:
            begin = time.perf_counter()
            numbers = self.rng.random(len(self.types)).tolist()
            row = dict(zip(self.types, numbers, strict=True)) | {'index': index}
            row |= {key: '' for key, kind in self.types.items() if kind == 'string'}
            row |= {key: True for key, kind in self.types.items() if kind == 'bool_'}
            self.seconds += time.perf_counter() - begin
            yield FinishedRun(row, 1.0, 1.0)


def measured(runs: int) -> list[str]:
    """Return a row of the table."""
    campaign = campaign_from_inputs(replace(campaign_inputs('servicer'), runs=runs))
    campaign = replace(campaign, stops_when_decided=False)
    columns = columns_of(campaign)
    hat, at_first = Hat(columns.types()), memory()
    with TemporaryDirectory() as name:
        folder = ResultFolder(Path(name), columns, runs, campaign.batch)
        begin, execution = time.perf_counter(), Execution(campaign, folder)
        execution.run(hat)
        spent = time.perf_counter() - begin - hat.seconds
        begin, flown = time.perf_counter(), memory()
        table = folder.combine(runs)
        combined = time.perf_counter() - begin
        begin, page = time.perf_counter(), Path(name) / 'report.html'
        results = load_results(table)
        proof = applied(campaign.draws.dispersions, results)
        given = execution.judgements(), proof, name, float(runs)
        write_page(campaign_page(campaign, results, *given), page)
        written = time.perf_counter() - begin
        return [
            str(runs),
            f'{1e3 * spent / runs:.2f}',
            f'{combined:.1f}',
            f'{written:.1f}',
            f'{table.stat().st_size / runs / 1e3:.2f}',
            f'{page.stat().st_size / MEGABYTE:.1f}',
            f'{flown - at_first:.0f}',
            f'{memory() - at_first:.0f}',
        ]


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ['--one']:
        print('\t'.join(measured(int(sys.argv[2]))))
        return
    print_machine()
    rows = []
    for runs in sys.argv[1:] or map(str, SIZES):
        command = [sys.executable, __file__, '--one', runs]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(ran.stdout.strip().splitlines()[-1].split('\t'))
    head = ['runs', 'a row, ms', 'table, s', 'page, s', 'kB a row', 'page, MB']
    print_table([*head, 'grown until then, MB', 'and with page, MB'], rows)


if __name__ == '__main__':
    main()

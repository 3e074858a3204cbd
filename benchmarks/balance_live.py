"""Momentum balance live on an air-bearing table: agreement with the batch fit, work, age.

A flight as in ``balance.py`` is handed to the recursion in blocks of 0.2 s, as a node does. The
age of the estimate is that of the last sample in it, were every fit as long as its processor time
and the flight's clock the wall's.
Run with ``OPENBLAS_NUM_THREADS=1 python benchmarks/balance_live.py [SECONDS] [SEEDS]``, one flight
of 180 s by default.
"""

from dataclasses import dataclass
from itertools import pairwise
import sys
import time

from balance import CLOCK, records, UNKNOWN
import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from timing import print_machine, print_table

from spacerobot_id.estimation import absorb, begin_identification
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import PriorSettings

PERIOD = 0.2
"""Time between blocks, s: the node's default."""


@dataclass(frozen=True, eq=False)
class Run:
    """A flight identified live: the last state, and when each fit ended with which samples."""

    state: Identification
    ends: NDArray[np.float64]
    until: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def ages(self, step: float = 0.01) -> NDArray[np.float64]:
        """Return the age of the estimate at even times after the first fit, s."""
        times = np.arange(self.ends[0], self.ends[-1], step)
        return times - self.until[np.searchsorted(self.ends, times, side='right') - 1]


def flown(seed: int, duration: float) -> tuple[MomentumBalance, Record]:
    """Return the method with a drawn description, and what the sensors see."""
    _, prior, (record,) = records(seed, 1, duration)
    weighed = PriorSettings(1.0, 1e-3)
    method = MomentumBalance(
        prior,
        planar=True,
        prior_settings=weighed,
        actuators=UNKNOWN,
        calibration=CLOCK,
    )
    return method, record


def live(method: MomentumBalance, record: Record) -> Run:
    """Return what comes of a record block by block."""
    state, free = begin_identification(method), -np.inf
    ends, until, seconds = [], [], []
    edges = np.arange(record.times[0], record.times[-1] + PERIOD, PERIOD)
    for begin, end in pairwise(edges):
        block = record[(record.times >= begin) & (record.times < end)]
        if not len(block):
            continue
        before, started = state.smoothed_until, time.process_time()
        state = absorb(state, block)
        took = time.process_time() - started
        free = max(free, end) + took
        seconds.append(took)
        if state.smoothed_until != before:
            ends.append(free)
            until.append(state.smoothed_until)
    return Run(state, np.array(ends), np.array(until), np.array(seconds))


def main() -> None:
    """Fly, identify live and at once, and print."""
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print_machine()
    live(*flown(0, 22.0))  # compiles
    rows = []
    for seed in range(seeds):
        method, record = flown(seed, duration)
        run = live(method, record)
        begin = time.process_time()
        batch = fit_flights(method, [method.flight(record)])
        at_once = time.process_time() - begin
        off = run.state.information.values() - batch.values
        live_std, std = (
            np.sqrt(np.diag(each.covariance()))
            for each in (run.state.information, batch.information)
        )
        halves = np.array_split(run.seconds, 2)
        rows.append([
            str(seed),
            f'{np.sum((batch.information.factor @ off) ** 2):.1f}',
            f'{(live_std / std).min():.2f} to {(live_std / std).max():.2f}',
            ' and '.join(f'{np.sum(each) / (0.5 * duration):.2f}' for each in halves),
            f'{np.percentile(run.ages(), 50):.2f}',
            f'{np.percentile(run.ages(), 99):.2f}',
            f'{at_once:.1f}',
        ])  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    bound = chi2.ppf(0.95, len(off))
    print(f'\nAir-bearing robot, flights of {duration:g} s, 10 Hz; 95 % region to {bound:.1f}')
    heads = ['seed', 'distance to the batch fit', 'deviations over its', 'cores, by halves']
    print_table([*heads, 'age, median, s', 'p99, s', 'batch fit, s'], rows)


if __name__ == '__main__':
    main()

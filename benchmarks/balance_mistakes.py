"""Errors of thrusters, wrenches and poses that are taken for none: are they named and noticed.

The air-bearing robot of ``balance.py``, drawn for every seed, one flight of 60 s, MuJoCo as the
plant, all its errors unknown and then one of them taken for none. The free-flyer of [Ekal 2019]
with a load, 40 s along a motion drawn for every seed, poses with the paper's noise: nothing off,
wrenches that scatter, and one mistake each. ``valid and off``: off by more than three standard
deviations in a parameter, and yet to be used. Run with
``python benchmarks/balance_mistakes.py [SEEDS [CLEAN]]``, 4 by default; flights of the free-flyer
without a mistake, and with one that is noise, as many as CLEAN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
import sys
import time

from balance import CASES, drawn, KNOWN, method_of
import numpy as np
from numpy.typing import NDArray
from timing import print_machine, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'support'))

from air_bearing import air_bearing
from flight_mistakes import late, scattered, seen_from, with_strengths
import free_flyer_flights as free_flyer

from spacerobot_id.estimation import identify
from spacerobot_id.estimation.batch.cause import cause_name
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.method import Method

POINT, MOUNTING = (0.05, -0.03, 0.04), (0.05, -0.03, 0.04)
ON_FREE_FLYER: dict[str, Callable[[Record, np.random.Generator], Record]] = {
    'none': lambda flown, rng: flown,
    'none, wrenches scatter by 15 %': lambda flown, rng: scattered(flown, 0.15, rng),
    'force along x 10 % weak': lambda flown, rng: with_strengths(flown, [0.9, *[1.0] * 5]),
    'torque about y 20 % weak': lambda flown, rng: with_strengths(flown, [*[1.0] * 4, 0.8, 1.0]),
    'all strengths off by 10 % (RMS)': lambda flown, rng: with_strengths(
        flown, np.exp(0.1 * rng.normal(size=6))
    ),
    'markers 7 cm off': lambda flown, rng: seen_from(flown, POINT),
    'markers 4 deg askew': lambda flown, rng: seen_from(flown, mounting=MOUNTING),
    'wrench 50 ms late': lambda flown, rng: late(flown, 0.05),
    'wrench 0.3 s late': lambda flown, rng: late(flown, 0.3),
}
"""Mistakes of the free-flyer's wrenches and poses."""


@dataclass(frozen=True)
class Outcome:
    """What an identification comes to.

    Parameters
    ----------
    worst : float
        Error of the worst parameter, in standard deviations.
    is_usable : bool
        Whether it may be used.
    named : str
        Cause that is named first; empty if none is.
    seconds : float
        Processor time, s.
    """

    worst: float
    is_usable: bool
    named: str
    seconds: float


def outcome(record: Record, method: Method, truth: NDArray[np.float64]) -> Outcome | None:
    """Return what an identification comes to; None where there is none."""
    begin = time.process_time()
    try:
        result = identify(record, method)
    except EstimationError:
        return None
    error = np.abs(result.estimate.values - truth) / result.estimate.std
    named = cause_name(result.causes[0].description) if result.causes else ''
    return Outcome(float(error.max()), result.is_usable, named, time.process_time() - begin)


def summary(name: str, every: list[Outcome | None]) -> list[str]:
    """Return a row of the table."""
    found = [each for each in every if each is not None]
    named = [each.named for each in found]
    texts = [f'{key} {named.count(key)}' for key in sorted(set(named) - {''})]
    lies = sum(each.is_usable and each.worst > 3.0 for each in found)
    return [
        name,
        f'{len(every)}',
        f'{np.median([each.worst for each in found]):.1f}' if found else '',
        ', '.join(texts) or '-',
        f'{sum(each.is_usable for each in found)}',
        f'{lies}',
        f'{np.mean([each.seconds for each in found]):.1f}' if found else '',
    ]


HEADS = (
    *('taken for exact and is not', 'flights', 'worst error, deviations (median)', 'named first'),
    *('valid', 'valid and off', 'seconds'),
)


def on_table(seeds: int) -> list[list[str]]:
    """Return rows of the robot on an air-bearing table."""
    truth, rows = air_bearing(), []
    draws = [drawn(seed, 1) for seed in range(seeds)]
    for name in (each for each in CASES if each != KNOWN):
        found = []
        for draw in draws:
            method = method_of(draw, name)
            found.append(outcome(draw.records[0], method, method.minimal.values(truth)))
        rows.append(summary(name, found))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def in_space(seeds: int, clean: int) -> list[list[str]]:
    """Return rows of the free-flyer."""
    method, rows = FreeFlyer(free_flyer.ROBOT), []
    for name, change in ON_FREE_FLYER.items():
        found = []
        for seed in range(clean if name.startswith('none') else seeds):
            flown = free_flyer.record(free_flyer.flight(seed=1 + seed), seed=seed)
            flown = change(flown, np.random.default_rng(seed))
            found.append(outcome(flown, method, free_flyer.LOADED.vector))
        rows.append(summary(name, found))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Fly, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    clean = int(sys.argv[2]) if len(sys.argv) > 2 else seeds
    print_machine()
    for title, rows in (
        ('momentum_balance, air-bearing robot', on_table(seeds)),
        ('free_flyer, Space CoBot with a load', in_space(seeds, clean)),
    ):
        print(f'\n{title}')
        print_table(list(HEADS), rows)


if __name__ == '__main__':
    main()

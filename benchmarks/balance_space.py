"""Momentum balance of a servicer in space, MuJoCo as the plant: intervals, and what they cost.

The shipped servicer with twelve thrusters, three wheels and a moving arm, all drawn for every
seed: a description as far off as its prior allows, strengths 30 % off, 15 % lost per further open
valve, 20 ms dead time, 150 ms delay, pulses that scatter by 15 %; poses at 20 Hz and a gyro at
50 Hz with the noise of the shipped robot. Errors of parameters are those over masses and radii of
gyration of their links. Then the same with thrusters exactly as stated.
Run with ``OPENBLAS_NUM_THREADS=1 python benchmarks/balance_space.py [SEEDS] [SECONDS]``, 8 draws
of one flight of 30 s by default.
"""

import sys
import time

from balance import Found, HEADS, judged, summary
import numpy as np
from space_flights import DESCRIBED, drawn_servicer, LATE, UNKNOWN
from thruster_flights import Truth
from timing import print_machine, print_table

from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings

CASES = {
    'all unknowns': (LATE, UNKNOWN),
    'thrusters as stated': (Truth(), ActuatorSettings()),
}


def errors(seed: int, duration: float, name: str) -> Found:
    """Return what a fit of one draw comes to."""
    method, record, truth = drawn_servicer(seed, duration, *CASES[name])
    begin = time.process_time()
    fit = fit_flights(method, [method.flight(record)])
    seconds = time.process_time() - begin
    prior, count = method.prior(), len(method.minimal)
    before = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))[:count]
    return judged(method, fit, truth, before / DESCRIBED.relative_std, seconds)


def main() -> None:
    """Fly, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    duration = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    print_machine()
    rows = []
    for name in CASES:
        rows.append(summary(name, [errors(seed, duration, name) for seed in range(seeds)]))
        print(rows[-1], file=sys.stderr, flush=True)
    print(f'\nServicer with twelve thrusters, {seeds} draws of one flight of {duration:g} s')
    print_table(list(HEADS), rows)


if __name__ == '__main__':
    main()

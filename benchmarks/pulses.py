"""Pulses of thrusters that are chosen by what they show, beside pulses drawn at random.

The robot of an air-bearing table along one motion of its arm, MuJoCo as the plant; thrusters 30 %
off, with losses, dead time and delay, which momentum balance estimates beside the parameters; the
mass known to 0.1 %. Run with ``python benchmarks/pulses.py [SEEDS]``, 4 by default.
"""

from pathlib import Path
import sys
import time

import numpy as np
from timing import print_machine, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'support'))

from fired_flights import COUNTED, flown, found_after, objective_of, PRIOR

from spacerobot_id.excitation.planner_settings import SEGMENT, ThrustParameters

DURATION = 60.0


def main() -> None:
    """Fly, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    print_machine()
    rows, gains = [], []
    for seed in range(seeds):
        method, drawn = found_after(None, seed, DURATION)
        _, chosen = found_after(objective_of(COUNTED), seed, DURATION)
        ratio, count = chosen / drawn, len(method.minimal)
        gains.append(np.log(ratio[:count][drawn[:count] < 0.5]).mean())
        cells = [np.exp(gains[-1])]
        for key in ('strength', 'strength_loss', 'dead_time', 'delay.wrench'):
            cells.append(np.exp(np.log(ratio[method.unknowns.places[key]]).mean()))
        rows.append([f'{seed}', *(f'{cell:.2f}' for cell in cells)])
    worked = []
    for objective in (None, objective_of(COUNTED)):
        begin = time.process_time()
        flown(ThrustParameters(), 0, PRIOR, DURATION, objective)
        worked.append(1e3 * (time.process_time() - begin) * SEGMENT / DURATION)
    print(f'\nStandard deviations with chosen pulses over those with drawn ones, {DURATION:g} s')
    heads = ['seed', 'parameters', 'strengths', 'loss', 'dead time', 'delay of the thrust']
    print_table(heads, rows)
    print(f'parameters, all seeds: {np.exp(np.mean(gains)):.2f}')
    print(f'ms of processor for a segment of {SEGMENT:g} s: {worked[0]:.0f} and {worked[1]:.0f}')


if __name__ == '__main__':
    main()

"""Processor time of what the frozen figures are of, against a fixed piece of work, and as frozen.

Every method identifies its reference log (``test/reference``), taking turns with triangularising
the same matrices: the ratio is of the code and not of the machine. Beside it stands the ratio in
``frozen_time.yaml``; code that takes more than 1.1 times that is said to be slower. Run with
``python benchmarks/frozen_time.py``, on a machine that does nothing else; ``--write`` freezes.
"""

from pathlib import Path
import sys
import time

import numpy as np
from timing import print_machine, print_table, with_one_thread
import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'support'))

FROZEN = Path(__file__).with_suffix('.yaml')
SLOWER, REPEATS = 1.1, 3


def peer() -> None:
    """Triangularise a hundred matrices of 600 rows and 60 columns."""
    matrices = np.random.default_rng(0).normal(size=(100, 600, 60))
    for matrix in matrices:
        np.linalg.qr(matrix, mode='r')


def processor_seconds(work: object) -> float:
    """Return the processor time of some work, s."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def ratios() -> dict[str, float]:
    """Return times by log and method over that of the peer, the least of some turns each."""
    from reference_logs import CASES, recorded

    from spacerobot_id.estimation import identify

    found = {}
    for log, method in CASES:
        record, begun = recorded(log, method)

        def work(record: object = record, begun: object = begun) -> None:
            identify(record.measurement, begun, with_links=False)

        work()
        turns = [(processor_seconds(work), processor_seconds(peer)) for _ in range(REPEATS)]
        found[f'{log}: {method}'] = min(own for own, _ in turns) / min(of for _, of in turns)
    return found


def main() -> None:
    """Print ratios as they are and as they were, or freeze them."""
    with_one_thread()
    print_machine()
    found = ratios()
    if '--write' in sys.argv:
        rounded = {name: float(f'{ratio:.3g}') for name, ratio in found.items()}
        FROZEN.write_text(yaml.safe_dump(rounded, sort_keys=False))
    frozen = yaml.safe_load(FROZEN.read_text())
    rows = [
        (
            name,
            f'{ratio:.2f}',
            f'{frozen[name]:.2f}',
            'slower' if ratio > SLOWER * frozen[name] else '',
        )
        for name, ratio in found.items()
    ]
    print_table(('log: method', 'times the peer', 'frozen', ''), rows)


if __name__ == '__main__':
    main()

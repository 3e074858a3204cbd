"""What commands take, start-up included, against importing the libraries that they need.

Processor time of fresh interpreters, the commands and the import taking turns, so that all see the
same machine: what other work does to it cancels in the ratios. Logs are made first; what is
compiled once, and then kept on disk, is not counted. Run with
``python benchmarks/commands.py [REPEATS] [--plans]``, 3 by default; with ``--plans`` planning,
which takes minutes, is measured, too. With ``--cold`` alone: how much longer commands take the
first time, when they compile.
"""

import os
from pathlib import Path
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory

from accuracy import PLANS
import numpy as np
from timing import print_machine, print_table, ROBOTS

CLI = [sys.executable, '-m', 'spacerobot_id']
IMPORT = 'import numpy, scipy.linalg, scipy.spatial.transform, numba, rosbags.highlevel'
PEER, ONE_THREAD = 'import of the libraries', {'OPENBLAS_NUM_THREADS': '1'}
LONGEST, ALONE = 'identify, servicer, 120 s', 'with one thread by hand'
DUAL_ARM, SERVICER = (ROBOTS / f'{name}_prior.urdf' for name in ('naveen_dual_arm', 'servicer'))
MOST_COMPILING = 25.0
"""Time that compiling is to take in a plan, a simulation and a fit together, s."""
ARM = ROBOTS / 'christidi_spatial_arm_prior.urdf'


def processor_seconds(command: list[str], **variables: str) -> float:
    """Return the processor time that a command takes, all of its threads together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **variables})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def simulated(robot: Path, plan: str, bag: Path) -> Path:
    """Return the log of a robot along a recorded plan."""
    true = robot.with_name(robot.name.replace('_prior', ''))
    subprocess.run(
        [*CLI, 'simulate', str(true), '--plan', str(PLANS / plan), '--out', str(bag)],
        check=True,
        capture_output=True,
    )
    return bag


def commands(folder: Path, *, with_plans: bool) -> dict[str, tuple[list[str], float, float]]:
    """Return commands, and what is wanted of each: so many times the import, and so many s."""
    dual = str(simulated(DUAL_ARM, 'dual_arm.yaml', folder / 'dual'))
    servicer = str(simulated(SERVICER, 'servicer.yaml', folder / 'servicer'))
    of_servicer = [servicer, '--robot', str(SERVICER)]
    out = str(folder / 'page')
    found = {
        '--help': ([*CLI, '--help'], 0.0, 0.4),
        'identify, dual arm, 67 s': (
            [*CLI, 'identify', dual, '--robot', str(DUAL_ARM)], 1.2, 1.0,
        ),
        LONGEST: ([*CLI, 'identify', *of_servicer], 1.2, 2.0),
        'report, servicer, 120 s': ([*CLI, 'report', *of_servicer, '--out', out], 0.0, 4.0),
    }  # fmt: skip
    if with_plans:
        plan = [*CLI, 'plan', '--no-page', '--out', str(folder / 'plan.yaml')]
        turning = ['--angular-momentum', '0.1', '0.2', '0.3']
        found['plan, servicer, 120 s'] = ([*plan, str(SERVICER), '--duration', '120'], 0.0, 15.0)
        found['plan, spatial arm, turning'] = ([*plan, str(ARM), *turning], 0.0, 15.0)
    return found


def print_cold(folder: Path) -> None:
    """Print what a plan, a simulation and a fit take with kernels to compile, and without."""
    plan, bag, true = folder / 'plan.yaml', folder / 'bag', str(SERVICER).replace('_prior', '')
    found = {
        'plan': ['plan', str(SERVICER), '--duration', '20', '--no-page', '--out', str(plan)],
        'simulate': ['simulate', true, '--prior', str(SERVICER), '--plan', str(plan)],
        'identify': ['identify', str(bag), '--robot', str(SERVICER)],
    }
    found['identify'] += ['--method', 'momentum_balance']
    rows = []
    for name, command in found.items():
        caches, spent = {'NUMBA_CACHE_DIR': str(folder / f'cache_{name}'), **ONE_THREAD}, []
        for run in ('cold', 'warm'):
            out = ['--out', str(bag if run == 'cold' else folder / 'again')]
            full = [*CLI, *command, *(out if name == 'simulate' else [])]
            spent.append(processor_seconds(full, **caches))
        rows.append([name, *(f'{each:.1f}' for each in (*spent, spent[0] - spent[1]))])
    total = sum(float(row[-1]) for row in rows)
    print_table(['processor time', 'cold s', 'warm s', 'compiling s'], rows)
    print(f'compiling of all three: {total:.1f} s, wanted at most {MOST_COMPILING:g} s')


def main() -> None:
    """Print the table."""
    if '--cold' in sys.argv:
        with TemporaryDirectory() as folder:
            print_cold(Path(folder))
        return
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    repeats = numbers[0] if numbers else 3
    print_machine()
    with TemporaryDirectory() as folder:
        wanted = commands(Path(folder), with_plans='--plans' in sys.argv)
        alike = {name: command for name, (command, *_) in wanted.items()}
        runs = []
        for _ in range(repeats + 1):
            run = {name: processor_seconds(command) for name, command in alike.items()}
            run[PEER] = processor_seconds([sys.executable, '-c', IMPORT], **ONE_THREAD)
            run[ALONE] = processor_seconds(alike[LONGEST], **ONE_THREAD)
            runs.append(run)
    del runs[0]  # it compiles, and fills caches
    middle = {name: float(np.median([run[name] for run in runs])) for name in runs[0]}
    peer = middle[PEER]
    rows = [[PEER, f'{peer:.2f}', '1.0', '', '']]
    for name, (_, times, seconds) in wanted.items():
        spent, bound = middle[name], times * peer + seconds
        verdict = 'met' if spent <= bound else 'missed'
        rows.append([name, f'{spent:.2f}', f'{spent / peer:.1f}', f'{bound:.2f}', verdict])
    print_table(['processor time, median', 's', 'over the import', 'wanted s', ''], rows)
    ratio = middle[LONGEST] / middle[ALONE]
    print(f'{LONGEST}: {ratio:.2f} times the processor time of OPENBLAS_NUM_THREADS=1')


if __name__ == '__main__':
    main()

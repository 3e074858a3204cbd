"""How many files of the package a command runs through: what a newcomer has to read.

Each command runs once for its imports and compiled functions, and then with ``sys.setprofile``: a
file counts if any of its functions is called. Run with ``python benchmarks/files_traced.py``, with
``--list`` for the names of the files.
"""

from collections.abc import Callable
import contextlib
import inspect
import io
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
import threading

from accuracy import PLANS
from timing import print_table, ROBOTS

import spacerobot_id
from spacerobot_id.cli.main import main
from spacerobot_id.model import load_robot

PACKAGE = str(Path(spacerobot_id.__file__).parent)
DUAL_ARM = ROBOTS / 'naveen_dual_arm_prior.urdf'
AIR_BEARING = ROBOTS / 'air_bearing_prior.urdf'


def files_run(work: Callable[[], object]) -> list[str]:
    """Return the files of the package whose functions some work calls the second time."""
    found = set()

    def note(frame: object, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == 'call' and code.co_flags & inspect.CO_OPTIMIZED:
            found.add(code.co_filename)

    work()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(
        each.removeprefix(PACKAGE)
        for each in found
        if each.startswith(PACKAGE) and each.endswith('.py')
    )


def command(*arguments: object) -> Callable[[], None]:
    """Return what runs a command and keeps its output to itself."""

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main([str(each) for each in arguments])
        if code:
            raise SystemExit(f'{arguments[0]} ended with {code}')

    return run


def all_of(folder: Path) -> dict[str, tuple[Callable[[], object], int]]:
    """Return what is traced, and how many files it is to take at most."""
    plan, bag = folder / 'plan.yaml', folder / 'bag'
    true = DUAL_ARM.with_name('naveen_dual_arm.urdf')
    command('simulate', true, '--plan', PLANS / 'dual_arm.yaml', '--out', bag)()
    return {
        'URDF to model': (lambda: load_robot(DUAL_ARM), 12),
        'plan': (command('plan', DUAL_ARM, '--duration', 10, '--out', plan), 50),
        'identify': (command('identify', bag, '--robot', DUAL_ARM), 105),
    }


def trace() -> None:
    """Print what is traced, its files, and how many it is to take at most."""
    rows, names = [], {}
    with TemporaryDirectory() as folder:
        for name, (work, most) in all_of(Path(folder)).items():
            names[name] = files_run(work)
            rows.append((name, f'{len(names[name])}', f'{most}'))
    print_table(('traced', 'files', 'at most'), rows)
    if '--list' in sys.argv:
        for name, files in names.items():
            print(f'\n{name}', *files, sep='\n  ')


if __name__ == '__main__':
    trace()

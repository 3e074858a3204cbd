"""Runs many cases within bounds of time, memory and place, and tells what came of them.

``make fuzz`` runs 100000 cases; ``python test/support/fuzzing/runner.py --target urdf --case 17``
runs one again.
"""

import argparse
from collections import Counter
import faulthandler
import json
import os
from pathlib import Path
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzzing.targets import targets
from spacerobot_id.exceptions import SpaceRobotIdError

LONGEST = 10.0
"""Time that a case may take, of the processor, s: machines are busy with other work, too."""

_WALL = 12.0
"""Times that on the clock after which the whole run ends with a traceback: nothing goes on."""

MOST_MEMORY = 2**30
"""Memory that cases may take beyond what the process has before the first, bytes."""

_WRITES = ('w', 'a', 'x', '+')
_PATHS = ('os.mkdir', 'os.rename', 'os.remove', 'os.rmdir', 'os.symlink', 'os.truncate')
_FORBIDDEN = ('os.system', 'os.exec', 'os.posix_spawn', 'subprocess.Popen', 'socket.connect')


class HangError(BaseException):
    """A case takes too long."""


class EscapeError(BaseException):
    """A case writes where it must not, or starts something."""


class Guard:
    """Watches that files are written within one folder only, and nothing is started."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.escaped = ''
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple) -> None:
        if self.folder is None:
            return
        if event == 'open' and isinstance(arguments[1], str):
            is_written = any(mark in arguments[1] for mark in _WRITES)
        else:
            is_written = event in _PATHS
        if event in _FORBIDDEN or (is_written and not self._is_inside(arguments[0])):
            self.escaped = f'{event} {arguments[0]!r}'
            raise EscapeError(self.escaped)

    def _is_inside(self, path: object) -> bool:
        if not isinstance(path, (str, bytes)):
            return True  # an open file
        whole = Path(os.path.realpath(os.fsdecode(path)))
        inside = (self.folder, Path('/dev'))
        return any(whole.is_relative_to(each) for each in inside) or '__pycache__' in whole.parts


def _hang(*_: object) -> None:
    raise HangError(f'longer than {LONGEST:g} s')


def _limit_memory() -> None:
    pages = int(Path('/proc/self/statm').read_text().split()[0])
    limit = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run_case(target, folder: Path, seed: str, guard: Guard) -> str:
    """Run one case; return its outcome: taken, refused, or how it failed."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    guard.folder, guard.escaped = folder, ''
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    faulthandler.dump_traceback_later(_WALL * LONGEST, exit=True)
    try:
        target.run(folder, random.Random(seed))
        return 'taken' if not guard.escaped else f'wrote outside: {guard.escaped}'
    except SpaceRobotIdError as error:
        return 'refused' if str(error).strip() else 'refused without a word'
    except MemoryError:
        return f'memory: {traceback.format_exc(limit=-2)}'
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        ours = [each for each in traceback.extract_tb(error.__traceback__) if _is_ours(each)]
        at = ours[-1] if ours else where
        text = f'{type(error).__name__}: {str(error)[:80]!r}'
        return f'{text} at {Path(at.filename).name}:{at.lineno} {at.name}'
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        faulthandler.cancel_dump_traceback_later()
        guard.folder = None


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return '/spacerobot_id/' in frame.filename


def main() -> int:
    """Run; print one JSON object; return 1 where a case failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cases', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--target', help='this one only')
    parser.add_argument('--case', type=int, help='this one only')
    parser.add_argument('--keep', type=Path, help='folder for the files of cases that fail')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    signal.signal(signal.SIGPROF, _hang)
    with tempfile.TemporaryDirectory() as name:
        corpus, folder = Path(name).resolve() / 'corpus', Path(name).resolve() / 'work'
        corpus.mkdir()
        folder.mkdir()
        report = _run_all(targets(corpus), folder, options)
    sys.stdout.write(json.dumps(report, indent=1) + '\n')
    return int(bool(report['failures']))


def _peak_megabytes() -> int:
    """Return the most memory that this program has had; getrusage counts its parent's, too."""
    status = Path('/proc/self/status').read_text()
    return int(re.search(r'VmHWM:\s+(\d+)', status)[1]) // 1024


def _run_all(all_targets, folder: Path, options: argparse.Namespace) -> dict:
    chosen = [each for each in all_targets if options.target in (None, each.name)]
    before, guard = Path.cwd(), Guard()
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    _limit_memory()
    outcomes: Counter = Counter()
    slowest = dict.fromkeys((each.name for each in chosen), 0.0)
    failures: dict[str, list[str]] = {}
    begin = time.monotonic()
    numbers = [options.case] if options.case is not None else range(options.cases)
    for number in numbers:
        target = chosen[number % len(chosen)] if options.case is None else chosen[0]
        started = time.process_time()
        seed = f'{options.seed} {target.name} {number}'
        outcome = run_case(target, folder, seed, guard)
        slowest[target.name] = max(slowest[target.name], time.process_time() - started)
        is_good = outcome in ('taken', 'refused')
        outcomes[target.name, outcome if is_good else 'failed'] += 1
        if not is_good:
            failures.setdefault(f'{target.name}: {outcome}', []).append(seed)
            if options.keep:
                shutil.copytree(folder, options.keep / f'{target.name}-{number}')
    os.chdir(before)
    return {
        'cases': len(numbers),
        'seconds': round(time.monotonic() - begin, 1),
        'peak_megabytes': _peak_megabytes(),
        'targets': {
            each.name: {kind: outcomes[each.name, kind] for kind in ('taken', 'refused', 'failed')}
            | {'slowest': round(slowest[each.name], 2)}
            for each in chosen
        },
        'failures': {text: {'times': len(e), 'first': e[0]} for text, e in failures.items()},
    }


if __name__ == '__main__':
    sys.exit(main())

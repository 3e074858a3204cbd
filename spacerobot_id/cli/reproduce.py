"""``spacerobot-id reproduce``: published results, computed anew and held against the text."""

import argparse
from collections.abc import Callable, Mapping
import json
from pathlib import Path
import sys
import time

from spacerobot_id.evaluation import (
    reproduce_christidi,
    reproduce_ekal,
    reproduce_naveen,
    reproduce_wilde,
    Reproduction,
    reproduction_as_json,
    reproduction_table,
)
from spacerobot_id.exceptions import SpaceRobotIdError

_RESULTS: Mapping[str, Callable[[Path], Reproduction]] = {
    'christidi': reproduce_christidi,
    'ekal': reproduce_ekal,
    'naveen': reproduce_naveen,
    'wilde': reproduce_wilde,
}
"""By name, what takes a folder for its pictures and gives a result: others go here."""

_ALL = 'all'


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        'reproduce',
        help='compute a published result anew and hold it against the text',
        description='Compute a published result anew, draw it, and hold it against what its text '
        'says. The exit code is 1 if a claim does not hold.',
    )
    parser.add_argument('result', choices=[*sorted(_RESULTS), _ALL], help='which one, or all')
    parser.add_argument(
        '--out', type=Path, default=None, help='folder (out/reproduce/ and the name of the result)'
    )
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Reproduce one result or all of them; return 0 if all claims hold."""
    if options.result != _ALL:
        folder = options.out or Path('out/reproduce') / options.result
        result = _reproduced(options.result, folder)
        print(
            json.dumps(reproduction_as_json(result))
            if options.json
            else reproduction_table(result)
        )
        return 0 if result.holds else 1
    return _run_all(options)


def _run_all(options: argparse.Namespace) -> int:
    """Reproduce every result, those after one that cannot be computed too."""
    results, lines, failed = [], [], {}
    for name in sorted(_RESULTS):
        print(f'{name} ...', file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            result = _reproduced(name, (options.out or Path('out/reproduce')) / name)
        except SpaceRobotIdError as error:
            failed[name] = str(error)
            lines.append(f'{name}: FAILED, {error}')
            continue
        results.append(result)
        lines.append(_summary(result, time.monotonic() - begin))
        if not options.json:
            print(reproduction_table(result), end='\n\n', flush=True)
    holds = not failed and all(result.holds for result in results)
    if options.json:
        plain = [reproduction_as_json(result) for result in results]
        print(json.dumps({'holds': holds, 'results': plain, 'failed': failed}))
    else:
        print('\n'.join(lines))
    return 0 if holds else 1


def _reproduced(name: str, folder: Path) -> Reproduction:
    """Return a result, which is in its folder too."""
    folder.mkdir(parents=True, exist_ok=True)
    result = _RESULTS[name](folder)
    plain = json.dumps(reproduction_as_json(result), indent=2)
    (folder / 'result.json').write_text(plain + '\n', encoding='utf-8')
    return result


def _summary(result: Reproduction, seconds: float) -> str:
    """Return how a result went, in lines: the count, and what fails."""
    failing = [claim.text for claim in result.claims if not claim.holds]
    verdict = 'all claims hold' if result.holds else f'{len(failing)} FAIL'
    line = f'{result.name}: {len(result.claims)} numbers, {verdict}, {seconds:.0f} s'
    return '\n'.join([line, *(f'  FAILS {text}' for text in failing)])

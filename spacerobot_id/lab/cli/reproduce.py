"""``spacerobot-id reproduce``: published results, computed again and compared with the paper."""

import argparse
import json
from pathlib import Path
import sys
import time
from typing import TYPE_CHECKING

from spacerobot_id.cli.terminal import output_folder
from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.lab.papers import STUDIES, study
from spacerobot_id.whole_file import write_whole

if TYPE_CHECKING:
    from spacerobot_id.lab.papers.comparison import Reproduction

_ALL = 'all'


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Compute a published result again, draw it, and compare it with the numbers '
        'that the paper prints. The exit code is 1 if a number is outside its limits.'
    )
    parser.add_argument('result', choices=[*STUDIES, _ALL], help='which one, or all')
    parser.add_argument(
        '--out',
        type=output_folder,
        default=None,
        help='folder (out/reproduce/ and the name of the result)',
    )
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Reproduce one result or all of them; return 0 if all numbers keep their limits."""
    from spacerobot_id.lab.papers.result_text import result_as_json, result_as_text

    if options.result != _ALL:
        folder = options.out or Path('out/reproduce') / options.result
        result = _reproduced(options.result, folder)
        print(json.dumps(result_as_json(result)) if options.json else result_as_text(result))
        return 0 if result.holds else 1
    return _run_all(options)


def _run_all(options: argparse.Namespace) -> int:
    """Reproduce every result, those after one that cannot be computed too."""
    from spacerobot_id.lab.papers.result_text import result_as_json, result_as_text, summary

    results, lines, failed = [], [], {}
    for name in STUDIES:
        print(f'{name} ...', file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            result = _reproduced(name, (options.out or Path('out/reproduce')) / name)
        except SpaceRobotIdError as error:
            failed[name] = str(error)
            lines.append(f'{name}: FAILED, {error}')
            continue
        results.append(result)
        lines.append(summary(result, time.monotonic() - begin))
        if not options.json:
            print(result_as_text(result), end='\n\n', flush=True)
    holds = not failed and all(result.holds for result in results)
    if options.json:
        plain = [result_as_json(result) for result in results]
        print(json.dumps({'holds': holds, 'results': plain, 'failed': failed}))
    else:
        print('\n'.join(lines))
    return 0 if holds else 1


def _reproduced(name: str, folder: Path) -> 'Reproduction':
    """Return a result, which is in its folder too."""
    from spacerobot_id.lab.papers.result_text import result_as_json

    folder.mkdir(parents=True, exist_ok=True)
    result = study(name)(folder)
    plain = json.dumps(result_as_json(result), indent=2)
    write_whole(folder / 'result.json', plain + '\n')
    return result

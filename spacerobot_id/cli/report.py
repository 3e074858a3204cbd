"""``spacerobot-id report``: a page on an identification, or a comparison of results."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
import hashlib
import json
from pathlib import Path
import sys

from spacerobot_id.api import write_report
from spacerobot_id.cli.log_options import (
    add_identification_options,
    identified_log,
    identify_settings,
    show_warnings,
    verdict_text,
)
from spacerobot_id.cli.robot_options import described_robot
from spacerobot_id.cli.terminal import doing, output_folder
from spacerobot_id.estimation.settings import true_parameters
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import load_robot, RobotModel
from spacerobot_id.report.page.render import write_page
from spacerobot_id.report.result_files import (
    is_result,
    load_result,
    Subject,
    Truth,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Identify a robot from a rosbag2 folder and write what came out: report.html, '
        'result.json, parameters and covariance as CSV, and robot.urdf where links can exist that '
        'fit. Of several bags, or of folders with results, write a page that compares them.'
    )
    add_identification_options(
        parser,
        'rosbag2 folder, mcap or sqlite3; several are compared; or folders that reports left',
        is_robot_needed=False,
    )
    parser.add_argument(
        '--truth', metavar='ROBOT.urdf', help='the true robot, to compare the estimate with'
    )
    parser.add_argument(
        '--as-one', action='store_true', help='fit several bags as one, with momentum_balance'
    )
    parser.add_argument(
        '--out', type=output_folder, default='out/report', help='folder (%(default)s)'
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and write, or compare; return 1 where nothing fits."""
    paths = [Path(each) for each in options.bags]
    if all(map(is_result, paths)):
        return _compare(paths, options)
    if not options.robot:
        raise ConfigurationError('--robot: the prior model is needed to identify from a bag')
    robot = described_robot(options)
    if options.truth:
        options.true_robot = load_robot(options.truth, free_base=options.free_base)
    if len(paths) == 1 or options.as_one:
        return _report(options, robot)
    folders, code = _folders(paths, options.out), 0
    for bag, folder in zip(options.bags, folders, strict=True):
        alone = argparse.Namespace(**vars(options) | {'bags': [bag], 'out': folder})
        code = max(code, _report(alone, robot))
    return max(code, _compare(folders, options))


def _folders(paths: Sequence[Path], out: Path) -> list[Path]:
    """Return a folder for each bag, called after it."""
    names = [path.resolve().name for path in paths]
    if len(set(names)) < len(names):
        names = [f'{place}-{name}' for place, name in enumerate(names, 1)]
    return [out / name for name in names]


def _report(options: argparse.Namespace, robot: RobotModel) -> int:
    """Identify and write the page of a result."""
    with doing(f'identifying {", ".join(Path(bag).name for bag in options.bags)}'):
        identified = identified_log(options, robot)
    subject, beside = _with_origin(identified, options), {}
    if subject.truth is not None:
        from spacerobot_id.report.metrics import error_values

        found, true = identified.result.estimate, subject.truth.values
        errors = error_values(found.values, found.covariance, true, subject.seen)
        beside['truth'] = {'values': true.tolist()} | errors
    files, values = write_report(subject, options.out, beside)
    if options.json:
        show_warnings(identified.result)
    print(json.dumps(values, allow_nan=False) if options.json else _text(subject, files))
    return 1 if identified.has_failed else 0


def _with_origin(identified: Subject, options: argparse.Namespace) -> Subject:
    """Return what the page is about, with what it was come by and the truth."""
    from spacerobot_id.settings import changed_keys, values_from_settings

    settings = identify_settings(options)
    values = values_from_settings(settings)
    robot = Path(options.robot)
    files = {
        path.name: f'SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}'
        for path in (robot, robot.with_suffix('.yaml'))
        if path.exists()
    }
    return replace(
        identified,
        command=_command(),
        files=files,
        settings={key: values[key] for key in changed_keys(settings)},
        truth=_truth(identified, options),
    )


def _truth(identified: Subject, options: argparse.Namespace) -> Truth | None:
    """Return the parameters of the true robot, if it is given."""
    if not options.truth:
        return None
    estimate = identified.result.estimate
    try:
        values = true_parameters(identify_settings(options), options.true_robot, estimate.names)
    except ConfigurationError as error:
        raise ConfigurationError(f'--truth: {options.truth}: {error}') from None
    return Truth(Path(options.truth).name, values)


def _command() -> tuple[str, ...]:
    """Return the command that makes the report again, without the folders of this computer."""
    arguments = ('spacerobot-id', *sys.argv[1:])
    return tuple(Path(each).name if Path(each).exists() else each for each in arguments)


def _compare(paths: Sequence[Path], options: argparse.Namespace) -> int:
    """Write the page that compares results."""
    from spacerobot_id.report.comparison_page import comparison_page

    if len(paths) < 2:
        raise ConfigurationError(f'{paths[0]}: a result alone; give two or more to compare them')
    page = comparison_page([load_result(path) for path in paths])
    name = options.out / 'comparison.html'
    write_page(page, name)
    if options.json:
        print(json.dumps({'verdict': page.headline, 'words': page.verdict, 'page': str(name)}))
    else:
        print(f'{page.headline}. {page.verdict}\nwritten: {name}')
    return 0


def _text(subject: Subject, files: Sequence[Path]) -> str:
    """Return the verdict, and where the rest is."""
    page, *others = files
    beside = ', '.join(path.name for path in others)
    return f'{verdict_text(subject)}\nwritten: {page}; beside it {beside}'

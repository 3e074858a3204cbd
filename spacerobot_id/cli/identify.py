"""``spacerobot-id identify``: inertial parameters from a recorded motion."""

import argparse
import json
from pathlib import Path
import sys

from spacerobot_id.api import write_identified
from spacerobot_id.cli.log_options import (
    add_identification_options,
    identified_log,
    show_warnings,
    verdict_text,
)
from spacerobot_id.cli.robot_options import described_robot
from spacerobot_id.cli.terminal import doing, output_file
from spacerobot_id.estimation.write_back.output import Output
from spacerobot_id.estimation.write_back.output_yaml import (
    file_name,
    load_output,
    output_names,
    refuse_without_file,
    value_file,
)
from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.model import RobotModel
from spacerobot_id.report.result_files import Subject
from spacerobot_id.whole_file import write_whole


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = 'Identify the inertial parameters of a robot from a rosbag2 folder.'
    add_identification_options(
        parser, 'rosbag2 folder, mcap or sqlite3; several for momentum_balance, as one fit'
    )
    parser.add_argument(
        '--out-urdf', type=output_file, metavar='FILE', help='write the identified robot'
    )
    parser.add_argument(
        '--write',
        metavar='FILE|PRESET',
        help='write the values that other software takes, as a parameter file; presets are '
        f'{", ".join(output_names())}; those of topics and services are for ~/apply of the '
        'estimator',
    )
    parser.add_argument(
        '--write-to',
        type=output_file,
        metavar='FILE',
        help='file of --write; by default one here, named as it says',
    )
    parser.add_argument('--all', action='store_true', help='print all parameters')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify, write and print; return 1 where nothing fits or physics refuses what is asked for.

    Raises
    ------
    ConfigurationError
        If an output writes to a topic or a service.
    """
    robot = described_robot(options)
    output = _output(options, robot)
    with doing('identifying'):
        identified = identified_log(options, robot)
    urdf = write_identified(identified, options.out_urdf) if options.out_urdf else None
    values = _written(identified, output, options.write_to) if output else None
    if options.json:
        show_warnings(identified.result)
        files = {'urdf': urdf, 'written': values}
        print(json.dumps(identified.result.to_dict() | files, allow_nan=False))
    else:
        print(_text(identified, everything=options.all))
        if values:
            print(f'written: {values}')
    is_refused = (options.out_urdf and urdf is None) or (output and values is None)
    return 1 if is_refused or identified.has_failed else 0


def _output(options: argparse.Namespace, robot: RobotModel) -> Output | None:
    """Return what is to be written, once it is clear that it can be, without a running system."""
    if not options.write:
        if options.write_to:
            raise ConfigurationError('--write-to: is of --write, which is missing')
        return None
    output = load_output(options.write)
    refuse_without_file(output)
    output.check(robot)
    options.write_to = options.write_to or output_file(file_name(output))
    return output


def _written(identified: Subject, output: Output, file: Path) -> str | None:
    """Write the values of a result; return the path; warn and return None if they cannot be."""
    result = identified.result
    try:
        if not result.is_usable:
            raise ConfigurationError('the result is not usable')
        stamp = float(identified.record.times[-1])
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, value_file(result, output, stamp))
    except (SpaceRobotIdError, OSError) as error:
        print(f'--write: {file} is not written: {error}', file=sys.stderr)
        return None
    return str(file)


def _text(identified: Subject, *, everything: bool) -> str:
    """Return the result for people: the verdict, or all parameters."""
    from spacerobot_id.report.result_text import result_text

    if everything:
        return result_text(identified.result)
    return (
        f'{verdict_text(identified)}\n'
        'all parameters: identify --all; a page with charts: spacerobot-id report'
    )

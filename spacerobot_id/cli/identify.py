"""``spacerobot-id identify``: inertial parameters from a recorded motion."""

import argparse
import json
from pathlib import Path

from spacerobot_id.cli.log_options import (
    add_identification_options,
    identified_log,
    IdentifiedLog,
    show_warnings,
    write_identified,
)
from spacerobot_id.cli.robot_options import described_robot
from spacerobot_id.cli.terminal import coloured, doing


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = 'Identify the inertial parameters of a robot from a rosbag2 folder.'
    add_identification_options(
        parser, 'rosbag2 folder, mcap or sqlite3; several for momentum_balance, as one fit'
    )
    parser.add_argument('--out-urdf', metavar='FILE', help='write the identified robot')
    parser.add_argument('--all', action='store_true', help='print all parameters')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and print; return 1 where nothing fits or physics refuses the URDF asked for."""
    with doing('identifying'):
        identified = identified_log(options, described_robot(options))
    urdf = write_identified(identified, Path(options.out_urdf)) if options.out_urdf else None
    if options.json:
        show_warnings(identified.result)
        print(json.dumps(identified.result.to_dict() | {'urdf': urdf}, allow_nan=False))
    else:
        print(_text(identified, everything=options.all))
    is_refused = options.out_urdf and urdf is None
    return 1 if is_refused or identified.has_failed else 0


def _text(identified: IdentifiedLog, *, everything: bool) -> str:
    """Return the result for people: the verdict, or all parameters."""
    from spacerobot_id.report.result_text import result_text, short_text
    from spacerobot_id.report.sections.verdict import headline
    from spacerobot_id.report.subject import Subject

    if everything:
        return result_text(identified.result)
    subject = Subject(identified.result, identified.log.measurement, identified.used, '')
    tone, words = headline(subject)
    name = identified.result.method.model.name
    return (
        f'{coloured(f"{name}: {words.lower()}", tone.value)}\n{short_text(subject)}\n'
        'all parameters: identify --all; a page with charts: spacerobot-id report'
    )

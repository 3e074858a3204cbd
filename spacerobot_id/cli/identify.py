"""``spacerobot-id identify``: inertial parameters from a recorded motion."""

import argparse
import json
from pathlib import Path

from spacerobot_id.cli.log_options import (
    add_identification_options,
    identified_log,
    show_warnings,
    write_identified,
)
from spacerobot_id.cli.robot_options import described_robot


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = 'Identify the inertial parameters of a robot from a rosbag2 folder.'
    add_identification_options(parser)
    parser.add_argument('--out-urdf', metavar='FILE', help='write the identified robot')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and print; return 1 where nothing fits or physics refuses the URDF asked for."""
    from spacerobot_id.report.result_text import result_text

    identified = identified_log(options, described_robot(options))
    urdf = write_identified(identified, Path(options.out_urdf)) if options.out_urdf else None
    if options.json:
        show_warnings(identified.result)
        print(json.dumps(identified.result.to_dict() | {'urdf': urdf}, allow_nan=False))
    else:
        print(result_text(identified.result))
    is_refused = options.out_urdf and urdf is None
    return 1 if is_refused or identified.has_failed else 0

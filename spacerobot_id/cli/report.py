"""``spacerobot-id report``: a folder that says what a recorded motion told of a robot."""

import argparse
import json
from pathlib import Path

from spacerobot_id.cli.identification_json import identification_as_json
from spacerobot_id.cli.identification_options import (
    add_identification_options,
    has_failed,
    identified_log,
    show_warnings,
    write_identified,
)
from spacerobot_id.cli.recorded_log import identify_settings
from spacerobot_id.cli.report_page import report_page
from spacerobot_id.estimation import Method
from spacerobot_id.evaluation.identification_plot import save_parameter_plot, save_residual_plot
from spacerobot_id.model import load_robot


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        'report',
        help='identify and write a page with pictures, and the URDF',
        description='Identify a robot from a rosbag2 folder and write what came out: report.md '
        'with pictures, result.json, and robot.urdf where links can exist that fit.',
    )
    add_identification_options(parser)
    parser.add_argument(
        '--method',
        choices=[each.value for each in Method if not each.has_reduced_parameters],
        default=Method.OUTPUT_ERROR.value,
        help='%(default)s by default',
    )
    parser.add_argument(
        '--out', type=Path, default=Path('out/report'), help='folder (%(default)s)'
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and write; return 1 where nothing fits."""
    identified = identified_log(options, load_robot(options.robot), identify_settings(options))
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    result = identification_as_json(identified)
    result['urdf'] = write_identified(identified, folder / 'robot.urdf')
    save_parameter_plot(identified, folder / 'parameters.png')
    save_residual_plot(identified, folder / 'residuals.png')
    (folder / 'report.md').write_text(report_page(identified, options.bag))
    (folder / 'result.json').write_text(json.dumps(result, indent=2, allow_nan=False) + '\n')
    show_warnings(identified)
    print(json.dumps(result, allow_nan=False) if options.json else _text(result, folder))
    return 1 if has_failed(identified) else 0


def _text(result: dict, folder: Path) -> str:
    """Return a line on the result, and where it is."""
    shown = result['identifiability']
    seen = shown['total'] - len(shown['not_identified'])
    return (
        f'{seen} of {shown["total"]} parameters identified from {result["samples"]} samples\n'
        f'written: {folder / "report.md"}, with pictures, result.json'
        f'{"" if result["urdf"] is None else " and robot.urdf"}'
    )

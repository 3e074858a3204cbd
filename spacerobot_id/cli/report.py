"""``spacerobot-id report``: a folder that says what a recorded motion told of a robot."""

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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Identify a robot from a rosbag2 folder and write what came out: report.md '
        'with pictures, result.json, and robot.urdf where links can exist that fit.'
    )
    add_identification_options(parser)
    parser.add_argument(
        '--out', type=Path, default=Path('out/report'), help='folder (%(default)s)'
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and write; return 1 where nothing fits."""
    identified = identified_log(options, described_robot(options))
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    values = identified.result.to_dict()
    values['urdf'] = None
    if identified.result.links is not None:
        values['urdf'] = write_identified(identified, folder / 'robot.urdf')
    _write_page(identified, folder, ', '.join(Path(bag).name for bag in options.bags))
    (folder / 'result.json').write_text(json.dumps(values, indent=2, allow_nan=False) + '\n')
    show_warnings(identified.result)
    print(json.dumps(values, allow_nan=False) if options.json else _text(values, folder))
    return 1 if identified.has_failed else 0


def _write_page(identified: IdentifiedLog, folder: Path, source: str) -> None:
    """Write the page and its pictures."""
    from spacerobot_id.report.result_page import result_page
    from spacerobot_id.report.result_plot import parameter_figure, residual_figure

    result, record = identified.result, identified.log.measurement
    parameter_figure(result).savefig(folder / 'parameters.png', dpi=110)
    residual_figure(result, record, identified.used).savefig(folder / 'residuals.png', dpi=110)
    (folder / 'report.md').write_text(result_page(result, record, source))


def _text(values: dict, folder: Path) -> str:
    """Return a line on the result, and where it is."""
    shown = values['identifiability']
    seen = shown['total'] - len(shown['not_identified'])
    return (
        f'{seen} of {shown["total"]} parameters identified from {values["samples"]} samples\n'
        f'written: {folder / "report.md"}, with pictures, result.json'
        f'{"" if values["urdf"] is None else " and robot.urdf"}'
    )

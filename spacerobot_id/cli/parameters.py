"""``spacerobot-id parameters``: the parameters of the nodes, and the table of methods."""

import argparse

from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.methods.documents import methods_page
from spacerobot_id.settings.documents import parameter_file, parameter_page
from spacerobot_id.simulation.settings import SimulatorSettings

NODES = {
    'simulator': SimulatorSettings,
    'planner': PlannerNodeSettings,
    'estimator': EstimatorSettings,
}
"""Settings by the names of the nodes."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Print a parameter file of the three nodes with every parameter at its '
        'default, explained; or the same as a page of the docs, or the table of methods.'
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument('--page', action='store_true', help='print a page in Markdown')
    kind.add_argument('--methods', action='store_true', help='print the table of methods')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print."""
    if options.methods:
        print(methods_page(), end='')
    else:
        print(parameter_page(NODES) if options.page else parameter_file(NODES), end='')
    return 0

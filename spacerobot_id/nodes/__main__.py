"""Run a node where there is no ``ros2 run``: ``python -m spacerobot_id.nodes simulator``."""

import argparse
import sys

from spacerobot_id.nodes.entry import NODES, run

parser = argparse.ArgumentParser(prog='python -m spacerobot_id.nodes', description=__doc__)
parser.add_argument('node', choices=NODES)
parser.add_argument('args', nargs=argparse.REMAINDER, help='--ros-args and what follows')
arguments = parser.parse_args()
sys.exit(run(arguments.node, [sys.argv[0], *arguments.args]))

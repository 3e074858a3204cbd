"""Draw docs/images/architecture.png: the rooms, and the imports between them, from the source."""

import ast
from collections import Counter
from pathlib import Path

from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
ROOMS = [  # from the top to the bottom
    ['lab'],
    ['nodes', 'cli'],
    ['report', 'flight'],
    ['estimation', 'excitation', 'simulation'],
    ['methods'],
    ['regressor', 'multibody'],
    ['measurement', 'kinematics'],
    ['model'],
    ['statistics', 'settings', 'spatial'],
]
_LEAST = 3
"""Imports between two rooms from which on they are drawn."""


def imports() -> Counter:
    """Return how often one room imports another."""
    found = Counter()
    for path in (ROOT / 'spacerobot_id').rglob('*.py'):
        room = path.relative_to(ROOT / 'spacerobot_id').parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith(
                'spacerobot_id.'
            ):
                other = node.module.split('.')[1]
                found[room, other] += other != room
    return found


def main() -> None:
    """Draw."""
    figure = Figure(figsize=(10.0, 9.0), layout='constrained')
    axes = figure.subplots()
    places = {}
    for row, rooms in enumerate(ROOMS):
        for column, room in enumerate(rooms):
            x, y = 4.0 * (column - 0.5 * (len(rooms) - 1)), -1.6 * row
            places[room] = x, y
            files = len(list((ROOT / 'spacerobot_id' / room).rglob('*.py')))
            axes.text(
                x,
                y,
                f'{room}\n{files} files',
                ha='center',
                va='center',
                fontsize=12,
                bbox={'boxstyle': 'round,pad=0.5', 'facecolor': '#dbe5f1', 'edgecolor': '#4c72b0'},
                zorder=3,
            )
    for (above, below), count in imports().items():
        if above in places and below in places and count >= _LEAST:
            axes.annotate(
                '',
                places[below],
                places[above],
                arrowprops={
                    'arrowstyle': '-|>',
                    'color': '0.6',
                    'linewidth': 0.4 + 0.05 * min(count, 40),
                    'shrinkA': 24,
                    'shrinkB': 24,
                    'connectionstyle': 'arc3,rad=0.08',
                },
                zorder=1,
            )
    axes.set_xlim(-6.5, 6.5)
    axes.set_ylim(-1.6 * (len(ROOMS) - 1) - 1.0, 1.0)
    axes.axis('off')
    figure.savefig(ROOT / 'docs/images/architecture.png', dpi=80)


if __name__ == '__main__':
    main()

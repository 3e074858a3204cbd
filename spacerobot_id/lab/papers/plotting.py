"""What the pictures of all studies share."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def tidy(axes: Axes, grid: str = 'both') -> None:
    """Draw a faint grid and leave out the frame above and at the right.

    Parameters
    ----------
    axes : Axes
        Panel.
    grid : str
        Axis with grid lines: ``x``, ``y`` or ``both``.
    """
    axes.grid(visible=True, axis=grid, alpha=0.3)
    axes.spines[['top', 'right']].set_visible(False)


def save(figure: Figure, path: Path) -> Path:
    """Write a figure into its folder, made if it is not there; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path

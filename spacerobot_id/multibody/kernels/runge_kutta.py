"""The tableau of the classical Runge-Kutta method of fourth order, compiled.

Every kernel that integrates has its own right-hand side; stages and weights are these.
"""

from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part

STAGES = 4
"""Stages of the method."""


@compiled_part
def stage_share(stage: int) -> float:
    """Return the share of a step at which a stage is evaluated, along the slope before it."""
    return 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5


@compiled_part
def mean_slope(slopes: NDArray, column: int) -> float:
    """Return the slope of the whole step from those of its stages, for one column.

    Parameters
    ----------
    slopes : ndarray, shape (>= 4, m)
        Slopes of the stages.
    column : int
        Which of the m.
    """
    middle = slopes[1, column] + slopes[2, column]
    return (slopes[0, column] + 2.0 * middle + slopes[3, column]) / 6.0

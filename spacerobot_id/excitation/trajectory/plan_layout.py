"""How the motions of a family stand in the file of a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.settings.kinds import Finite, ReadFrom


def _matrix(rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    if len({len(row) for row in rows}) > 1:
        raise ValueError('must be rows of one length')
    return np.array(rows)


ROW = ReadFrom(tuple[Finite, ...], np.array)
"""A row of numbers."""

ROWS = ReadFrom(tuple[tuple[Finite, ...], ...], _matrix)
"""Rows of numbers."""


@dataclass(frozen=True)
class PlanLayout:
    """How a family stands in a file.

    Parameters
    ----------
    kind : type
        Class of its motions.
    make : callable
        From names of actuators and numbers to the motion.
    description : str
        What people want to know.
    keys : mapping
        Its numbers, in order: their kind, and what they are.
    earlier : mapping
        Keys of earlier versions, with what they are called now.
    defaults : mapping
        Values of the keys that a file need not have.
    """

    kind: type[ExcitingMotion]
    make: Callable[..., ExcitingMotion]
    description: str
    keys: Mapping[str, tuple[Any, str]]
    earlier: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, float] = field(default_factory=dict)

"""Which way every joint and wheel turns in each interval ([Naveen 2024] section 5.2)."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

_MOST_LISTED = 20
"""Actuators beyond which the combinations are drawn one by one and no longer listed."""


class CombinationOrder(Enum):
    """In which order the combinations follow one another.

    GRAY
        From one interval to the next a single actuator changes its direction.
    BINARY
        As binary numbers count, the highest digit first.
    """

    GRAY = 'gray'
    BINARY = 'binary'


def direction_combinations(
    actuators: int, order: CombinationOrder = CombinationOrder.GRAY, *, first_fixed: bool = False
) -> NDArray[np.int8]:
    """Return all combinations of directions with one actuator's fixed.

    Parameters
    ----------
    actuators : int
        Number of joints and wheels.
    order : CombinationOrder
        How they follow one another; in both orders the first of the others turns once, half-way,
        and the last turns most often.
    first_fixed : bool
        Whether the first actuator always goes forward, and not the last.

    Returns
    -------
    ndarray of int8, shape (2^(actuators - 1), actuators)
        +1 or -1.

    Raises
    ------
    ValueError
        If there is no actuator, or so many that the list would not fit a computer.
    """
    if not 1 <= actuators <= _MOST_LISTED:
        raise ValueError(f'direction combinations of {actuators} actuators cannot be listed')
    count = np.arange(2 ** (actuators - 1))
    codes = count ^ (count >> 1) if order is CombinationOrder.GRAY else count
    directions = _directions(codes, actuators)
    return np.roll(directions, 1, axis=1) if first_fixed else directions


def draw_direction_combinations(
    actuators: int, count: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Return distinct combinations, drawn at random, in Gray order of shuffled actuators.

    Parameters
    ----------
    actuators : int
        Number of joints and wheels.
    count : int
        Number of intervals wanted.
    rng : numpy.random.Generator
        Source of the draw.

    Returns
    -------
    ndarray of int8, shape (min(count, 2^(actuators - 1)), actuators)
        +1 or -1; the last actuator always +1.
    """
    if actuators <= _MOST_LISTED:
        drawn = rng.permutation(2 ** (actuators - 1))[:count]
    else:
        distinct = np.unique(rng.integers(0, 2 ** min(actuators - 1, 62), 2 * count))
        drawn = rng.permutation(distinct)[:count]
    drawn = np.sort(drawn)
    directions = _directions(drawn ^ (drawn >> 1), actuators)
    order = np.append(rng.permutation(actuators - 1), actuators - 1)
    return directions[:, order]


def _directions(codes: NDArray[np.int64], actuators: int) -> NDArray[np.int8]:
    """Return the signs that the bits of codes stand for, the highest bit first."""
    bits = codes[:, None] >> np.arange(actuators - 2, -1, -1)
    signs = 1 - 2 * (bits & 1)
    return np.hstack([signs, np.ones((len(signs), 1), dtype=int)]).astype(np.int8)

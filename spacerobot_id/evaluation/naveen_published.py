"""What papers/000 prints: seeds, counts, estimates and errors."""

import csv
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.model import shipped_file

_FOLDER = 'config/published'


@dataclass(frozen=True)
class PublishedCase:
    """A column of Tables 5 and 6.

    Parameters
    ----------
    intervals : int
        Intervals that were used.
    median, largest : float
        Relative errors, %.
    estimates : ndarray, shape (52,)
        Estimates in SI units.
    far_off : int, optional
        Parameters whose error is above 10 %, the most that the text says.
    """

    intervals: int
    median: float
    largest: float
    estimates: NDArray[np.float64]
    far_off: int | None = None


@dataclass(frozen=True)
class PublishedNaveen:
    """Numbers of papers/000.

    Parameters
    ----------
    start, reach : ndarray, shape (9,)
        Seeds of Table 4 and of the wheels, rad.
    combinations, kept, dropped : int
        Intervals before pruning, after it, and taken away by it.
    u_max : int
        First number that Algorithm 1 is given.
    delta : float
        The second.
    condition_number : float
        That of the kept intervals on the true robot.
    condition_number_alone : float
        That of a single interval.
    significant : dict of int to int
        Significant singular values by the number of intervals.
    significant_alone : tuple of int
        Fewest and most of an interval alone.
    true : ndarray, shape (52,)
        True minimal parameters, SI units.
    cases : tuple of PublishedCase
        Cases 1, 2 and 3.
    base_twist, joint_torques : ndarray, shape (6,)
        Root mean square errors of prediction: m/s, rad/s; N m.
    """

    start: NDArray[np.float64]
    reach: NDArray[np.float64]
    combinations: int
    kept: int
    dropped: int
    u_max: int
    delta: float
    condition_number: float
    condition_number_alone: float
    significant: dict[int, int]
    significant_alone: tuple[int, int]
    true: NDArray[np.float64]
    cases: tuple[PublishedCase, ...]
    base_twist: NDArray[np.float64]
    joint_torques: NDArray[np.float64]


def published_naveen() -> PublishedNaveen:
    """Return what papers/000 prints."""
    text = shipped_file(f'{_FOLDER}/naveen.yaml').read_text(encoding='utf-8')
    stated = yaml.safe_load(text)
    table = shipped_file(f'{_FOLDER}/naveen_minimal_parameters.csv')
    with table.open(encoding='utf-8', newline='') as lines:
        rows = list(csv.DictReader(lines))
    cases = tuple(
        PublishedCase(
            **case, estimates=np.array([float(row[f'estimate_case_{number}']) for row in rows])
        )
        for number, case in enumerate(stated['cases'], 1)
    )
    return PublishedNaveen(
        start=np.append(np.deg2rad(stated['start_deg']), np.zeros(3)),
        reach=np.append(np.deg2rad(stated['range_deg']), np.full(3, stated['wheel_range'])),
        significant_alone=tuple(stated['significant_alone']),
        true=np.array([float(row['true']) for row in rows]),
        cases=cases,
        base_twist=np.array(stated['base_twist']),
        joint_torques=np.array(stated['joint_torques']),
        **{
            key: stated[key]
            for key in (
                'combinations',
                'kept',
                'dropped',
                'u_max',
                'delta',
                'condition_number',
                'condition_number_alone',
                'significant',
            )
        },
    )

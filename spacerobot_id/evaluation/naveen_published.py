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
class PublishedNoise:
    """Noise, and what section 6.4 says of the errors of prediction beside it.

    Parameters
    ----------
    velocity, rate, joint_rate, torque : float
        Noise of base velocity (m/s), base rate and joint rates (rad/s), joint torques (N m).
    velocity_share, rate_share : tuple of 2 floats
        Least and largest error of prediction over the noise.
    torque_share : tuple of 2 floats
        Least and largest noise over the error of prediction.
    """

    velocity: float
    rate: float
    joint_rate: float
    torque: float
    velocity_share: tuple[float, ...]
    rate_share: tuple[float, ...]
    torque_share: tuple[float, ...]


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
    links_true, links_offset : ndarray, shape (7, 10)
        Table 3: mass, centre of mass, and inertia about it (xx yy zz xy yz zx), SI units.
    offset_share : tuple of 2 floats
        Least and largest difference between the two, as the text says, %.
    freedom, actuators : int
        Degrees of freedom; joints and wheels.
    interval : float
        Time of an interval, s.
    peak_momentum : float
        Largest momentum of a wheel, N m s.
    fourier_terms : int
        Terms of the Fourier series that the seeds are compared with.
    fourier_share : float
        Its number of parameters over that of the seeds.
    noise : PublishedNoise
        Noise and errors beside it.
    validation_harmonics : int
        Harmonics of the motion that is predicted.
    validation_frequency : float
        Its angular frequency, rad/s.
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
    links_true: NDArray[np.float64]
    links_offset: NDArray[np.float64]
    offset_share: tuple[float, ...]
    freedom: int
    actuators: int
    interval: float
    peak_momentum: float
    fourier_terms: int
    fourier_share: float
    noise: PublishedNoise
    validation_harmonics: int
    validation_frequency: float


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
        links_true=np.array(stated['links_true'], dtype=float),
        links_offset=np.array(stated['links_offset'], dtype=float),
        offset_share=tuple(stated['offset_share']),
        noise=PublishedNoise(
            **{key: _tuple_or_number(value) for key, value in stated['noise'].items()}
        ),
        validation_frequency=np.pi * stated['validation_frequency'],
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
                'freedom',
                'actuators',
                'interval',
                'peak_momentum',
                'fourier_terms',
                'fourier_share',
                'validation_harmonics',
            )
        },
    )


def _tuple_or_number(value: float | list[float]) -> float | tuple[float, ...]:
    return tuple(value) if isinstance(value, list) else value

"""What papers/003 prints: its robot, its loads, and the few numbers of its section 6."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from spacerobot_id.model import shipped_file


@dataclass(frozen=True)
class PublishedTest:
    """A paired t-test of section 6.4, the errors with V1 less those with V2.

    Parameters
    ----------
    difference : float
        Mean of the differences, kg or m.
    t, p : float
        Statistic, and probability of one as low.
    """

    difference: float
    t: float
    p: float


@dataclass(frozen=True)
class Spread:
    """A normal distribution.

    Parameters
    ----------
    mean, std : float
        Mean and standard deviation.
    """

    mean: float
    std: float


@dataclass(frozen=True)
class PublishedEkal:
    """Numbers of papers/003.

    Parameters
    ----------
    mass : float
        The robot's without a load, kg.
    inertia : tuple of 3 floats
        Its principal moments, kg m^2.
    motors : int
        Number of its motors.
    period, slow_period : float
        Periods of the motions, s.
    harmonics, most_harmonics : int
        Harmonics of the motions, and the most that are tried for the filter.
    cycles, first_cycle : int
        Cycles flown, and the first one that counts.
    motions, slow_motions : int
        Motions of each criterion, and of the slow ones.
    loads : int
        Loads.
    start_scale : tuple of 2 floats
        Least and largest scale of the random starts of the searches.
    motion_without_levels : float
        Size of the motions where the levels are no part of V1, m and rad.
    position_noise, attitude_noise : float
        Noise of the poses, m and rad.
    load_mass, load_offset, load_diagonal, load_off_diagonal : Spread
        Of the combined body: kg, m, kg m^2.
    chosen_harmonics : int
        Number chosen for one load.
    best_harmonics : mapping of str to int
        Numbers of its least errors of mass, offset and inertia.
    far_choice : int
        Difference between the two that counts as large.
    mass_test, offset_test : PublishedTest
        Section 6.4.
    saturated : float
        Share of the time at a limit beyond which there are outliers, %.
    """

    mass: float
    inertia: tuple[float, ...]
    motors: int
    period: float
    slow_period: float
    harmonics: int
    most_harmonics: int
    cycles: int
    first_cycle: int
    motions: int
    slow_motions: int
    loads: int
    start_scale: tuple[float, ...]
    motion_without_levels: float
    position_noise: float
    attitude_noise: float
    load_mass: Spread
    load_offset: Spread
    load_diagonal: Spread
    load_off_diagonal: Spread
    chosen_harmonics: int
    best_harmonics: Mapping[str, int]
    far_choice: int
    mass_test: PublishedTest
    offset_test: PublishedTest
    saturated: float


def published_ekal() -> PublishedEkal:
    """Return what papers/003 prints."""
    text = shipped_file('config/published/ekal.yaml').read_text(encoding='utf-8')
    stated = yaml.safe_load(text)
    for name in ('load_mass', 'load_offset', 'load_diagonal', 'load_off_diagonal'):
        stated[name] = Spread(*stated[name])
    for name in ('mass_test', 'offset_test'):
        stated[name] = PublishedTest(*stated[name])
    for name in ('inertia', 'start_scale'):
        stated[name] = tuple(stated[name])
    return PublishedEkal(**stated)

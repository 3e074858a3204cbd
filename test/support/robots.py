"""Robots that many tests share, the published parameters, and how close is close."""

import csv
from dataclasses import replace
from functools import cache
import warnings

from build_robots import ROBOTS
import numpy as np
from random_robots import random_axis, random_robot

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import load_robot, ReactionWheel

PUBLISHED = ROBOTS.parent / 'published'


@cache
def dual_arm():
    """Return the dual-arm robot of [Naveen 2024]."""
    return _shipped('naveen_dual_arm')


@cache
def dual_arm_prior():
    """Return the dual-arm robot with the offset parameters that planning starts from."""
    return _shipped('naveen_dual_arm_prior')


@cache
def servicer():
    """Return the servicer: seven joints, three wheels, possible inertias."""
    return _shipped('servicer')


def _shipped(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)  # of inertias as the paper prints them
        return load_robot(ROBOTS / f'{name}.urdf')


@cache
def published_parameters():
    """Return the rows of Table 5 of [Naveen 2024]: the dual-arm robot's minimal parameters."""
    with (PUBLISHED / 'naveen_minimal_parameters.csv').open(encoding='utf-8') as table:
        return tuple(csv.DictReader(table))


def random_tree(seed, joints, prismatic_share=0.25):
    """Return a random robot without wheels."""
    return random_robot(np.random.default_rng(seed), joints, prismatic_share)


def with_wheels(model, rng, wheels=3):
    """Return a robot with wheels about random axes on random links."""
    carried = [
        ReactionWheel(
            f'wheel_{number}',
            int(rng.integers(len(model.links))),
            random_axis(rng),
            rng.uniform(0.1, 1.0),
            max_momentum=20.0,
        )
        for number in range(wheels)
    ]
    return replace(model, wheels=carried)


def assert_close(actual, expected, relative):
    """Hold two arrays together to a share of the largest element that is expected."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=relative * np.abs(expected).max())

"""Flights of the tests' free-flyer whose wrenches or poses are not as stated."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation


def with_strengths(measured, strengths):
    """Return a record whose wrench acts with shares, (6,), of what is stated."""
    stated = measured.wrench.values / np.asarray(strengths)
    return replace(measured, wrench=replace(measured.wrench, values=stated))


def seen_from(measured, point=(0.0, 0.0, 0.0), mounting=(0.0, 0.0, 0.0)):
    """Return a record whose poses are those of a point, m, in turned axes, rad."""
    attitude = Rotation.from_quat(measured.attitude)
    return replace(
        measured,
        position=measured.position + attitude.apply(point),
        attitude=(attitude * Rotation.from_rotvec(mounting)).as_quat(),
    )


def late(measured, delay):
    """Return a record whose wrench acts later than is stated, s."""
    earlier = measured.wrench.times - delay
    known = measured.times >= earlier[0]
    return replace(measured, wrench=replace(measured.wrench, times=earlier))[known]


def scattered(measured, share, rng):
    """Return a record whose wrench scatters by a share of itself, normal in its logarithm."""
    values = measured.wrench.values
    factor = np.exp(share * rng.normal(size=values.shape) - 0.5 * share**2)
    return replace(measured, wrench=replace(measured.wrench, values=values * factor))

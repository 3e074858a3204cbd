"""Ellipsoids of inertia: bodies of uniform density, and how uncertain their half axes are."""

import numpy as np
import pytest
from random_robots import random_rotation
from small_robot import small_robot, small_robot_prior

from spacerobot_id.estimation.inertia_ellipsoids import (
    inertia_ellipsoid,
    link_covariance,
    link_ellipsoids,
    unseen_links,
    whole_ellipsoid,
)
from spacerobot_id.methods.prior import minimal_covariance, standard_std
from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import whole_robot
from spacerobot_id.regressor import minimal_parameters

NO_COVARIANCE = np.zeros((10, 10))
PRIOR = small_robot_prior()
MINIMAL = minimal_parameters(PRIOR)


def uniform(mass, half_axes, turn, centre):
    """Return an ellipsoid of uniform density, from the integrals over it."""
    squares = np.square(half_axes)
    about_com = turn @ np.diag(0.2 * mass * (squares.sum() - squares)) @ turn.T
    return InertialParameters.from_com(mass, centre, about_com)


@pytest.mark.parametrize('seed', range(5))
def test_a_uniform_ellipsoid_is_its_own(seed):
    """Half axes, axes and centre come back, by increasing moments."""
    rng = np.random.default_rng(seed)
    half_axes, turn = np.array([0.9, 0.5, 0.2]), random_rotation(rng)
    centre = rng.normal(size=3)
    found = inertia_ellipsoid(uniform(4.0, half_axes, turn, centre), NO_COVARIANCE)
    np.testing.assert_allclose(found.half_axes, half_axes, rtol=1e-9)
    np.testing.assert_allclose(found.centre, centre)
    np.testing.assert_allclose(abs(found.axes.T @ turn), np.eye(3), atol=1e-9)
    assert np.linalg.det(found.axes) == pytest.approx(1.0)
    np.testing.assert_array_equal(found.squared_std, 0.0)


def test_half_axes_are_as_uncertain_as_parameters_make_them():
    """Standard deviations are those of drawn parameters."""
    rng = np.random.default_rng(0)
    body = uniform(4.0, [0.9, 0.5, 0.2], random_rotation(rng), [0.1, -0.2, 0.3])
    root = 1e-4 * rng.normal(size=(10, 10))
    found = inertia_ellipsoid(body, root @ root.T)
    drawn = [
        inertia_ellipsoid(
            InertialParameters.from_vector(body.vector + root @ rng.normal(size=10)),
            NO_COVARIANCE,
        ).half_axes
        ** 2
        for _ in range(4000)
    ]
    np.testing.assert_allclose(np.std(drawn, axis=0), found.squared_std, rtol=0.05)
    outer, inner = found.half_axes_at(1.0), found.half_axes_at(-1.0)
    np.testing.assert_allclose(outer**2 - inner**2, 2.0 * found.squared_std, rtol=1e-9)
    np.testing.assert_array_equal(found.half_axes_at(-1e9), 0.0)


def test_what_no_body_can_be_has_no_ellipsoid():
    """A negative mass, and moments that break the triangle inequality."""
    assert inertia_ellipsoid(InertialParameters.zero(), NO_COVARIANCE) is None
    flat = InertialParameters.from_com(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0]))
    assert inertia_ellipsoid(flat, NO_COVARIANCE) is None


def test_links_are_as_uncertain_as_the_estimate_and_the_prior_leave_them():
    """Their combinations have the estimate's covariance; without data all is the prior's."""
    rng = np.random.default_rng(1)
    root = 1e-3 * rng.normal(size=(len(MINIMAL), len(MINIMAL)))
    found = link_covariance(PRIOR, MINIMAL, root @ root.T, 0.3)
    shared = MINIMAL.grouping @ found @ MINIMAL.grouping.T
    np.testing.assert_allclose(shared, root @ root.T, atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    nothing = link_covariance(PRIOR, MINIMAL, minimal_covariance(PRIOR, MINIMAL, 0.3), 0.3)
    np.testing.assert_allclose(nothing, np.diag(standard_std(PRIOR, 0.3) ** 2), atol=1e-9)


def test_the_whole_is_where_its_links_are():
    """The same body as by the composite inertia, and as uncertain as all links together."""
    robot, q = small_robot(), np.array([0.4, -0.7])
    covariance = np.diag(standard_std(robot, 0.1) ** 2)
    found, body = whole_ellipsoid(robot, covariance, q), whole_robot(robot, q)
    expected = inertia_ellipsoid(body, NO_COVARIANCE)
    np.testing.assert_allclose(found.half_axes, expected.half_axes, rtol=1e-12)
    np.testing.assert_allclose(found.centre, body.com, atol=1e-12)
    assert (found.squared_std > 0.0).all()
    links = link_ellipsoids(robot, covariance)
    assert tuple(links) == robot.link_names
    np.testing.assert_allclose(links['left'].centre, robot.links[1].inertial.com, atol=1e-12)


def test_links_that_show_nothing_are_named():
    """Those of which no parameter is identified."""

    class Told:
        def __init__(self, unseen):
            self.not_identified = lambda: unseen

    of_left = tuple(name for name in MINIMAL.names if name.startswith('left.'))
    assert unseen_links(PRIOR, MINIMAL, Told(of_left)) == {'left'}
    assert unseen_links(PRIOR, MINIMAL, Told(of_left[1:])) == set()

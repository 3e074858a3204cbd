"""Links that can exist: nearest to the prior, faithful to the data, or a contradiction."""

from dataclasses import replace

from moving_dual_arm import world
import numpy as np
import pinocchio
import pytest
from robots import dual_arm, dual_arm_prior, random_tree, servicer
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import absorb, begin_identification
from spacerobot_id.estimation.physical_consistency import (
    consistent_links,
    physically_consistent_parameters,
)
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.least_squares import LeastSquares
from spacerobot_id.model import InertialParameters, RobotModel, urdf_from_robot
from spacerobot_id.regressor import minimal_parameters


def disturbed(model: RobotModel, seed: int, share: float = 0.2) -> RobotModel:
    """Return a robot that can exist near another one: bodies scaled and turned a little."""
    rng = np.random.default_rng(seed)
    links = []
    for link in model.links:
        turn = Rotation.from_rotvec(share * rng.normal(size=3)).as_matrix()
        shift = 0.1 * share * rng.normal(size=3)
        scaled = InertialParameters.from_vector(
            link.inertial.vector * np.exp(share * rng.normal())
        )
        links.append(scaled.expressed_in(turn, shift).vector)
    return model.with_parameters(np.concatenate(links))


def estimate_of(minimal, model, precision=1e-4):
    """Return minimal parameters of a robot and a covariance of that relative precision."""
    values = minimal.values(model)
    return values, np.diag((precision * (np.abs(values) + 0.1)) ** 2)


@pytest.mark.parametrize('seed', range(5))
def test_links_can_exist_and_fit_the_data(seed):
    """From a prior that is off, every link is physical and the minimal parameters are kept."""
    prior = random_tree(seed, 6)
    minimal = minimal_parameters(prior)
    values, covariance = estimate_of(minimal, disturbed(prior, seed))
    found = physically_consistent_parameters(prior, minimal, values, covariance)
    assert not any(link.inertial.defects() for link in found.model.links)
    assert not found.contradicts_data
    kept = minimal.values(found.model)
    assert np.abs(kept - values).max() <= 1e-3 * np.abs(values).max()


def test_a_prior_that_fits_is_kept():
    """Data that say what the description says change nothing."""
    model = servicer()
    minimal = minimal_parameters(model)
    found = physically_consistent_parameters(model, minimal, *estimate_of(minimal, model))
    assert found.model.parameters == pytest.approx(model.parameters, rel=1e-5, abs=1e-6)


def test_result_is_the_nearest():
    """No change within the links that leaves the minimal parameters alone comes nearer."""
    prior = servicer()
    minimal = minimal_parameters(prior)
    found = physically_consistent_parameters(
        prior, minimal, *estimate_of(minimal, disturbed(prior, 3), precision=1e-6)
    )

    def divergence(parameters):
        total = 0.0
        for link, old in zip(prior.with_parameters(parameters).links, prior.links, strict=True):
            ratio = np.linalg.solve(old.inertial.pseudo_inertia, link.inertial.pseudo_inertia)
            total += np.trace(ratio) - np.linalg.slogdet(ratio).logabsdet
        return total

    _, _, right = np.linalg.svd(minimal.grouping)
    least = divergence(found.model.parameters)
    for free in right[len(minimal) :]:
        for sign in (1e-4, -1e-4):
            assert divergence(found.model.parameters + sign * free) >= least - 1e-9


def test_a_contradiction_is_said():
    """The dual arm of [Naveen 2024] cannot exist; precise data of it are not bent in silence."""
    prior = dual_arm_prior()
    minimal = minimal_parameters(prior)
    found = physically_consistent_parameters(prior, minimal, *estimate_of(minimal, dual_arm()))
    assert found.contradicts_data
    assert not any(link.inertial.defects() for link in found.model.links)


def test_what_contradicts_most_is_known_to():
    """As precise as a long log: twice the steps hardly lessen the misfit."""
    prior = dual_arm_prior()
    minimal = minimal_parameters(prior)
    estimate = estimate_of(minimal, dual_arm(), precision=1e-6)
    found, longer = (
        physically_consistent_parameters(prior, minimal, *estimate, iterations=count)
        for count in (400, 800)
    )
    assert found.contradicts_data
    assert found.misfit < 1.05 * longer.misfit
    assert not any(link.inertial.defects() for link in found.model.links)


def test_written_back_it_loads_elsewhere():
    """Pinocchio reads the URDF of the result, with the whole robot's mass."""
    prior = servicer()
    minimal = minimal_parameters(prior)
    found = physically_consistent_parameters(
        prior, minimal, *estimate_of(minimal, disturbed(prior, 1))
    )
    model = pinocchio.buildModelFromXML(
        urdf_from_robot(found.model), pinocchio.JointModelFreeFlyer()
    )
    total = sum(link.inertial.mass for link in found.model.links)
    assert pinocchio.computeTotalMass(model) == pytest.approx(total, rel=1e-9)


def test_a_method_that_does_not_show_links_has_none():
    """Reduced parameters say nothing of a link alone."""
    method = AngularMomentum.from_model(servicer())
    estimate = begin_identification(method).estimate()
    assert consistent_links(method, estimate, 1.0) is None


def test_data_that_leave_parameters_open_give_no_links():
    """The infinite covariance of least squares was divided by itself."""
    method = LeastSquares.from_model(dual_arm())
    samples = world(samples=100)[:50]
    samples = replace(samples, q=samples.q[:1].repeat(50, axis=0))
    estimate = absorb(begin_identification(method), samples).estimate()
    assert np.isinf(estimate.covariance).all()
    assert consistent_links(method, estimate, 1.0) is None

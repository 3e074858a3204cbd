"""Links that can exist: nearest to the prior, faithful to the data, or a contradiction said."""

import numpy as np
import pinocchio
import pytest
from robots import dual_arm, dual_arm_prior, random_tree, servicer
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import MomentumProblem, physically_consistent_parameters
from spacerobot_id.model import InertialParameters, RobotModel, urdf_from_robot


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


def estimate_of(problem, model, precision=1e-4):
    """Return minimal parameters of a robot and a covariance of that relative precision."""
    values = problem.minimal.values(model)
    return values, np.diag((precision * (np.abs(values) + 0.1)) ** 2)


@pytest.mark.parametrize('seed', range(5))
def test_links_can_exist_and_fit_the_data(seed):
    """From a prior that is off, every link is physical and the minimal parameters are kept."""
    prior = random_tree(seed, 6)
    problem = MomentumProblem.from_model(prior)
    values, covariance = estimate_of(problem, disturbed(prior, seed))
    found = physically_consistent_parameters(problem, values, covariance)
    assert not any(link.inertial.defects() for link in found.model.links)
    assert not found.contradicts_data
    kept = problem.minimal.values(found.model)
    assert np.abs(kept - values).max() <= 1e-3 * np.abs(values).max()


def test_a_prior_that_fits_is_kept():
    """Data that say what the description says change nothing."""
    model = servicer()
    problem = MomentumProblem.from_model(model)
    found = physically_consistent_parameters(problem, *estimate_of(problem, model))
    assert found.model.parameters == pytest.approx(model.parameters, rel=1e-5, abs=1e-6)


def test_result_is_the_nearest():
    """No change within the links that leaves the minimal parameters alone comes nearer."""
    prior = servicer()
    problem = MomentumProblem.from_model(prior)
    found = physically_consistent_parameters(
        problem, *estimate_of(problem, disturbed(prior, 3), precision=1e-6)
    )

    def divergence(parameters):
        total = 0.0
        for link, old in zip(prior.with_parameters(parameters).links, prior.links, strict=True):
            ratio = np.linalg.solve(old.inertial.pseudo_inertia, link.inertial.pseudo_inertia)
            total += np.trace(ratio) - np.linalg.slogdet(ratio).logabsdet
        return total

    _, _, right = np.linalg.svd(problem.minimal.grouping)
    least = divergence(found.model.parameters)
    for free in right[len(problem.minimal) :]:
        for sign in (1e-4, -1e-4):
            assert divergence(found.model.parameters + sign * free) >= least - 1e-9


def test_a_contradiction_is_said():
    """The dual arm of papers/000 cannot exist; precise data of it are not bent in silence."""
    problem = MomentumProblem.from_model(dual_arm_prior())
    found = physically_consistent_parameters(problem, *estimate_of(problem, dual_arm()))
    assert found.contradicts_data
    assert not any(link.inertial.defects() for link in found.model.links)


def test_what_contradicts_most_is_known_to():
    """As precise as a long log: twice the steps hardly lessen the misfit."""
    problem = MomentumProblem.from_model(dual_arm_prior())
    estimate = estimate_of(problem, dual_arm(), precision=1e-6)
    found, longer = (
        physically_consistent_parameters(problem, *estimate, iterations=count)
        for count in (400, 800)
    )
    assert found.contradicts_data
    assert found.misfit < 1.05 * longer.misfit
    assert not any(link.inertial.defects() for link in found.model.links)


def test_written_back_it_loads_elsewhere():
    """Pinocchio reads the URDF of the result, with the whole robot's mass."""
    prior = servicer()
    problem = MomentumProblem.from_model(prior)
    found = physically_consistent_parameters(problem, *estimate_of(problem, disturbed(prior, 1)))
    model = pinocchio.buildModelFromXML(
        urdf_from_robot(found.model), pinocchio.JointModelFreeFlyer()
    )
    total = sum(link.inertial.mass for link in found.model.links)
    assert pinocchio.computeTotalMass(model) == pytest.approx(total, rel=1e-9)

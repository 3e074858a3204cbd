"""Air-bearing tables: what moves in the plane is found, what cannot show is named."""

import numpy as np
import pytest

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import momentum_matrix, wheel_momentum
from spacerobot_id.estimation import (
    excitation_report,
    identify_batch,
    Method,
    MomentumProblem,
    Visibility,
)
from spacerobot_id.excitation import draw_direction_combinations, ExcitationPlan, knots_from_seeds
from spacerobot_id.model import (
    InertialParameters,
    Joint,
    JointType,
    Link,
    ReactionWheel,
    RobotModel,
    SensorNoise,
)

PLANE = [0, 1, 5]
NOISE = SensorNoise(
    joint_rate=1e-4,
    base_angular_velocity=1e-4,
    base_linear_velocity=1e-4,
    base_position=1e-4,
    base_attitude=1e-4,
)


def body(mass, com, gyration):
    return InertialParameters.from_com(mass, com, mass * gyration**2 * np.diag([1.0, 1.1, 1.2]))


def free_flyer():
    """Return a base with one wheel and an arm of two parallel joints, all about z."""
    joints = [
        Joint('shoulder', JointType.REVOLUTE, 0, np.eye(3), np.array([0.2, 0.0, 0.1])),
        Joint('elbow', JointType.REVOLUTE, 1, np.eye(3), np.array([0.4, 0.0, 0.0])),
    ]
    links = [
        Link('base', body(12.0, [0.01, -0.02, 0.05], 0.15)),
        Link('upper', body(1.5, [0.2, 0.01, 0.0], 0.12)),
        Link('lower', body(1.0, [0.15, -0.01, 0.02], 0.1)),
    ]
    wheel = ReactionWheel('wheel', 0, np.array([0.0, 0.0, 1.0]), 0.01, max_rate=300.0)
    return RobotModel('free_flyer', links, joints, [wheel], NOISE)


def flight(model, seed, noisy=True):
    """Return what sensors see of a motion drawn at random."""
    rng = np.random.default_rng(seed)
    plan = ExcitationPlan(
        ('shoulder', 'elbow', 'wheel'),
        knots_from_seeds(
            np.zeros(3), [0.4, 0.5, 100.0], np.tile(draw_direction_combinations(3, 4, rng), (8, 1))
        ),
        np.ones(32),
    )
    return flight_along(model, plan, seed, noisy)


def flight_along(model, plan, seed, noisy=True):
    """Return what sensors see along a plan when the base can only move in the plane."""
    rng = np.random.default_rng(seed)
    times = (np.arange(int(100 * plan.duration)) + 0.5) / 100.0
    motion = plan.sample(times)
    q, qd, wheels = motion.position[:, :2], motion.velocity[:, :2], motion.velocity[:, 2:]
    matrix = momentum_matrix(model, q)[:, PLANE]
    moving = np.einsum('nij,nj->ni', matrix[:, :, 6:], qd)
    moving += wheel_momentum(model, q, wheels)[:, PLANE]
    twist = np.zeros((len(times), 6))
    twist[:, PLANE] = -np.linalg.solve(matrix[:, :, PLANE], moving[..., None])[..., 0]
    spread = 1e-4 if noisy else 0.0
    unknown = np.full((len(times), 7), np.nan)
    return Measurement(
        times,
        q,
        qd + spread * rng.normal(size=qd.shape),
        wheels,
        twist + spread * rng.normal(size=twist.shape),
        unknown[:, :3],
        unknown[:, 3:],
    )


def prior_of(model):
    """Return the robot as it is described: everything a fifth too heavy."""
    return model.with_parameters(1.2 * model.parameters)


@pytest.fixture(name='found', scope='module')
def identified():
    problem = MomentumProblem.from_model(prior_of(free_flyer()), planar=True)
    return problem, identify_batch(problem, flight(free_flyer(), 1))


def test_what_cannot_show_in_the_plane_is_named(found):
    """Heights and the shapes about x and y stay as described, and say so."""
    _, result = found
    hidden = set(result.estimate.not_identified())
    assert {'base.Ixx', 'base.Iyy', 'base.Ixy', 'base.Iyz', 'base.Izx', 'base.mz'} <= hidden
    assert {'upper.Ixx-Iyy', 'upper.Ixy', 'lower.Iyz', 'lower.Izx'} <= hidden


def test_it_is_said_before_the_fit(found):
    """What has no part in the plane is named with that reason; what is hidden later is so now."""
    problem, result = found
    report = excitation_report(problem, flight(free_flyer(), 1))
    words = {each.name: each.words for each in report.parameters}
    for name in ('base.Ixx', 'base.mz', 'upper.Ixy', 'lower.Izx'):
        assert words[name] == 'not seen: it has no part in motion in the plane'
    assert words['base.Izz'].startswith('seen')
    hidden = {each.name for each in report.parameters if each.visibility is Visibility.NOT}
    assert hidden == set(result.estimate.not_identified())


def test_what_shows_is_found_within_its_interval(found):
    """Masses, moments in the plane and inertias about z come out, and the fit is good."""
    problem, result = found
    estimate = result.estimate
    true = problem.minimal.values(free_flyer())
    shown = [name not in estimate.not_identified() for name in estimate.names]
    assert {'base.m', 'base.Izz', 'lower.mx', 'lower.Izz'} <= {
        name for name, flag in zip(estimate.names, shown, strict=True) if flag
    }
    scores = np.abs(estimate.values - true)[shown] / estimate.std[shown]
    assert scores.max() < 4.0
    assert estimate.residual() == pytest.approx(1.0, abs=0.05)


def test_without_noise_momentum_in_the_plane_is_met_exactly():
    """Output error and least squares agree on perfect data."""
    problem = MomentumProblem.from_model(prior_of(free_flyer()), planar=True)
    clean = flight(free_flyer(), 2, noisy=False)
    true = problem.minimal.values(free_flyer())
    for method in (Method.OUTPUT_ERROR, Method.WEIGHTED_LEAST_SQUARES):
        names = identify_batch(problem, clean, method).estimate
        mass = names.names.index('base.m')
        assert names.values[mass] == pytest.approx(true[mass], rel=1e-3)

"""Joints that follow others, links without mass: in plans, and in what is identified."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from random_robots import random_inertial
from small_robot import small_robot

from spacerobot_id.estimation import identify
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.methods.calibrations.encoder_offset import EncoderOffset
from spacerobot_id.model import (
    InertialParameters,
    Joint,
    JointLimits,
    JointType,
    Link,
    Mimic,
    SensorNoise,
)
from spacerobot_id.multibody import momentum
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.simulation import KinematicSimulation

QUICK = PlannerSettings(intervals=8, interval=2.0, draws=3, restarts=1, iterations=5)
MIMIC = Mimic('shoulder_left', -1.5, 0.3)
TIGHT = JointLimits(-0.4, 0.5, velocity=0.35, acceleration=0.5, effort=50.0)


def robot(true=True):
    """Return the small robot with an elbow that follows the shoulder."""
    small, rng = small_robot(), np.random.default_rng(2 if true else 3)
    elbow = Joint(
        'elbow', JointType.REVOLUTE, 1, np.eye(3)[[2, 0, 1]], np.array([0.6, 0, 0]), TIGHT, MIMIC
    )
    loose = [replace(each, limits=JointLimits(-2.0, 2.0, 1.0, 2.0, 50.0)) for each in small.joints]
    return replace(
        small,
        links=[*small.links, Link('forearm', random_inertial(rng))],
        tree_joints=[*loose, elbow],
        noise=SensorNoise(1e-6, 1e-4, 1e-4, 1e-4, 1e-5, 1e-5, 20.0),
    )


@cache
def planned():
    return plan_excitation(robot(true=False), np.zeros(5), QUICK)


def test_a_plan_keeps_the_limits_of_both():
    """Position, rate and acceleration of the joint that follows are its leader's, scaled."""
    plan, model = planned().plan, robot()
    assert plan.names == model.joint_names + model.wheel_names
    motion = plan.sample(np.linspace(0.0, plan.duration, 5000))
    position = MIMIC.multiplier * motion.position[:, 0] + MIMIC.offset
    assert TIGHT.lower - 1e-6 <= position.min() < position.max() <= TIGHT.upper + 1e-6
    assert 1.5 * abs(motion.velocity[:, 0]).max() <= TIGHT.velocity * (1.0 + 1e-6)
    assert 1.5 * abs(motion.acceleration[:, 0]).max() <= TIGHT.acceleration * (1.0 + 1e-6)


def test_a_motion_identifies_what_follows_too():
    """From noisy sensors, and a prior that knows another forearm: within the intervals."""
    true, prior = robot(), robot(true=False)
    method = IdentifySettings().method_for(prior)
    clean = conserved_flight(true, planned().plan, 20.0)
    record = with_sensor_noise(clean, method, 1)
    result = identify(record, method)
    expected = minimal_parameters(true).values(true)
    error = (result.estimate.values - expected) / result.estimate.std
    assert np.sqrt(np.mean(error**2)) < 1.5
    assert result.quality.chi_square == pytest.approx(1.0, abs=0.15)


def test_a_link_without_mass_is_found_to_have_none():
    """Between two joints whose axes meet, where the prior leaves it a small share of the mass."""

    def universal(model):
        links, joints = list(model.links), list(model.tree_joints)
        links[1] = replace(links[1], inertial=InertialParameters.zero())
        joints[2] = replace(joints[2], mimic=None, p_PC_P=np.zeros(3))
        return replace(model, links=links, tree_joints=joints)

    true, prior = universal(robot()), universal(robot(true=False))
    method = IdentifySettings().method_for(prior)
    plan = plan_excitation(prior, np.zeros(6), QUICK).plan
    record = with_sensor_noise(conserved_flight(true, plan, 20.0), method, 2)
    result = identify(record, method)
    expected = minimal_parameters(true).values(true)
    error = (result.estimate.values - expected) / result.estimate.std
    assert np.sqrt(np.mean(error**2)) < 2.0
    assert result.quality.chi_square == pytest.approx(1.0, abs=0.15)
    assert result.links.model.links[1].inertial.mass < 1e-3


def test_encoder_offsets_move_followers():
    """A robot described with the offsets is where the true one is at what the encoders read."""
    model, offset = robot(), np.array([0.1, -0.2])
    described = EncoderOffset(0.1).described(model, offset)
    q, qd = np.array([[0.3, -0.4]]), np.array([[1.0, 2.0]])
    twist = np.zeros((1, 6))
    np.testing.assert_allclose(
        momentum(described, q + offset, qd, twist), momentum(model, q, qd, twist), atol=1e-12
    )


def test_trajectories_name_leaders_alone():
    """A trajectory for the follower is refused by name; one for the leader moves both."""
    model = robot()
    simulation = KinematicSimulation.at_rest(model, np.zeros(2))
    goal = np.array([[0.1, 0.1]])
    moved = JointTrajectory(model.joint_names, np.array([2.0]), goal, 0.0 * goal, 0.0 * goal)
    _, samples = simulation.with_joint_trajectory(moved).advanced_to(np.linspace(0.1, 2.0, 5))
    np.testing.assert_allclose(samples.q[-1], goal[0], atol=1e-9)
    with pytest.raises(TrajectoryError, match='elbow'):
        simulation.with_joint_trajectory(replace(moved, names=('shoulder_left', 'elbow')))

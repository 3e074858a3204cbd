"""Bodies that come while the arm moves bring their momentum; what is found of them is true."""

from dataclasses import replace
from functools import cache

from moving_dual_arm import described, HALF, world
import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.fit_quality import FitQuality
from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.recursive.recursion import refine
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import InertialParameters
from spacerobot_id.model.inertial_parameters import MASS as MASS_ENTRY
from spacerobot_id.multibody import base_twist_from_momentum, momentum_matrix
from spacerobot_id.regressor import first_moment_regressor

MASS, STEP = 20.0, 0.02
GRASP = 1675
"""Sample with which the last link has the body, at 33.5 s."""
LINK = 6


def body_of(mass):
    return InertialParameters.from_com(
        mass, [0.05, -0.1, 0.3], mass * np.diag([0.02, 0.03, 0.025])
    )


def settings(mass=MASS):
    return RecursionSettings(change=ChangeSettings(mass=2.0 * mass, links=('L6',)))


def loaded(robot, mass=MASS):
    links = list(robot.links)
    both = InertialParameters.from_vector(links[LINK].inertial.vector + body_of(mass).vector)
    links[LINK] = replace(links[LINK], inertial=both)
    return replace(robot, links=links)


@cache
def grasped(begin, own=(0.0,) * 6, mass=MASS):
    """Return what perfect sensors see when the last link grasps the body at a sample.

    The body moves with the link, and besides as ``own`` says, in inertial axes.
    """
    still, alone, both = world(samples=2 * HALF + 1), dual_arm(), loaded(dual_arm(), mass)
    q, qd, wheels = still.q, still.qd, still.wheel_rates
    matrices = [momentum_matrix(robot, q) for robot in (alone, both)]
    moments = [first_moment_regressor(robot, q) @ robot.parameters for robot in (alone, both)]
    masses = [sum(link.inertial.mass for link in robot.links) for robot in (alone, both)]
    robot, momentum, R_WB, position = 0, np.zeros(6), np.eye(3), np.ones(3)
    com, since = position + moments[0][0] / masses[0], 0
    twists, positions, turned = [], [], []
    for k in range(len(still)):
        if k == begin:
            rates = np.concatenate([twists[-1], qd[k]])
            of_body = (matrices[1][k] - matrices[0][k]) @ rates
            linear = R_WB @ of_body[:3] + mass * np.array(own[:3])
            place = position + R_WB @ (moments[1][k] - moments[0][k]) / mass
            angular = R_WB @ of_body[3:] + np.cross(position, R_WB @ of_body[:3])
            spin = body_of(mass).inertia_about_com @ own[3:]
            angular += spin + np.cross(place, mass * np.array(own[:3]))
            momentum, robot, since = np.concatenate([linear, angular]), 1, k
            com = position + R_WB @ moments[1][k] / masses[1]
        drift = momentum[:3] * STEP * (k - since) / masses[robot]
        position = com + drift - R_WB @ moments[robot][k] / masses[robot]
        about = momentum[3:] - np.cross(position, momentum[:3])
        seen = np.concatenate([R_WB.T @ momentum[:3], R_WB.T @ about])
        rows, moving = slice(k, k + 1), (alone, both)[robot]
        twist = base_twist_from_momentum(moving, q[rows], qd[rows], wheels[rows], seen)
        twists.append(np.asarray(twist).reshape(6))
        positions.append(position)
        turned.append(R_WB)
        R_WB = R_WB @ Rotation.from_rotvec(twists[-1][3:] * STEP).as_matrix()
    attitude = Rotation.from_matrix(np.array(turned)).as_quat()
    times = STEP * np.arange(len(still))
    return Record(times, q, qd, wheels, np.array(twists), np.array(positions), attitude)


def measured(record, method, seed):
    rng, noise, count = np.random.default_rng(seed), method.model.noise, len(record)
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(count, 3)))
    return replace(
        record,
        qd=record.qd + noise.joint_rate * rng.normal(size=record.qd.shape),
        base_twist=record.base_twist + method.rate_std[:6] * rng.normal(size=(count, 6)),
        position=record.position + noise.base_position * rng.normal(size=(count, 3)),
        attitude=(Rotation.from_quat(record.attitude) * turn).as_quat(),
    )


def followed(record, method, mass=MASS):
    """Return the state at the end, and when changes were announced, s after the first sample."""
    state, announced = begin_identification(method, settings(mass)), []
    for begin in range(0, len(record), 20):
        changes = state.changes
        state = absorb(state, record[begin : begin + 20])
        if state.changes > changes:
            announced.append(float(record.times[min(begin + 20, len(record)) - 1]))
    return state, announced


@pytest.mark.slow
def test_a_body_grasped_in_motion_is_found_with_true_intervals():
    """Announced once and in time; body and robot within what the covariance says.

    The body moves on its own; those of the tests below do as the link does.
    """
    own, method = (0.02, -0.03, 0.01, 0.02, 0.03, -0.05), Momentum.from_model(described())
    record = measured(grasped(GRASP, own), method, 0)
    state, announced = followed(record, method)
    (when,) = announced
    assert 0.0 < when - 33.5 < 3.0
    state = refine(state)
    (body,) = changed_bodies(state)
    off = (body.values - body_of(MASS).vector) / np.sqrt(np.diag(body.covariance))
    assert np.sqrt(np.mean(off**2)) < 2.0
    assert body.mass_std < 0.1 * MASS
    estimate = state.estimate()
    off = (estimate.values - method.minimal.values(loaded(dual_arm()))) / estimate.std
    assert np.sqrt(np.mean(off**2)) < 1.6
    names = [each.name for each in estimate.others]
    assert names == [f'momentum.{k}_{a}' for k in ('linear', 'angular') for a in 'xyz']
    assert restored_momentum(state, method) == method_momentum(state)


@pytest.mark.slow
def test_a_body_grasped_while_poses_are_missing_is_found():
    """Until they come again nothing tells of a robot whose momentum is unknown; then all does."""
    method = Momentum.from_model(described())
    record = measured(grasped(GRASP), method, 0)
    lost = (record.times > 32.5) & (record.times < 35.5)
    gap = np.where(lost, np.nan, 1.0)[:, None]
    record = replace(record, position=record.position * gap, attitude=record.attitude * gap)
    state, announced = followed(record, method)
    (when,) = announced
    assert 0.0 < when - 33.5 < 3.0
    state = refine(state)
    assert state.quality.is_as_stated
    assert min(part.times[0] for part in state.recorded) > 35.4
    (body,) = changed_bodies(state)
    off = (body.values - body_of(MASS).vector) / np.sqrt(np.diag(body.covariance))
    assert np.sqrt(np.mean(off**2)) < 2.0
    estimate = state.estimate()
    off = (estimate.values - method.minimal.values(loaded(dual_arm()))) / estimate.std
    assert np.sqrt(np.mean(off**2)) < 1.6


@pytest.mark.slow
def test_a_body_is_found_while_slow_forces_walk():
    """Momentum that walks leaves the mass of a grasped body within its interval."""
    walks = NuisanceSettings(force_walk=1e-3, torque_walk=1e-3)
    method = Momentum.from_model(described(), walks)
    state, announced = followed(measured(grasped(GRASP), method, 0), method)
    assert len(announced) == 1
    (body,) = changed_bodies(refine(state))
    off = (body.values - body_of(MASS).vector) / np.sqrt(np.diag(body.covariance))
    assert abs(off[MASS_ENTRY]) < 3.0
    assert np.sqrt(np.mean(off**2)) < 2.0
    assert body.mass_std < 0.1 * MASS


@pytest.mark.slow
def test_a_small_body_counts_from_its_grasp_and_not_from_when_it_was_announced():
    """What it did until then is not taken for the robot as it was."""
    method = Momentum.from_model(described())
    record = measured(grasped(GRASP, mass=7.0), method, 0)
    state, announced = followed(record, method, 7.0)
    (when,) = announced
    state = refine(state)
    first = min(part.times[0] for part in state.recorded)
    assert abs(first - 33.5) < 0.5
    assert first < when - 0.5
    (body,) = changed_bodies(state)
    off = (body.values - body_of(7.0).vector) / np.sqrt(np.diag(body.covariance))
    assert np.sqrt(np.mean(off**2)) < 2.0
    estimate = state.estimate()
    off = (estimate.values - method.minimal.values(loaded(dual_arm(), 7.0))) / estimate.std
    assert np.sqrt(np.mean(off**2)) < 1.6


@pytest.mark.slow
def test_no_calibration_is_named_for_a_robot_that_has_changed():
    """Samples of before the grasp are of another robot: calibrations are not judged by them."""
    method = Momentum.from_model(described())
    result = identify(measured(grasped(GRASP), method, 0), method, settings(), with_links=False)
    assert result.changes == 1
    assert result.causes == ()


@pytest.mark.slow
def test_residuals_far_beyond_noise_are_no_noise_even_where_they_look_white(monkeypatch):
    """A single robot fitted to two may end anywhere, with residuals of any colour."""
    method = Momentum.from_model(described())
    record = measured(grasped(GRASP, mass=60.0), method, 0)
    monkeypatch.setattr(FitQuality, 'is_white', True)
    assert identify(record, method, settings(60.0), with_links=False).changes == 1


def method_momentum(state):
    return state.method.momentum_std.tolist()


def restored_momentum(state, method):
    """Return what a restart knows of the momentum: that it is unknown."""
    fresh = begin_identification(method, settings())
    again = restored(fresh, checkpoint_text(state, 'same'), 'same')
    assert len(again.information.target) == len(again.method.unknowns)
    return method_momentum(again)

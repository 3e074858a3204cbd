"""Thrusters that fire beside joints: pulses within their limits, a base that stays in its box."""

from dataclasses import replace

from air_bearing import air_bearing
from fired_flights import flown, lengths, PRIOR, REST, swinging
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation
from thruster_flights import fly, Motion, Truth

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import GRID, ThrustParameters
from spacerobot_id.excitation.thrust.base_drift import base_drift, BaseState
from spacerobot_id.excitation.thrust.thruster_firing import base_state, ThrusterFiring
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.model import Thruster


def test_pulses_keep_their_limits():
    """As long as they may be, as many at once; sent again and again; closed at the end."""
    parameters = ThrustParameters(shortest_pulse=0.15, longest_pulse=0.4, most_valves=3)
    held, _ = flown(parameters, 0, PRIOR)
    pulses = lengths(held)
    assert len(pulses) > 60
    assert pulses.min() > 0.15 - 1e-9
    assert pulses.max() < 0.4 + 1e-9
    assert set(held.values.sum(axis=1)) == {0.0, 1.0, 2.0, 3.0}
    assert np.diff(held.times).max() < 0.51
    assert not held.values[-1].any()
    fired = np.count_nonzero(np.diff(held.values, axis=0) > 0.0, axis=0)
    assert fired.min() >= 3


def test_the_same_seed_fires_the_same():
    parameters = ThrustParameters()
    one, again, other = (flown(parameters, seed, PRIOR, duration=12.0)[0] for seed in (3, 3, 4))
    assert_allclose(one.times, again.times)
    assert_allclose(one.values, again.values)
    assert len(one.times) != len(other.times) or not np.allclose(one.values, other.values)


@pytest.mark.parametrize('seed', range(3))
def test_the_base_stays_in_its_box_though_thrusters_are_not_as_stated(seed):
    """Up to 30 % stronger or weaker, each on its own; a little beyond the box in between."""
    rng = np.random.default_rng(seed)
    thrusters = [
        replace(each, strength=each.strength * (1.0 + 0.3 * rng.uniform(-1.0, 1.0)))
        for each in PRIOR.thrusters
    ]
    true = replace(air_bearing(), thrusters=thrusters)
    _, places = flown(ThrustParameters(thrust_box=(0.4, 0.3, 1.0)), seed, true, duration=120.0)
    assert np.abs(places[:, 0]).max() < 0.4 * 1.1
    assert np.abs(places[:, 1]).max() < 0.3 * 1.1
    assert np.abs(places[:, :2]).max() > 0.1


def test_a_base_that_leaves_its_box_is_pushed_back():
    plan = swinging(PRIOR.joint_names)
    parameters = ThrustParameters(longest_pulse=1.0)
    firing = ThrusterFiring(PRIOR, plan, parameters, np.zeros(3), planar=True)
    twist = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    leaving = BaseState(0.0, np.array([0.45, 0.0, 0.0]), Rotation.identity(), twist)
    segment = firing.segment(leaving, firing.closed, 0.0, np.random.default_rng(0))
    times = GRID * np.arange(41)
    shares = np.stack([segment.at(times[:-1]), np.zeros((40, 8))])
    drift = base_drift(PRIOR, plan.sample(times), leaving, shares, planar=True)
    pushed, coasting = drift.attitude.apply(drift.coasting[:, :3])[:, 0]
    assert pushed < coasting - 0.01


@pytest.mark.parametrize('off', [-1e9, -1.0, 1.0, 1e9])
def test_poses_may_have_another_clock(off):
    """Of hours or of a second: pulses are drawn all the same, in no time."""
    firing = ThrusterFiring(
        PRIOR, swinging(PRIOR.joint_names), ThrustParameters(), np.zeros(3), planar=True
    )
    seen = replace(REST, time=20.0 + off)
    segment = firing.segment(seen, firing.closed, 20.0, np.random.default_rng(0))
    assert segment.values.any()
    assert (segment.times >= 20.0).all()


@pytest.mark.parametrize('planar', [True, False])
def test_the_drift_is_that_of_mujoco(planar):
    """To the steps of the prediction; wheels turn meanwhile in space."""
    rng, duration = np.random.default_rng(6), 2.0
    robot = air_bearing() if planar else servicer()
    if not planar:
        corner = Thruster('corner', np.array([0.5, 0.4, 0.3]), np.array([-1.0, 0.0, 0.0]), 2.0)
        robot = replace(robot, thrusters=[corner])
    count = len(robot.thrusters)
    joints = Motion.drawn(len(robot.joints), 0.5, rng)
    wheels = Motion.drawn(len(robot.wheels), 20.0, rng)
    times = GRID * np.arange(round(duration / GRID) + 1)
    shares = np.where(rng.random((len(times) - 1, count)) < 0.3, 1.0, 0.0)
    thrust = HeldSignal(times[:-1], shares)
    flight = fly(robot, Truth(), joints, wheels, thrust, duration, rng, planar=planar)
    parts = (np.hstack(pair) for pair in zip(joints.at(times), wheels.at(times), strict=True))
    start = replace(REST, twist=flight.twist[0])
    drift = base_drift(robot, PlannedMotion(times, *parts), start, shares[None], planar=planar)
    way = np.abs(flight.position[-1]).max()
    assert_allclose(drift.position[0, -1], flight.position[-1], atol=0.1 * way)
    assert_allclose(drift.twist[0], flight.twist[-1], atol=0.03 * np.abs(flight.twist).max())


def test_state_of_the_base_from_poses():
    """Exact along a straight line and a constant turn."""
    times = 3.0 + 0.1 * np.arange(6)
    turned = Rotation.from_rotvec(np.outer(times, [0.02, -0.03, 0.2]))
    positions = np.outer(times, [0.1, -0.2, 0.05])
    state = base_state(times, positions, turned.as_quat())
    assert state.time == times[-1]
    assert_allclose(state.attitude.apply(state.twist[:3]), [0.1, -0.2, 0.05], atol=1e-12)
    assert_allclose(state.twist[3:], [0.02, -0.03, 0.2], atol=1e-12)


@pytest.mark.parametrize(
    ('given', 'reason'),
    [
        ({'shortest_pulse': 0.6}, 'shortest_pulse: 0.6 s is above longest_pulse'),
        ({'shortest_pulse': 3.0, 'longest_pulse': 4.0}, 'shortest_pulse: must be below'),
        ({'thrust_box': (1.0, 0.0, 1.0)}, 'thrust_box: every number must be above zero'),
    ],
)
def test_what_leaves_no_pulse_is_refused(given, reason):
    plan = swinging(PRIOR.joint_names)
    with pytest.raises(ConfigurationError, match=reason):
        ThrusterFiring(PRIOR, plan, ThrustParameters(**given), np.zeros(3))

"""Thrusters in simulation: pulses with dead time, delay, loss and scatter, however time is cut."""

from dataclasses import replace

from air_bearing import air_bearing, STRENGTH
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest
from thruster_flights import given as given_by_oracle
from thruster_flights import STEP, Truth, valves

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import Actuators, Valves
from spacerobot_id.simulation import DynamicSimulation
from spacerobot_id.simulation.dynamic.firing import Firing

ROBOT = air_bearing()
NAMES = tuple(thruster.name for thruster in ROBOT.thrusters)
STATED = np.stack([thruster.wrench for thruster in ROBOT.thrusters], axis=-1)


def robot_with(**errors):
    return replace(ROBOT, actuators=Actuators(valves=Valves(**errors)))


def one(number, share=1.0):
    shares = np.zeros(len(NAMES))
    shares[number] = share
    return shares


def impulse(firing, edges):
    """Return the integral of the wrench, N s and N m s, shape (6,)."""
    return np.diff(edges) @ firing.wrench(edges)


@given(
    on=st.floats(0.001, 0.5),
    dead=st.floats(0.0, 0.1),
    delay=st.floats(0.0, 0.3),
    cuts=st.lists(st.floats(0.0, 2.0), min_size=1, max_size=20),
)
def test_a_pulse_has_the_impulse_of_its_time_open(on, dead, delay, cuts):
    """Strength times time open less dead time, whatever the steps; nothing if that is over."""
    robot = robot_with(dead_time=dead, delay=delay, strength={NAMES[2]: -0.2})
    pulse = Firing.closed(robot, 0.0).commanded(0.7, one(2)).commanded(0.7 + on, one(2, 0.0))
    edges = np.unique([0.0, *cuts, 3.0])
    expected = 0.8 * STATED[:, 2] * max(on - dead, 0.0)
    assert_allclose(impulse(pulse, edges), expected, atol=1e-8)
    before = np.array([0.0, 0.699 + delay + dead])
    assert_allclose(impulse(pulse, before), 0.0, atol=1e-12)


def test_what_is_done_is_forgotten_and_nothing_changes():
    """History is cut while a pulse waits for its delay and dead time, and while it is on."""
    robot = robot_with(dead_time=0.05, delay=0.4, scatter=0.3, strength_loss=0.1)
    whole = Firing.closed(robot, 0.0, seed=3)
    for time, shares in ((0.1, one(0)), (0.3, one(0) + one(5)), (0.55, one(5)), (0.8, one(5, 0))):
        whole = whole.commanded(time, shares)
    edges = np.linspace(0.0, 2.0, 101)
    parts, firing = [], whole
    for step in range(100):
        parts.append(firing.wrench(edges[step : step + 2]))
        firing = firing.since(edges[step + 1])
    assert_allclose(np.concatenate(parts), whole.wrench(edges), atol=1e-12)
    assert len(firing.times) == 1
    assert firing.is_idle


def test_open_for_a_share_of_the_time_is_that_share_of_the_strength():
    firing = Firing.closed(ROBOT, 0.0).commanded(0.0, one(4, 0.3))
    assert_allclose(firing.wrench(np.array([1.0, 2.0]))[0], 0.3 * STATED[:, 4])


def test_further_valves_take_from_each_other():
    robot = robot_with(strength_loss=0.15)
    three = one(0) + one(3) + one(6)
    firing = Firing.closed(robot, 0.0).commanded(0.0, three)
    assert_allclose(firing.wrench(np.array([1.0, 2.0]))[0], 0.7 * STATED @ three)


def test_a_direction_is_turned():
    """By a right angle about z: the force of thruster 3 along x becomes one along y."""
    robot = robot_with(direction={NAMES[2]: (0.0, 0.0, np.pi / 2)})
    firing = Firing.closed(robot, 0.0).commanded(0.0, one(2))
    x, y = ROBOT.thrusters[2].position[:2]
    expected = [0.0, STRENGTH, 0.0, 0.0, 0.0, x * STRENGTH]
    assert y != 0.0
    assert_allclose(firing.wrench(np.array([1.0, 2.0]))[0], expected, atol=1e-15)


def test_pulses_scatter_as_their_seed_says_and_each_is_constant():
    def strengths(seed):
        firing = Firing.closed(robot_with(scatter=0.15), 0.0, seed)
        for pulse in range(400):
            firing = firing.commanded(pulse, one(1)).commanded(pulse + 0.2, one(1))
            firing = firing.commanded(pulse + 0.5, one(1, 0.0))
        edges = np.arange(400.0)[:, None] + [0.0, 0.1, 0.3, 0.5]
        found = firing.wrench(np.append(edges.ravel(), 400.0))[:, 0].reshape(400, 4)
        assert_allclose(found[:, :2], found[:, [2, 2]])
        return found[:, 0] / -STRENGTH

    drawn = strengths(1)
    assert np.mean(drawn) == pytest.approx(1.0, abs=0.03)
    assert np.std(drawn) == pytest.approx(0.15, rel=0.15)
    assert_allclose(strengths(1), drawn)
    assert not np.allclose(strengths(2), drawn)


def test_valves_close_when_no_commands_come():
    firing = Firing.closed(ROBOT, 0.0).commanded(1.0, one(0), until=1.5)
    assert_allclose(impulse(firing, np.array([0.0, 9.0])), 0.5 * STATED[:, 0])
    longer = firing.commanded(1.4, one(0), until=1.9)
    assert_allclose(impulse(longer, np.array([0.0, 9.0])), 0.9 * STATED[:, 0])


def test_a_command_takes_the_place_of_later_ones():
    firing = Firing.closed(ROBOT, 0.0).commanded(1.0, one(0)).commanded(2.0, one(1))
    stopped = firing.commanded(1.5, np.zeros(8))
    assert_allclose(impulse(stopped, np.array([0.0, 9.0])), 0.5 * STATED[:, 0])


def test_means_are_those_of_the_oracle():
    """Whose valves are looked at ten times per step: it is right to a share of that."""
    errors = {'strength_loss': 0.15, 'dead_time': 0.02, 'delay': 0.15}
    thrust = valves(8, 20.0, np.random.default_rng(5))
    firing = Firing.closed(robot_with(**errors), -1.0)
    for time, row in zip(thrust.times, thrust.values, strict=True):
        firing = firing.commanded(time, row)
    edges = STEP * np.arange(4001)
    truth = Truth(loss=0.15, dead_time=0.02, delay=0.15)
    wanted = given_by_oracle(thrust, truth, edges, np.random.default_rng(0)) @ STATED.T
    assert np.abs(wanted).max() > 1.5 * STRENGTH
    assert_allclose(firing.wrench(edges), wanted, atol=1e-9)


@pytest.mark.parametrize(
    ('shares', 'reason'),
    [
        (np.zeros(7), 'expected 8 values'),
        (one(3, np.nan), 'value 3 is nan'),
        (one(3, 1.2), 'thruster_4 is to open to 1.2'),
        (one(0, -0.1), 'thruster_1 is to open to -0.1'),
    ],
)
def test_commands_that_cannot_be_are_refused(shares, reason):
    flying = DynamicSimulation.at_rest(ROBOT, np.zeros(3), mode='flying')
    with pytest.raises(SimulationError, match=reason):
        flying.with_thrust(shares)


def test_thrusters_fire_only_where_they_are_what_moves_the_base():
    drifting = DynamicSimulation.at_rest(ROBOT, np.zeros(3))
    with pytest.raises(SimulationError, match='mode rotation-floating fires no thrusters'):
        drifting.with_thrust(one(0))
    bare = DynamicSimulation.at_rest(replace(ROBOT, thrusters=()), np.zeros(3), mode='flying')
    with pytest.raises(SimulationError, match='air_bearing has no thrusters'):
        bare.with_thrust(())

"""Pulses that are chosen by what they show, the errors of the thrusters counted."""

from dataclasses import replace

from fired_flights import (
    COUNTED,
    flown,
    found_after,
    lengths,
    objective_of,
    PRIOR,
    REST,
    source_of,
    swinging,
)
import numpy as np
import pytest

from spacerobot_id.excitation.planner_settings import GRID, ThrustParameters
from spacerobot_id.excitation.thrust.base_drift import base_drift
from spacerobot_id.excitation.thrust.pulse_objective import PulseInformation

ALL = {**COUNTED, 'thrust_direction': 0.05}
PARAMETERS = ThrustParameters(most_valves=3)


class Case:
    """Two seconds of pulses beside moving joints, and what is predicted of their readings."""

    def __init__(self, planar):
        self.planar, rng, steps = planar, np.random.default_rng(2), 40
        self.share = 0.05 if planar else 0.15  # how the attitude turns what follows is left out
        source = source_of(ALL, planar=planar)
        self.information = PulseInformation(PRIOR, source.minimal, source.thrusters, planar)
        motion = swinging(PRIOR.joint_names).sample(3.3 + GRID * np.arange(steps + 1))
        self.motion = motion
        self.shares = np.zeros((1, steps, 8))
        for thruster, begin in enumerate(rng.permutation(32)[:8]):
            self.shares[0, begin + 1 : begin + 5, thruster] = 1.0
        self.slopes = self.information.slopes(motion, self.drift(), self.shares)[0][0]

    def drift(self, robot=PRIOR, shares=None):
        """Return where the base goes."""
        shares = self.shares if shares is None else shares
        return base_drift(robot, self.motion, REST, shares, planar=self.planar)

    def readings(self, robot=PRIOR, shares=None):
        """Return poses and twists of the free axes every 0.2 s, one after the other."""
        drift = self.drift(robot, shares)
        free = [0, 1, 5] if self.planar else list(range(6))
        turns = 2.0 * drift.attitudes[0, :, :3]  # small
        pose = np.hstack([drift.position[0], turns])[:, free]
        return np.hstack([pose, drift.twists[0][:, free]])[::4].ravel()

    def column(self, group):
        """Return the first column of a group of the thrusters."""
        names = [each.name for each in self.information.groups]
        sizes = [len(each.names) for each in self.information.groups]
        return len(self.information.minimal) + sum(sizes[: names.index(group)])


@pytest.fixture(name='case', scope='module', params=[True, False])
def two_seconds_of_pulses(request):
    return Case(request.param)


def assert_alike(slope, difference, share):
    """Hold a slope of readings to a difference, by the length of both."""
    assert np.linalg.norm(slope - difference) < share * np.linalg.norm(difference)


# Slopes


@pytest.mark.parametrize('name', ['base.Izz', 'base.m', 'base.mx', 'upper_arm.mx', 'hand.my'])
def test_slopes_by_parameters_are_those_of_the_predicted_base(case, name):
    """By differences of the flight that the description predicts, pose and momentum free."""
    minimal = case.information.minimal
    place = minimal.names.index(name)
    values, step = minimal.values(PRIOR), 1e-4
    sides = []
    for sign in (1.0, -1.0):
        moved = values.copy()
        moved[place] += sign * step
        robot = PRIOR.with_parameters(minimal.expand(moved))
        sides.append(case.readings(robot))
    slope = case.slopes[:, place]
    assert_within_start(case, slope, (sides[0] - sides[1]) / (2.0 * step))


def assert_within_start(case, slope, difference):
    """Hold a slope to a difference but for the momentum and the pose at the start."""
    count = 2 * (3 if case.planar else 6)
    start = case.slopes[:, -count:]
    left = [each - start @ np.linalg.lstsq(start, each)[0] for each in (slope, difference)]
    assert_alike(*left, case.share)


@pytest.mark.parametrize('thruster', [0, 5])
def test_slopes_by_strengths_are_those_of_the_predicted_base(case, thruster):
    changed = list(PRIOR.thrusters)
    changed[thruster] = replace(changed[thruster], strength=1.01 * changed[thruster].strength)
    robot = replace(PRIOR, thrusters=changed)
    difference = (case.readings(robot) - case.readings()) / 0.01
    assert_alike(case.slopes[:, case.column('strength') + thruster], difference, case.share)


def test_slopes_by_losses_and_times_are_those_of_the_predicted_base(case):
    """Pulses that are weaker beside others, begin a step late, or come a step late."""
    shares, is_open = case.shares, case.shares > 0.0
    further = np.maximum(shares.sum(axis=-1, keepdims=True) - 1.0, 0.0)
    begun = is_open & ~np.roll(is_open, 1, axis=1)
    for name, changed, step, share in (
        ('strength_loss', shares * (1.0 - 0.01 * further), 0.01, case.share),
        ('dead_time', np.where(begun, 0.0, shares), GRID, 2.0 * case.share),
        ('delay.wrench', np.roll(shares, 1, axis=1), GRID, 2.0 * case.share),
    ):
        difference = (case.readings(shares=changed) - case.readings()) / step
        assert_alike(case.slopes[:, case.column(name)], difference, share)


def test_slopes_by_directions_are_those_of_the_predicted_base(case):
    """About z on a table, about either axis across the direction in space."""
    turned = PRIOR.thrusters[0].turned_wrenches(planar=case.planar)[:, 0]
    force = (PRIOR.thrusters[0].wrench + 1e-3 * turned)[:3]
    strength = np.linalg.norm(force)
    moved = replace(PRIOR.thrusters[0], direction=force / strength, strength=strength)
    robot = replace(PRIOR, thrusters=[moved, *PRIOR.thrusters[1:]])
    difference = (case.readings(robot) - case.readings()) / 1e-3
    assert_alike(case.slopes[:, case.column('thrust_direction')], difference, case.share)


# Choice


def test_nothing_is_chosen_where_nothing_of_thrusters_is_unknown():
    """Pulses are those of before."""
    assert objective_of({'encoder_offset': 0.01}) is None


def test_what_was_chosen_is_remembered():
    """Standard deviations fall from segment to segment; of several the best is taken."""
    case, choice = Case(planar=True), objective_of(ALL)
    weak, still = 0.2 * case.shares, 0.0 * case.shares
    shares = np.concatenate([still, weak, case.shares])
    drift = base_drift(PRIOR, case.motion, REST, shares, planar=True)
    known = np.sqrt(np.diag(np.linalg.inv(source_of(ALL).prior)))
    before = known
    for _ in range(3):
        each = [objective_of(ALL) for _ in shares]
        for other in each:
            other.shown = choice.shown
        for place, other in enumerate(each):
            other.choose(case.motion, drift[place : place + 1], shares[place : place + 1])
        costs = [np.mean(np.log(other.standard_deviations)) for other in each]
        best = choice.choose(case.motion, drift, shares)
        after = choice.standard_deviations
        assert np.mean(np.log(after)) == pytest.approx(costs[best])
        assert np.all(after <= before * (1.0 + 1e-9))
        assert np.any(after < 0.99 * before)
        before = after


def test_chosen_pulses_keep_their_limits_and_the_base_in_its_box():
    choice = objective_of(ALL)
    held, places = flown(PARAMETERS, 1, PRIOR, objective=choice)
    pulses = lengths(held)
    assert pulses.min() > 0.1 - 1e-9
    assert pulses.max() < 0.5 + 1e-9
    assert held.values.sum(axis=1).max() <= 3.0
    assert np.abs(places[:, :2]).max() < 0.5 * 1.1


# Flown


@pytest.mark.slow
def test_chosen_pulses_show_more_to_momentum_balance():
    """Of what shows at all, MuJoCo as the plant, thrusters, table and valves as they are not."""
    method, drawn = found_after(None)
    _, chosen = found_after(objective_of(COUNTED))
    shown = np.arange(len(drawn)) < len(method.minimal)
    shown &= drawn < 0.5
    assert np.exp(np.mean(np.log(chosen / drawn)[shown])) < 0.9

"""Momentum balance of a servicer in space, MuJoCo as the plant: thrusters, wheels and an arm."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import servicer
from space_flights import drawn_servicer, LATE, seen_at_once, space_flight, thrusting_servicer
from table_flights import (
    heavier,
    noise_sizes,
    scores,
    TABLE,
    table_flight,
)
from table_flights import UNKNOWN as ON_TABLE

from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.balance.clock_search import likely_wrench_delay
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.unknowns import NuisanceSettings


@pytest.mark.slow
def test_of_a_servicer_under_thrusters_and_wheels_all_is_found():
    """Pose at 20 Hz and gyro; wheels give the scale, so that no mass has to be known."""
    method = MomentumBalance(thrusting_servicer())
    fit = fit_flights(method, [method.flight(space_flight())])
    errors, seen = scores(fit, method, method.minimal.values(servicer()))
    assert seen.mean() > 0.8
    assert np.mean(errors[seen] ** 2) < 1.6
    assert np.abs(errors[seen]).max() < 4.5


@pytest.mark.slow
def test_thrusters_that_act_late_and_otherwise_are_found_beside_the_servicer():
    """Strengths, loss, dead time and delay of more than two segments; pulses scatter by 15 %."""
    method, record, truth = drawn_servicer(0, 30.0)
    fit = fit_flights(method, [method.flight(record)])
    errors, seen = scores(fit, method, truth)
    assert fit.converged
    assert seen.mean() > 0.6
    assert fit.sizes['scatter'] == pytest.approx(LATE.scatter, rel=0.3)
    assert np.abs(errors[seen]).max() < 4.0
    assert np.mean(errors[seen] ** 2) < 1.6


def test_the_delay_of_wrenches_is_looked_for_before_a_fit():
    """By the motion of a robot that is not known: from poses alone, and with a gyro."""
    in_space = MomentumBalance(thrusting_servicer(), actuators=ActuatorSettings(delay_wrench=0.2))
    late = replace(LATE, loss=0.0, dead_time=0.0)
    on_table = MomentumBalance(heavier(), planar=True, actuators=ON_TABLE)
    for method, record in (
        (in_space, space_flight(0, 20.0, late)),
        (on_table, table_flight(TABLE, 0, 20.0)),
    ):
        start = Balance(method, method.flight(record), method.prior().mean)
        assert likely_wrench_delay([start], 0.2) == pytest.approx(late.delay, abs=0.03)


def test_a_gyro_is_weighed_by_its_noise_and_what_the_curve_through_joints_leaves():
    """Of the true robot its readings have unit noise: rates of joints count as smoothed."""
    method = MomentumBalance(thrusting_servicer())
    flight, none = method.flight(space_flight(0, 20.0)), noise_sizes(*5 * [1e-7])
    start = method.prior().mean
    own = begin_fit(method, [flight], start, given=none, held=True).ended().flights[0]
    for kind in (0, 1):
        white = own.whitened(none)[own.blocks.kind == kind]
        assert np.sqrt(np.mean(white**2)) == pytest.approx(1.0, abs=0.03)


def test_of_a_robot_that_nothing_acts_on_it_is_the_momentum_method():
    """Of the same twists at the same times, momentum unknown: estimate and deviations agree.

    Poses that tell nothing by themselves leave what conservation says of every sample.
    """
    record, noise = seen_at_once(0, 10.0), servicer().noise
    blind = replace(noise, joint_position=1e-9, joint_rate=1e-9)
    method = MomentumBalance(
        replace(servicer(), noise=replace(blind, base_position=1.0, base_attitude=1.0))
    )
    robot = replace(servicer(), noise=replace(blind, base_position=0.0, base_attitude=0.0))
    momentum = Momentum.from_model(
        robot, NuisanceSettings(linear_momentum=300.0, angular_momentum=90.0)
    )
    none = [noise_sizes(size, size, 0.1, size, size) for size in 10.0 ** np.arange(-4, -10, -1)]
    start, count = method.prior().mean, len(method.minimal)
    fit = begin_fit(method, [method.flight(record)], start, given=none[0]).near()
    for sizes in none[1:]:
        fit = fit.with_sizes(sizes).near()
    fit = fit.ended()
    values = momentum.prior().mean
    for _ in range(3):
        rows = momentum.equations(record, values)
        known = momentum.prior().linearised(values).absorb(rows.matrix, rows.right)
        values = known.values()
    std, expected = (
        np.sqrt(np.diag(each.covariance()))[:count] for each in (fit.information, known)
    )
    assert_allclose(std, expected, rtol=1e-3)
    assert_allclose(fit.values[:count] / expected, values[:count] / expected, atol=1e-3)

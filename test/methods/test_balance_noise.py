"""Sizes of noise in momentum balance: how far data are fitted to themselves."""

import numpy as np
import pytest
from table_flights import heavier, KNOWN_MASS, on_table, TABLE, table_flight, UNKNOWN

from spacerobot_id.methods.balance.balance_fit import begin_fit
from spacerobot_id.methods.balance.balance_problem import Problem
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.balance.noise.noise_search import spent
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes, SIZES
from spacerobot_id.methods.momentum_balance import MomentumBalance

STEP = 1e-3


@pytest.mark.parametrize('count', [1, 2])
def test_leverages_are_the_slope_of_the_determinant(count):
    """Degrees of freedom that are spent, by size: those that differences of it say."""
    method = on_table(actuators=UNKNOWN)
    flights = [method.flight(table_flight(seed=seed, duration=4.0)) for seed in range(count)]
    values = method.prior().mean
    linear = []
    for flight in flights:
        balance = Balance(method, flight, values)
        linear.append(balance.linear(balance.start()))
    weights = [(np.ones(len(each.seconds)), np.ones(len(each.kind))) for each in linear]
    information = method.prior().linearised(values)
    problem = Problem(method, linear, weights, information, [values] * count)
    sizes = NoiseSizes(1e-3, 2e-3, 0.1, 5e-4, 1e-3, 2.0)
    numeric = np.zeros(SIZES)
    for size in range(SIZES):
        high, low = sizes.logarithms, sizes.logarithms
        high[size] += STEP
        low[size] -= STEP
        sides = (problem.solved(sizes.of(each)).determinant for each in (high, low))
        numeric[size] = -0.25 * np.subtract(*sides) / STEP
    np.testing.assert_allclose(spent(problem, problem.solved(sizes)), numeric, atol=1e-4)


def test_a_size_that_was_found_to_be_nothing_can_grow_again():
    """Pulses that scatter after a time in which none were seen to."""
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    flight = method.flight(table_flight(TABLE, duration=15.0))
    before = NoiseSizes(1e-5, 1e-5, 1e-5, 1e-5, 1e-5)
    fit = begin_fit(method, [flight], method.prior().mean, first=before).ended()
    assert 0.5 * TABLE.scatter < fit.sizes.scatter < 2.0 * TABLE.scatter

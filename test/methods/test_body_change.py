"""A body that joins a moving robot under thrusters: likelihoods, dates, what is found."""

from air_bearing import air_bearing
import numpy as np
import pytest
from table_flights import (
    grasp_flight,
    KNOWN_MASS,
    loaded,
    on_table,
    TABLE,
    table_flight,
    UNKNOWN,
)

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.states import body_change
from spacerobot_id.estimation.states.body_change import likeliest_change
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.estimation.states.marginal_prior import inflated
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.statistics.square_root_information import SquareRootInformation

SEGMENT = 70
GRASP, MASS = 16.0, 1.5


def test_what_moved_at_random_is_as_uncertain_as_both_together():
    """Covariances of state and unknowns add to those of the move; the means stay."""
    rng = np.random.default_rng(0)
    n, u, count = 4, 6, 3
    rows = np.hstack(
        [np.triu(rng.normal(size=(n, n))) + 3.0 * np.eye(n), rng.normal(size=(n, u + 1))]
    )
    of_state, of_unknowns = rng.normal(size=(n, count)), rng.normal(size=(u, count))
    known = SquareRootInformation(
        np.triu(rng.normal(size=(u, u))) + 2.0 * np.eye(u), rng.normal(size=u)
    )

    def moments(rows, known):
        factor = np.zeros((n + u, n + u))
        factor[:n], factor[n:, n:] = rows[:, :-1], known.factor
        inverse = np.linalg.inv(factor)
        return inverse @ np.append(rows[:, -1], known.target), inverse @ inverse.T

    mean, covariance = moments(rows, known)
    moves = np.vstack([of_state, of_unknowns])
    found = inflated(rows, known, of_state, of_unknowns)
    there, spread = moments(found.rows, found.information)
    np.testing.assert_allclose(there, mean, atol=1e-10)
    np.testing.assert_allclose(spread, covariance + moves @ moves.T, rtol=1e-9, atol=1e-10)
    before, after = (np.linalg.slogdet(each)[1] for each in (covariance, spread))
    assert found.pivots == pytest.approx(after - before, abs=1e-9)


def held(record, until):
    """Return the states along a flight of the robot that a batch fit found before."""
    method = on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    earlier = fit_flights(method, [method.flight(record[record.times < until])])
    flight = method.flight(record)
    fit = begin_fit(method, [flight], earlier.values, given=earlier.sizes, held=True).ended()
    return fit


def test_a_change_of_nothing_leaves_the_likelihood_as_it_is():
    """With a body of no mass and no size before and after any moment, to rounding."""
    record = table_flight(TABLE, duration=6.0)
    fit = held(record, 6.0)
    nothing = ChangeSettings(mass=1e-12)
    search = body_change._Search(fit, nothing)
    for costs in search.costs([1, SEGMENT, 100]).values():
        assert costs.joined == pytest.approx(costs.bumped, abs=1e-5)
        assert costs.bumped == pytest.approx(search.unchanged, abs=1e-5)


def test_F31_a_body_is_dated_by_likelihoods():
    """A tenth of the robot grasped in motion: to half a second, surely."""
    fit = held(grasp_flight(GRASP, MASS), GRASP)
    found = likeliest_change(fit, ChangeSettings(), 5.0)
    assert found.is_sure
    assert fit.flights[0].flight.edges[found.segment] == pytest.approx(GRASP, abs=0.5)


def test_F31_no_body_is_seen_in_a_flight_without_one():
    """By far: what is grasped has ten parameters that have to pay."""
    record = grasp_flight(GRASP, MASS)
    fit = held(record[record.times < GRASP], GRASP)
    assert likeliest_change(fit, ChangeSettings(), 5.0).ratio < -10.0


@pytest.mark.slow
def test_F31_a_grasp_under_thrusters_is_announced_and_learnt():
    """Live within two seconds, once; body and robot within their intervals."""
    record, method = (
        grasp_flight(GRASP, MASS),
        on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN),
    )
    state = begin_identification(method)
    seconds = np.floor((record.times - record.times[0]) / 0.2)
    for part in np.split(np.arange(len(record)), np.flatnonzero(np.diff(seconds)) + 1):
        state = absorb(state, record[part])
    assert state.changes == 1
    assert 0.0 < state.announced[0] - GRASP < 2.5
    (body,) = changed_bodies(state)
    assert body.mass == pytest.approx(MASS, abs=3.0 * body.mass_std)
    assert body.mass_std < 0.1 * MASS
    estimate = state.estimate()
    off = (estimate.values - method.minimal.values(loaded(air_bearing(), MASS))) / estimate.std
    assert np.sqrt(np.mean(off**2)) < 1.6
    assert not state.window.is_lost


@pytest.mark.slow
def test_F31_a_grasp_in_a_log_is_found():
    """The estimate is that since, and usable."""
    method = on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    found = identify(grasp_flight(GRASP, MASS), method, with_links=False)
    assert found.changes == 1
    assert found.quality.is_usable
    true = method.minimal.values(loaded(air_bearing(), MASS))
    assert np.mean(np.abs(found.estimate.values - true) <= 3.0 * found.estimate.std) > 0.9

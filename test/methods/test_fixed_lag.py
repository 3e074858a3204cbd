"""The fixed-lag smoother of momentum balance: what has left its window is not lost."""

from dataclasses import replace
from functools import cache

from air_bearing import air_bearing
import numpy as np
import pytest
from scipy.stats import chi2
from table_flights import heavier, KNOWN_MASS, on_table, TABLE, table_flight, UNKNOWN
from thruster_flights import Truth

from spacerobot_id.estimation import absorb, begin_identification, RecursionSettings, refine
from spacerobot_id.estimation.states import window
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.estimation.states.marginal_prior import MarginalPrior
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.measurement import Record
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.statistics.square_root_information import SquareRootInformation

SEGMENT, PERIOD = 70, 1.0


def live(method, record, longest=15.0, work=1500, **settings):
    """Return the states after every second, samples leaving after eleven."""
    state, states = begin_identification(method, RecursionSettings(**settings)), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, '_LAG', 160)
        patch.setattr(window, '_MOST_LAG', 220)
        patch.setattr(window, '_LONGEST', longest)
        patch.setattr(window, '_WORK', work)
        for begin in np.arange(record.times[0], record.times[-1] + PERIOD, PERIOD):
            block = record[(record.times >= begin) & (record.times < begin + PERIOD)]
            if len(block):
                state = absorb(state, block)
                states.append(state)
    return states


@cache
def flown():
    """Return a flight, its method, and the states that the smoother goes through."""
    record = table_flight(TABLE, 3, 25.0, encoder_step=1.5e-3)
    method = on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    return record, method, live(method, record)


def test_two_halves_and_what_is_known_between_them_are_the_whole():
    """Linear about the same point, to rounding."""
    method = on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    flight = method.flight(table_flight(TABLE, duration=6.0))
    fit = begin_fit(method, [flight], method.prior().mean).ended(5)
    before = MarginalPrior.within(fit, SEGMENT, None)
    half, trajectory = flight.going_on(before.onward), fit.flights[0].trajectory[SEGMENT:]
    linear = Balance(method, half, fit.values).linear(trajectory)
    bumps, rows = fit.flights[0].weights
    weights = [(bumps[SEGMENT:], rows[fit.flights[0].blocks.row_edges[SEGMENT] :])]
    known = before.information
    centred = SquareRootInformation(known.factor, known.target - known.factor @ fit.values)
    begun = before.about(method, trajectory, fit.values)
    halves = replace(fit.problem, blocks=[linear], weights=weights, prior=centred, marginal=begun)
    found, whole = halves.solved(fit.sizes).information, fit.solved.information
    np.testing.assert_allclose(found.values(), whole.values(), rtol=1e-4, atol=1e-9)
    std = np.sqrt(np.diag(whole.covariance()))
    expected = whole.covariance() / np.outer(std, std)
    np.testing.assert_allclose(found.covariance() / np.outer(std, std), expected, atol=1e-5)


def test_it_ends_where_the_fit_of_all_samples_does():
    """Inside its 95 % region, as sure, from no more samples at a time than the window has."""
    record, method, states = flown()
    last, batch = states[-1], fit_flights(method, [method.flight(record)])
    assert len(last.window.between) >= 2
    assert record.times[-1] - last.smoothed_until < 1.0
    windows = [each.window.begun for each in states if each.window is not None]
    assert all(len(each.bumps) < 220 for each in windows if each is not None)
    off = batch.information.factor @ (last.information.values() - batch.values)
    assert off @ off < chi2.ppf(0.95, len(off))
    ratio = np.diag(last.information.covariance()) / np.diag(batch.information.covariance())
    assert np.sqrt(ratio.min()) > 0.7
    assert np.sqrt(ratio.max()) < 1.3


@pytest.mark.slow
def test_all_samples_are_linearised_anew_a_few_steps_at_a_time():
    """Beside the latest ones, every second; what it has led to is taken when it is over."""
    record = table_flight(TABLE, 4, 32.0, encoder_step=1.5e-3)
    method = on_table(prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    states = [each for each in live(method, record, 32.0, 450) if each.window is not None]
    ends = [each.smoothed_until for each in states]
    assert max(np.diff(ends)) < 1.5 * PERIOD
    steps = np.array(
        [each.window.renewal.iteration.done if each.window.renewal else 0 for each in states]
    )
    under_way = np.flatnonzero(steps)
    begin, end = under_way[0], under_way[-1]
    assert end - begin >= 2
    assert set(np.diff(steps[begin : end + 1])) == {1} == {int(steps[begin])}
    assert states[end].window.linearised == states[begin - 1].window.linearised
    assert abs(states[end + 1].window.linearised - ends[begin]) < PERIOD
    batch = fit_flights(method, [method.flight(record)])
    off = batch.information.factor @ (states[-1].information.values() - batch.values)
    assert off @ off < chi2.ppf(0.95, len(off))


def test_samples_forgotten_stay_in_what_is_known():
    """With room for a part of them, as sure as with all; also when these are fitted at once."""
    record, method, states = flown()
    few, every = live(method, record, most_samples=1000)[-1], states[-1]
    assert sum(map(len, few.recorded)) <= 1000 < sum(map(len, every.recorded))
    refined = refine(few)
    for found in (few, refined):
        off = found.information.values() - every.information.values()
        assert every.information.deviations(off) < 1.0
        spread = [np.diag(each.information.covariance()) for each in (found, every)]
        assert np.abs(np.sqrt(spread[0] / spread[1]) - 1.0).max() < 0.2


def test_what_is_lost_is_fitted_again_also_where_samples_were_forgotten():
    """When the flight has grown by 30 % since, as before anything was forgotten."""
    last = flown()[2][-1].window
    for kept in (last, last.forgotten(last.marginal.time)):
        lost = kept.lost(100.0).lost(100.0)
        assert not lost.is_due(kept.begin + 1.2 * (100.0 - kept.begin))
        assert lost.is_due(kept.begin + 1.4 * (100.0 - kept.begin))
    first = last.forgotten(last.marginal.time).lost(100.0)
    assert first.is_due(first.begin + 1.4 * (100.0 - first.begin))


def without_commands(record, bad):
    """Return samples with valves that seem closed for a while."""
    thrust = record.thrust
    lost = (thrust.times > bad[0]) & (thrust.times < bad[1])
    values = np.where(lost[:, None], 0.0, thrust.values)
    return replace(record, thrust=replace(thrust, values=values))


def with_wandering_poses(record, bad):
    """Return samples with poses that stray by decimetres for a while."""
    position = record.position.copy()
    strays = (record.times > bad[0]) & (record.times < bad[1]) & np.isfinite(position[:, 0])
    steps = 0.05 * np.random.default_rng(0).normal(size=(strays.sum(), 3))
    position[strays] += np.cumsum(steps, axis=0) * [1.0, 1.0, 0.0]
    return replace(record, position=position)


@pytest.mark.slow
@pytest.mark.parametrize(
    ('damage', 'most', 'loses'),
    [(without_commands, 1.5, False), (with_wandering_poses, 2.5, True)],
)
def test_damaged_data_do_no_harm(damage, most, loses):
    """Disturbances explain what valves did. Where nothing does the estimate stays, and says so.

    Until all is fitted from the start and explained.
    """
    record, method, _ = flown()
    states = live(method, damage(record, (10.0, 12.5)))
    true, count = method.minimal.values(air_bearing()), len(method.minimal)
    was_lost = False
    for state in (each for each in states if each.window is not None):
        std = np.sqrt(np.diag(state.information.covariance()))[:count]
        scores = (state.information.values()[:count] - true) / std
        assert np.sqrt(np.mean(scores**2)) < most
        kinds = [each.kind for each in defects(state, None)]
        assert ('contradiction' in kinds) == state.window.is_lost
        was_lost |= state.window.is_lost
    assert was_lost is loses
    assert not states[-1].window.is_lost


def test_after_a_pause_another_flight_begins():
    """Its tilt is its own; what the first one said of the robot stays."""
    method = MomentumBalance(
        heavier(),
        planar=True,
        prior_settings=KNOWN_MASS,
        actuators=ActuatorSettings(disturbance_force=0.02),
    )
    tilts = [5e-3, -5e-3]
    records = [
        table_flight(Truth(force=np.array([tilt, 0.0, 0.0])), seed, 10.0)
        for seed, tilt in enumerate(tilts)
    ]
    states = live(method, Record.concatenate([records[0], records[1].shifted(100.0)]))
    count, place = len(method.minimal), method.unknowns.places['disturbance'].start
    ends = [states[len(states) // 2 - 1].information, states[-1].information]
    for found, tilt in zip(ends, tilts, strict=True):
        assert found.values()[place] == pytest.approx(tilt, abs=2e-4)
    before, after = (np.sqrt(np.diag(each.covariance()))[:count] for each in ends)
    prior = method.prior()
    stated = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))[:count]
    seen = after < 0.5 * stated
    assert np.median(after[seen] / before[seen]) < 0.9
    errors = (ends[1].values()[:count] - method.minimal.values(air_bearing())) / after
    assert np.abs(errors[seen]).max() < 4.5

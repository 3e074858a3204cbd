"""Rough tables: clocks of poses that are known too roughly, and other forces that are large."""

from dataclasses import replace
from functools import cache

from air_bearing import air_bearing
import numpy as np
import pytest
from table_flights import AS_STATED, KNOWN_MASS, on_table, TABLE, table_flight, UNKNOWN

from spacerobot_id.estimation import absorb, begin_identification, RecursionSettings, refine
from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.nodes.estimator.checkpoint_file import EstimatorCheckpoint

SEEN = 14.4 + 2.0 * 0.3


def method_with(clock):
    return on_table(
        prior_settings=KNOWN_MASS,
        actuators=UNKNOWN,
        calibration=CalibrationSettings(delay_base_pose=clock),
    )


@cache
def late(seed, duration):
    """Return a flight whose poses have a clock 90 ms off."""
    truth = replace(TABLE, clock=0.09)
    return table_flight(truth, seed, duration, encoder_step=1.5e-3)


def lacks_clock(state):
    return 'shortage' in [each.kind for each in defects(state, None)]


@pytest.mark.parametrize(('clock', 'needed'), [(0.02, 0.0), (0.1, SEEN), (1.0, 14.4 + 2.0 * 2.0)])
def test_how_long_a_flight_has_to_last_for_its_clock(clock, needed):
    """Four times a tenth of a second for each of four steps of eight thrusters, three joints, one.

    And as far at both ends as the clock may be off, 2 s at most.
    """
    method = method_with(clock)
    flight = method.flight(late(0, 20.0).between(0.0, 4.0))
    assert method.time_needed(flight) == pytest.approx(needed)


@pytest.mark.slow
def test_no_estimate_is_valid_before_its_clock_is_found(tmp_path):
    """Live none is fitted, nor valid, nor written down: the description stands until then."""
    method, record = method_with(0.1), late(0, 20.0)
    count, truth = len(method.minimal), method.minimal.values(air_bearing())
    state, worst = begin_identification(method, RecursionSettings()), 0.0
    file = EstimatorCheckpoint(str(tmp_path / 'checkpoint.json'), 'of this robot', None)
    for second in range(20):
        state = absorb(state, record.between(second, second + 1))
        early = second < SEEN
        assert (state.window is None) is early
        if second < 5:
            continue
        std = np.sqrt(np.diag(state.information.covariance()))[:count]
        errors = (state.information.values()[:count] - truth) / std
        worst = max(worst, np.abs(errors).max())
        assert not early or lacks_clock(state)
        assert file.is_due(state) is not lacks_clock(state)
    assert worst < 4.0
    assert not lacks_clock(state)
    clock = method.unknowns.places['delay.base_pose'].start
    assert state.information.values()[clock] == pytest.approx(0.09, abs=0.01)
    assert state.window.search.length >= SEEN


def test_a_log_too_short_for_its_clock_says_so():
    record = late(0, 20.0).between(0.0, 8.0)
    state = absorb(begin_identification(method_with(0.1), RecursionSettings()), record)
    assert [each.sentence for each in defects(refine(state), None) if each.kind == 'shortage'] == [
        'the clock of base_pose is known to 0.1 s only, and 7.8 s are too short to look for it, '
        'which takes 15 s: wait, or set a smaller delay.base_pose'
    ]


def test_flights_too_short_for_a_clock_are_left_out_of_a_log_with_others():
    """Each has a clock of its own; that of the short one is anywhere."""
    short, long = late(0, 10.0), late(1, 16.0).shifted(30.0)
    both = Record.concatenate([short, long])
    (flight,) = method_with(0.1).flights(both)
    assert flight.edges[0] > 29.0
    assert len(method_with(0.02).flights(both)) == 2
    (flight,) = method_with(0.1).flights(short)
    assert flight.length == pytest.approx(10.0, abs=0.3)


@pytest.mark.slow
def test_live_a_short_flight_is_left_and_a_later_one_waited_for():
    """After a pause the robot is that before, until the next flight shows its clock."""
    method, gap = method_with(0.1), 20.0
    long, next_one = late(4, 18.0), late(5, 18.0)
    state = begin_identification(method, RecursionSettings())
    state = absorb(state, late(3, 8.0))
    assert lacks_clock(state)
    for begin in range(0, 18, 3):
        state = absorb(state, long.between(begin, begin + 3).shifted(gap))
        assert lacks_clock(state) is (begin + 3 < SEEN + 1.0)
    alone = absorb(begin_identification(method, RecursionSettings()), long.shifted(gap))
    apart = state.information.values() - alone.information.values()
    assert state.information.deviations(apart) < 0.2
    before = state.window.begin
    for begin in range(0, 18, 3):
        state = absorb(state, next_one.between(begin, begin + 3).shifted(2.0 * gap + 10.0))
        assert not lacks_clock(state)
        assert begin >= 12 or state.window.begin == before
    assert state.window.begin > before


@pytest.mark.slow
def test_a_clock_far_off_is_found_where_other_forces_are_large():
    """Steps went to and fro between two clocks, and its deviation was a fifth of what it is."""
    errors, truth = [], replace(TABLE, clock=0.8)
    for seed in range(4):
        method = method_with(1.0)
        record = table_flight(truth, seed, 24.0, white=0.05, encoder_step=1.5e-3, pose=10.0)
        fit = fit_flights(method, method.flights(record))
        assert fit.converged
        assert fit.iterations < 30
        place = method.unknowns.places['delay.base_pose'].start
        std = np.sqrt(fit.information.covariance()[place, place])
        errors.append((fit.values[place] - 0.8) / std)
        assert std < 0.05
    assert np.abs(errors).max() < 3.5
    assert np.mean(np.square(errors)) < 2.7  # chance: one of a hundred


@pytest.mark.slow
def test_where_other_forces_are_large_no_lighter_robot_is_taken_for_it():
    """The scale left open: total masses are off by as much as they say, to neither side."""
    method, scores = on_table(prior_settings=PriorSettings(1.0, 0.5)), []
    mass = air_bearing().parameters.reshape(-1, 10)[:, MASS].sum()
    for seed in range(100, 110):
        record = table_flight(AS_STATED, seed, 15.0, white=0.05, encoder_step=1.5e-3, pose=10.0)
        fit = fit_flights(method, method.flights(record))
        places = list(method.masses)
        std = np.sqrt(fit.information.covariance()[np.ix_(places, places)].sum())
        scores.append((fit.values[places].sum() - mass) / std)
    assert abs(np.mean(scores)) < 3.0 / np.sqrt(len(scores))
    assert 0.4 < np.mean(np.square(scores)) < 2.5

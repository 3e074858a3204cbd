"""The free-flyer while it flies: poses and wrenches absorbed in blocks, fitted as they grow."""

from dataclasses import replace

from free_flyer_flights import ALONE, flight, LOADED, record, ROBOT
import numpy as np
import pytest

from spacerobot_id.estimation import begin_identification, RecursionSettings
from spacerobot_id.estimation.physical_consistency import consistent_links
from spacerobot_id.estimation.recursive.recursion import absorb, refine
from spacerobot_id.estimation.states.solution import solution
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.model import PARAMETER_NAMES

WHOLE = record(flight(cycles=2))
METHOD = FreeFlyer(ROBOT)


def blocks(whole, length=25):
    """Return a record in pieces, each with the wrenches that it needs, as they would come."""
    for start in range(0, len(whole), length):
        rows = slice(start, start + length)
        wrench = HeldSignal(whole.wrench.times[rows], whole.wrench.values[rows])
        yield replace(whole[rows], wrench=wrench)


def absorbed(whole, state=None):
    state = state or begin_identification(METHOD)
    for block in blocks(whole):
        state = absorb(state, block)
    return state


def test_before_the_first_wrench_it_knows_the_robot_alone():
    """Poses without wrenches say nothing; the prior is wide enough for the load."""
    state = begin_identification(METHOD)
    still = replace(WHOLE, wrench=replace(WHOLE.wrench, values=np.zeros((len(WHOLE.wrench), 6))))
    state = absorb(state, still)
    estimate = state.estimate()
    assert state.samples == estimate.samples == 0
    assert estimate.rank == 0
    np.testing.assert_allclose(estimate.values, ALONE.vector)
    assert (np.abs(LOADED.vector - ALONE.vector) < 3.0 * estimate.prior_std).all()
    assert refine(state) is state


def test_blocks_end_where_the_whole_record_does():
    """Refined, it is the batch fit of everything."""
    state = refine(absorbed(WHOLE))
    batch = solution(METHOD, WHOLE, ALONE.vector)
    estimate = state.estimate()
    assert estimate.names == PARAMETER_NAMES
    assert estimate.samples == len(WHOLE)
    assert estimate.rank == 10
    assert estimate.not_identified() == ()
    np.testing.assert_allclose(estimate.values, batch.values, rtol=1e-4, atol=1e-7)
    assert estimate.chi_square == pytest.approx(1.0, abs=0.15)
    assert state.robot(np.zeros(0)).mass == pytest.approx(LOADED.mass, rel=0.03)
    assert consistent_links(state.method, state.estimate(), 1.0) is None


def test_it_gets_better_while_it_moves():
    """There are fits on the way, each over more poses than the one before."""
    state, fitted = begin_identification(METHOD), []
    for block in blocks(WHOLE):
        state = absorb(state, block)
        fitted.append(state.linearised)
    assert sorted(fitted) == fitted
    assert len(set(fitted)) > 3


def test_old_poses_are_known_and_not_kept():
    """Only the newest are kept, with the wrenches that act at the first of them.

    What those before them said is known: all is surer than from those kept alone.
    """
    settings = RecursionSettings(most_samples=200)
    state = refine(absorbed(WHOLE, begin_identification(METHOD, settings)))
    kept = Record.concatenate(state.recorded)
    assert len(kept) <= 200
    np.testing.assert_array_equal(kept.times, WHOLE.times[-len(kept) :])
    np.testing.assert_array_equal(
        kept.wrench.at(kept.times), WHOLE.wrench.at(WHOLE.times[-len(kept) :])
    )
    estimate = state.estimate()
    alone = solution(METHOD, kept, estimate.values).information.covariance()
    assert (estimate.std < np.sqrt(np.diag(alone))).all()
    assert (np.abs(estimate.values - LOADED.vector) < 4.0 * estimate.std).all()


def test_noise_has_to_be_given():
    quiet = replace(ROBOT, noise=replace(ROBOT.noise, base_position=0.0))
    with pytest.raises(ConfigurationError, match='base_position'):
        FreeFlyer(quiet)

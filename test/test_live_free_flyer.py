"""The live free-flyer: poses and wrenches brought together, absorbed in blocks, fitted."""

from dataclasses import replace

from free_flyer_flights import ALONE, ATTITUDE_STD, flight, LOADED, POSITION_STD, record, ROBOT
import numpy as np
import pytest

from spacerobot_id.data import AlignmentSettings, FreeFlyerRecord, Verdict
from spacerobot_id.estimation import LikelihoodSettings, LiveFreeFlyer, trajectory_likelihood
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import PARAMETER_NAMES
from spacerobot_id.nodes.free_flyer_inputs import FreeFlyerAlignment

WHOLE = record(flight(cycles=2))
PROPELLERS = ROBOT.actuators.propellers


def blocks(whole, length=25):
    """Return a record in pieces, each with the wrenches that it needs, as they would come."""
    for start in range(0, len(whole), length):
        rows = slice(start, start + length)
        yield FreeFlyerRecord(
            whole.times[rows],
            whole.position[rows],
            whole.attitude[rows],
            whole.command_times[rows],
            whole.wrenches[rows],
        )


def absorbed(whole, state=None):
    state = state or LiveFreeFlyer.begin(ROBOT)
    for block in blocks(whole):
        state = state.absorb(block)
    return state


def test_before_the_first_wrench_it_knows_the_robot_alone():
    """Poses without wrenches say nothing; the prior is wide enough for the load."""
    state = LiveFreeFlyer.begin(ROBOT)
    still = replace(WHOLE, wrenches=np.zeros_like(WHOLE.wrenches))
    state = state.absorb(still)
    estimate = state.estimate()
    assert state.samples == estimate.samples == 0
    assert estimate.rank == 0
    np.testing.assert_allclose(estimate.values, ALONE.vector)
    assert (np.abs(LOADED.vector - ALONE.vector) < 3.0 * estimate.prior_std).all()
    assert state.refined() is state


def test_blocks_end_where_the_whole_record_does():
    """Refined, it is the batch fit of everything."""
    state = absorbed(WHOLE).refined()
    batch = trajectory_likelihood(
        WHOLE, ALONE.vector, LikelihoodSettings(POSITION_STD, ATTITUDE_STD)
    )
    estimate = state.estimate()
    assert estimate.names == PARAMETER_NAMES
    assert estimate.samples == len(WHOLE)
    assert estimate.rank == 10
    assert estimate.not_identified() == ()
    np.testing.assert_allclose(estimate.values, batch.values, rtol=1e-4, atol=1e-7)
    assert estimate.chi_square == pytest.approx(1.0, abs=0.15)
    assert state.robot(np.zeros(0)).mass == pytest.approx(LOADED.mass, rel=0.03)
    assert state.links(1.0) is None


def test_it_gets_better_while_it_moves():
    """There are fits on the way, each over more poses than the one before."""
    state, fitted = LiveFreeFlyer.begin(ROBOT), []
    for block in blocks(WHOLE):
        state = state.absorb(block)
        fitted.append(state.fitted)
    assert sorted(fitted) == fitted
    assert len(set(fitted)) > 3


def test_old_poses_are_forgotten():
    """Only the newest are kept, with the wrenches that act at the first of them."""
    state = absorbed(WHOLE, LiveFreeFlyer.begin(ROBOT, most_samples=200))
    assert len(state.record) == 200
    np.testing.assert_array_equal(state.record.times, WHOLE.times[-200:])
    np.testing.assert_array_equal(
        state.record.wrench_at(state.record.times), WHOLE.wrench_at(WHOLE.times[-200:])
    )


def test_noise_has_to_be_given():
    quiet = replace(ROBOT, noise=replace(ROBOT.noise, base_position=0.0))
    with pytest.raises(ConfigurationError, match='base_position'):
        LiveFreeFlyer.begin(quiet)


def fed(alignment, *, applied=False, until=60):
    """Push poses and wrenches in the order in which they come; return what is taken."""
    push = alignment.push_applied if applied else alignment.push_wrench
    taken = []
    for row in range(until):
        alignment.push_pose(10.0 + WHOLE.times[row], WHOLE.position[row], WHOLE.attitude[row])
        push(10.0 + WHOLE.times[row], WHOLE.wrenches[row])
        if row % 7 == 6:
            taken.append(alignment.take())
    return [each for each in taken if each is not None]


@pytest.mark.parametrize('applied', [False, True])
def test_poses_get_the_wrenches_of_their_time(applied):
    """Every pose once, in order; what acts just after it is what was asked then, and given."""
    alignment = FreeFlyerAlignment(ROBOT, AlignmentSettings())
    taken = fed(alignment, applied=applied)
    times = np.concatenate([each.times for each in taken])
    np.testing.assert_allclose(times, 10.0 + WHOLE.times[: len(times)])
    acting = np.concatenate([each.wrench_at(each.times) for each in taken])
    np.testing.assert_allclose(acting, WHOLE.wrenches[: len(times)], atol=1e-9)


def test_commands_are_cut_to_what_the_propellers_give():
    """As the actuators would; what the drives say they gave is taken as it is."""
    huge = np.array([50.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for push, expected in (('push_wrench', PROPELLERS.given(huge)), ('push_applied', huge)):
        alignment = FreeFlyerAlignment(ROBOT, AlignmentSettings())
        for row in range(3):
            alignment.push_pose(1.0 + row / 20, np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
        getattr(alignment, push)(1.0, huge)
        alignment.push_pose(1.5, np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
        taken = alignment.take()
        np.testing.assert_allclose(taken.wrench_at(taken.times[-1:])[0], expected)


def test_where_the_drives_speak_nobody_listens_to_commands():
    alignment = FreeFlyerAlignment(ROBOT, AlignmentSettings())
    alignment.push_applied(1.0, np.ones(6))
    alignment.push_wrench(1.1, np.zeros(6))
    np.testing.assert_allclose(alignment.streams['base_wrench'].last, 1.0)


def test_F17_a_clock_that_jumps_back_takes_the_wrenches_along():
    """Nothing of before the jump acts after it."""
    alignment = FreeFlyerAlignment(ROBOT, AlignmentSettings())
    fed(alignment)
    pose = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    verdicts = [alignment.push_pose(1.0 + row / 20, *pose) for row in range(20)]
    assert Verdict.CLOCK_JUMPED in verdicts
    assert alignment.jumps == 1
    taken = alignment.take()
    assert not taken.wrench_at(taken.times).any()

"""The free-flyer on an air-bearing table, MuJoCo as the plant: what the plane shows is found."""

from functools import cache

from air_bearing import air_bearing
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from thruster_flights import fly, Motion, STEP, Truth, valves

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.recursive.recursion import refine
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.model.inertial_parameters import IZZ, MASS, MX, MY
from spacerobot_id.multibody import whole_robot

SEEN = [IZZ, MASS, MX, MY]
HIDDEN = ('Ixx', 'Iyy', 'Ixy', 'Iyz', 'Izx', 'mz')
TRUE = whole_robot(air_bearing(), np.zeros(3)).vector
METHOD = FreeFlyer.from_settings(air_bearing(prior=True), MethodSettings(planar=True))
AS_STATED = Truth()
DURATION, POSES = 30.0, 20.0
"""Length of a flight, s, and rate of its poses, 1/s."""


@cache
def flight(seed, truth=AS_STATED):
    """Return poses and the wrenches that thrusters should have given, the arm at rest."""
    robot, rng = air_bearing(), np.random.default_rng(seed)
    at_rest = Motion(np.zeros((1, 3)), np.ones((1, 3)), np.zeros((1, 3)))
    wheels, thrust = Motion.drawn(0, 1.0, rng), valves(8, DURATION, rng)
    flown = fly(robot, truth, at_rest, wheels, thrust, DURATION, rng, planar=True)
    rows = slice(None, None, round(1.0 / (POSES * STEP)))
    times = flown.times[rows]
    place, turn = np.zeros((2, len(times), 3))
    place[:, :2] = robot.noise.base_position * rng.normal(size=(len(times), 2))
    turn[:, 2] = robot.noise.base_attitude * rng.normal(size=len(times))
    columns = np.stack([each.wrench for each in robot.thrusters], axis=-1)
    begin = HeldSignal(np.array([-1.0]), np.zeros((1, 6)))
    wrench = HeldSignal(thrust.times, thrust.values @ columns.T)
    return Record(
        times,
        position=flown.position[rows] + place,
        attitude=(Rotation.from_quat(flown.attitude[rows]) * Rotation.from_rotvec(turn)).as_quat(),
        wrench=HeldSignal.concatenate([begin, wrench]),
    )


def scores(estimate):
    """Return errors of what shows in standard deviations."""
    return ((estimate.values - TRUE) / estimate.std)[SEEN]


def hold(result):
    """Check a result: what the plane shows within its intervals, the rest not identified."""
    estimate = result.estimate
    assert estimate.not_identified() == HIDDEN
    assert estimate.rank == len(SEEN)
    assert np.abs(scores(estimate)).max() < 4.0
    assert result.is_usable, result.reasons
    assert result.robot.is_physical()


def test_mass_first_moments_and_inertia_about_z_are_found():
    """As exactly as poses are read, where thrusters are as stated."""
    result = identify(flight(0), METHOD)
    hold(result)
    assert (result.estimate.std[SEEN] < 1e-2 * TRUE[[IZZ, MASS, MX, MX]]).all()
    assert result.noise == ()


@pytest.mark.parametrize('seed', [1, 2])
def test_pulses_that_scatter_make_intervals_wide_and_true(seed):
    """15 % of each pulse, which is a thousand times the noise of the poses."""
    result = identify(flight(seed, Truth(scatter=0.15)), METHOD)
    hold(result)
    sure = identify(flight(0), METHOD)
    assert (result.estimate.std[SEEN] > 3.0 * sure.estimate.std[SEEN]).all()
    assert 'scatter of pulses' in {each.name for each in result.noise}


def test_live_it_ends_where_the_log_does():
    """Poses absorbed in blocks, fitted as they grow; the hidden ones never count as identified."""
    state, record = begin_identification(METHOD), flight(0)
    for start in range(0, len(record), 50):
        state = absorb(state, record[start : start + 50])
        assert set(state.estimate().not_identified()) >= set(HIDDEN)
    found, whole = refine(state).estimate(), identify(record, METHOD).estimate
    np.testing.assert_allclose(found.values[SEEN], whole.values[SEEN], rtol=1e-4)
    assert found.not_identified() == HIDDEN


def test_the_body_that_is_published_can_exist_with_a_load():
    """A flight of a robot far heavier than described: what is hidden follows as its shape does."""
    light = air_bearing(prior=True)
    scaled = light.with_parameters(0.4 * light.parameters)
    result = identify(flight(0), FreeFlyer(scaled, planar=True))
    hold(result)
    assert result.estimate.values[MASS] == pytest.approx(TRUE[MASS], rel=1e-2)

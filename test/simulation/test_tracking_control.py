"""Tracking of a pose: Lee's error, exact tracking with the true body, limits of the propellers."""

from free_flyer_flights import ALONE, flight, LOADED, PROPELLERS, reference, stacked, STEP
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.simulation import fly, SaturatedTracking
from spacerobot_id.simulation.free_flyer.tracking_control import lee_attitude_error


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-3, 3.1))
def test_lees_error_is_the_vector_part_of_the_quaternion(seed, angle):
    """Along the axis, as long as the sine of half the angle: it grows up to half a turn."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    wanted = Rotation.random(rng=rng)
    rotation = wanted * Rotation.from_rotvec(angle * axis)
    error = lee_attitude_error(rotation.as_matrix(), wanted.as_matrix())
    np.testing.assert_allclose(error, np.sin(0.5 * angle) * axis, atol=1e-9)


def test_the_true_body_without_limits_is_tracked():
    """With a fine step nothing is left but the delay of one step; a wrong body strays more."""
    steps = 2000
    wanted = stacked([reference()], steps * 5)
    fine = type(wanted)(
        *(getattr(wanted, name)[:, :steps] for name in type(wanted).__dataclass_fields__)
    )
    exact = fly([LOADED.vector], SaturatedTracking(LOADED.vector, fine), 400, STEP)
    wrong = fly([LOADED.vector], SaturatedTracking(ALONE.vector, fine), 400, STEP)
    away = [
        np.linalg.norm(flown.states[0, :-1, :3] - fine.position[0, :400], axis=1).max()
        for flown in (exact, wrong)
    ]
    assert away[0] < 0.02
    assert away[0] < 0.5 * away[1]


def test_it_comes_back_from_far_away():
    """From half a metre and more than a right angle off, to the reference."""
    start = np.zeros((1, 13))
    start[0, :3] = [0.5, -0.3, 0.2]
    start[0, 3:7] = Rotation.from_rotvec([1.2, -1.5, 0.8]).as_quat()
    steps = 600
    wanted = stacked([reference()], steps)
    tracking = SaturatedTracking(LOADED.vector, wanted)
    end = fly([LOADED.vector], tracking, steps, STEP, states=start).states[0, -2]
    assert np.linalg.norm(end[:3] - wanted.position[0, -1]) < 0.02
    turned = Rotation.from_matrix(wanted.rotation[0, -1]).inv() * Rotation.from_quat(end[3:7])
    assert turned.magnitude() < 0.05


def test_limits_are_kept_and_said():
    """No thrust beyond its limit; saturation is where one is at it."""
    limited, free = flight(limited=True), flight(limited=False)
    thrusts = limited.wrenches @ PROPELLERS.allocation.T
    assert np.abs(thrusts).max() <= PROPELLERS.max_thrust * (1.0 + 1e-9)
    assert 0.0 < limited.saturated_share[0] < 1.0
    assert free.saturated_share[0] == 0.0
    assert np.abs(free.wrenches @ PROPELLERS.allocation.T).max() > PROPELLERS.max_thrust
    at_limit = np.abs(thrusts[0]).max(axis=1) > PROPELLERS.max_thrust * (1.0 - 1e-6)
    np.testing.assert_array_equal(at_limit, limited.saturated[0])


def test_a_motion_that_gets_lost_is_refused():
    broken = LOADED.vector * np.nan
    with pytest.raises(SimulationError, match='flight 0'):
        fly([broken], SaturatedTracking(ALONE.vector, stacked([reference()], 10)), 10, STEP)

"""Propellers: the mixing matrix from the geometry of a ring, allocation, limits, simulation."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.model import (
    Actuators,
    InertialParameters,
    load_robot,
    PropellerRing,
    Propellers,
    shipped_file,
)
from spacerobot_id.simulation import DynamicSimulation

COBOT = load_robot(shipped_file('config/robots/space_cobot.urdf'))
RING = COBOT.actuators.propellers


def test_the_space_cobot_is_that_of_the_paper():
    """Mass and inertia of [Ekal 2019] 6.1, six actuators, all six directions of the wrench."""
    body = COBOT.links[0].inertial
    assert body.mass == pytest.approx(6.047)
    np.testing.assert_allclose(body.inertia, np.diag([0.0453, 0.0417, 0.0519]), atol=1e-12)
    np.testing.assert_allclose(body.com, 0.0, atol=1e-12)
    assert RING.matrix.shape == (6, 6)
    assert np.linalg.matrix_rank(RING.matrix) == 6
    noise = COBOT.noise
    assert (noise.base_position, noise.base_attitude) == (0.05, 0.03)


def test_the_matrix_of_a_ring_is_its_geometry():
    """Force along each thrust, moment from lever and drag, for one propeller by hand."""
    matrix = np.array(PropellerRing(4, 0.5, np.pi / 6, 0.1).mixing)
    thrust = np.array([-np.sin(np.pi / 6) * -1.0, 0.0, np.cos(np.pi / 6)])  # at the angle pi / 2
    moment = np.cross([0.0, 0.5, 0.0], thrust) - 0.1 * thrust
    np.testing.assert_allclose(matrix[:, 1], np.concatenate([thrust, moment]), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(matrix[:3], axis=0), 1.0)


@settings(deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6))
def test_what_is_within_the_limits_is_given(asked):
    """And beyond them no thrust is larger than its limit."""
    asked = np.array(asked)
    wide = replace(RING, max_thrust=np.inf)
    np.testing.assert_allclose(wide.given(asked), asked, atol=1e-12)
    thrusts = RING.thrusts(100.0 * asked)
    assert (np.abs(thrusts) <= RING.max_thrust).all()
    np.testing.assert_allclose(RING.given(100.0 * asked), RING.matrix @ thrusts, atol=1e-12)


def test_the_simulation_gives_what_the_propellers_give():
    """A wrench beyond the limits, recorded as it acts; one within them as it is."""
    flying = DynamicSimulation.at_rest(COBOT, [], mode='flying')
    for scale in (0.01, 10.0):
        asked = scale * np.array([2.0, -1.0, 0.5, 0.2, 0.1, -0.3])
        _, samples = flying.with_base_wrench(asked).advanced_to([0.01, 0.02])
        np.testing.assert_allclose(samples.base_wrench[-1], RING.given(asked), atol=1e-12)
    assert not np.allclose(RING.given(asked), asked)
    np.testing.assert_allclose(
        samples.base_acceleration[0, :3], RING.given(asked)[:3] / 6.047, rtol=1e-3
    )


def test_a_matrix_that_leaves_a_direction_out_is_refused():
    """Propellers without tilt give no sideways force."""
    with pytest.raises(ValueError, match='rank is'):
        Propellers(PropellerRing(6, 0.2, 0.0, 0.01).mixing)
    with pytest.raises(ValueError, match='six rows'):
        Propellers(((1.0,), (0.0,)))
    assert Actuators().propellers is None
    assert isinstance(COBOT.links[0].inertial, InertialParameters)

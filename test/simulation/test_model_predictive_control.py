"""Predictive control within the thrusts; skipped where CasADi is missing, and that said."""

import sys

from free_flyer_flights import ALONE, LOADED, PROPELLERS, reference, stacked, STEP
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.simulation import fly, PredictiveControl, SaturatedTracking
from spacerobot_id.simulation.free_flyer.model_predictive_control import PredictiveSettings


@pytest.fixture(name='predicted', scope='module')
def predicted_flight():
    """Return three seconds of a flight under predictive control, and where it should be."""
    pytest.importorskip('casadi')
    wanted = stacked([reference()], 100)
    control = PredictiveControl(ALONE.vector, PROPELLERS, wanted, STEP)
    return fly([LOADED.vector], control, 60, STEP, PROPELLERS), wanted


def test_it_keeps_the_limits_and_tracks(predicted):
    """Without ever asking for more than the propellers give."""
    flown, wanted = predicted
    thrusts = flown.wrenches[0] @ PROPELLERS.allocation.T
    assert np.abs(thrusts).max() <= PROPELLERS.max_thrust * (1.0 + 1e-6)
    away = np.linalg.norm(flown.states[0, :60, :3] - wanted.position[0, :60], axis=1)
    assert away.max() < 0.25
    turned = Rotation.from_matrix(wanted.rotation[0, :60]).inv() * Rotation.from_quat(
        flown.states[0, :60, 3:7]
    )
    assert turned.magnitude().max() < 0.4


def test_it_sees_what_comes(predicted):
    """Before the reference moves, it moves: the plain control does not."""
    flown, wanted = predicted
    plain = fly([LOADED.vector], SaturatedTracking(ALONE.vector, wanted), 60, STEP, PROPELLERS)
    first = [np.abs(each.wrenches[0, 0]).max() for each in (flown, plain)]
    assert first[0] > first[1]


def test_either_sign_of_the_quaternion_is_the_same_attitude():
    """The short way round, from a state whose quaternion has the other sign."""
    pytest.importorskip('casadi')
    wanted = stacked([reference()], 40)
    settings = PredictiveSettings(nodes=5)
    start = np.zeros((1, 13))
    start[0, 3:7] = Rotation.from_rotvec([0.3, -0.2, 0.4]).as_quat()
    other = start.copy()
    other[0, 3:7] *= -1.0
    wrenches = [
        PredictiveControl(ALONE.vector, PROPELLERS, wanted, STEP, settings).wrench(0, each)
        for each in (start, other)
    ]
    np.testing.assert_allclose(wrenches[0], wrenches[1], atol=1e-3)


def test_without_casadi_the_way_to_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, 'casadi', None)
    with pytest.raises(ConfigurationError, match=r'pip install "spacerobot_id\[nmpc\]"'):
        PredictiveControl(ALONE.vector, PROPELLERS, stacked([reference()], 10), STEP)

"""Attitude along a joint motion with an angular momentum that is constant and not zero."""

import numpy as np
import pytest
from robots import random_tree
from scipy.spatial.transform import Rotation

from spacerobot_id.multibody import (
    attitude_from_momentum,
    base_twist_from_momentum,
    momentum,
)

MOMENTUM = np.array([3.0, -2.0, 1.0])
START = np.array([0.2, 0.1, 0.3, 0.9274])


def joint_motion(joints, steps, duration=4.0):
    """Return smooth positions and rates at half steps, and the step."""
    times = np.linspace(0.0, duration, 2 * steps + 1)[:, None]
    pace = 0.5 + 0.3 * np.arange(joints)
    return np.sin(pace * times), pace * np.cos(pace * times), duration / steps


def integrated(model, steps):
    q, qd, step = joint_motion(len(model.joints), steps)
    return attitude_from_momentum(model, q, qd, step, MOMENTUM, START)


@pytest.mark.parametrize('seed', range(3))
def test_the_momentum_stays_in_the_inertial_frame(seed):
    """The attitude's rate of change, differenced, gives links whose momentum is that of before."""
    model = random_tree(seed, 3)
    steps = 4000
    q, qd, step = joint_motion(3, steps)
    turns = Rotation.from_quat(integrated(model, steps))
    rate = (turns[:-1].inv() * turns[1:]).as_rotvec() / step
    middle = (turns[:-1] * Rotation.from_rotvec(0.5 * step * rate)).inv()
    seen = np.hstack([np.zeros((steps, 3)), middle.apply(MOMENTUM)])
    twist = base_twist_from_momentum(model, q[1::2], qd[1::2], np.zeros((steps, 0)), seen)
    np.testing.assert_allclose(twist[:, 3:], rate, atol=1e-5)
    whole = momentum(model, q[1::2], qd[1::2], twist)
    np.testing.assert_allclose(whole[:, :3], 0.0, atol=1e-9)


def test_errors_are_of_fourth_order():
    """Half the step, a sixteenth of the error."""
    model = random_tree(1, 3)
    fine = integrated(model, 640)[-1]
    errors = [np.linalg.norm(integrated(model, steps)[-1] - fine) for steps in (10, 20, 40)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (orders > 3.5).all()


def test_a_body_alone_turns_about_its_momentum():
    """Of a body with equal moments, without joints: at a constant rate."""
    model = random_tree(0, 0)
    ball = model.parameters.copy()
    ball[:6] = [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    ball[7:] = 0.0
    still = np.zeros((201, 0))
    path = attitude_from_momentum(model.with_parameters(ball), still, still, 0.05, MOMENTUM, START)
    turned = Rotation.from_quat(path[-1]) * Rotation.from_quat(START).inv()
    wanted = Rotation.from_rotvec(100 * 0.05 * MOMENTUM / 2.0)
    assert (turned * wanted.inv()).magnitude() < 1e-5

"""What the planner knows of the base and the joints: smoothed poses, whole turns, faults."""

import logging

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.nodes.messages import (
    pose_from_message,
    pose_message,
    twist_from_message,
    twist_message,
)
from spacerobot_id.nodes.planner.base_session import BaseWatch
from spacerobot_id.nodes.planner.joint_watch import JointWatch

STEP = 0.05
TWIST = np.array([0.2, -0.1, 0.05, 0.1, 0.2, -0.3])


class Recorded(logging.Logger):
    """A logger that keeps its messages."""

    def __init__(self):
        super().__init__('test')
        self.logged = []

    def warning(self, text, *_):
        self.logged.append(text)

    def info(self, text, *_):
        self.logged.append(text)


@pytest.fixture(name='watch')
def fresh_watch():
    return BaseWatch('base', 0.5, Recorded())


def pose(*values):
    return pose_from_message(pose_message(*values))


def twist(*values):
    return twist_from_message(twist_message(*values))


def drift(watch, noise, frame='base', count=200):
    """Let a base move at a constant twist; return how far the state is from the truth, m, rad."""
    rng, position, turned = np.random.default_rng(1), np.zeros(3), Rotation.identity()
    for row in range(count):
        stamp = 1.0 + row * STEP
        if row:
            position = position + STEP * turned.apply(TWIST[:3])
            turned = turned * Rotation.from_rotvec(STEP * TWIST[3:])
        in_base = frame == 'base'
        parts = TWIST[:3], TWIST[3:]
        moving = TWIST if in_base else np.concatenate([turned.apply(part) for part in parts])
        measured = turned * Rotation.from_rotvec(noise * 0.03 * rng.normal(size=3))
        away = position + noise * 0.05 * rng.normal(size=3)
        watch.take_pose(pose(stamp, 'world', away, measured.as_quat()))
        watch.take_twist(twist(stamp, frame, moving))
    state = watch.state
    error = (turned.inv() * Rotation.from_quat(state[3:7])).magnitude()
    return np.linalg.norm(state[:3] - position), error


def test_without_noise_it_is_the_truth(watch):
    """The twist carries the pose from one message to the next."""
    away, turned = drift(watch, 0.0)
    assert away < 1e-9
    assert turned < 1e-9
    np.testing.assert_allclose(watch.state[7:], TWIST)
    assert watch.silence is None


def test_noise_is_smoothed(watch):
    """To about a third of that of one pose, as the filter's time has it."""
    away, turned = drift(watch, 1.0)
    assert away < 0.05
    assert turned < 0.03


def test_twists_in_inertial_axes_are_turned(watch):
    """As the frame of the message says."""
    drift(watch, 0.0, frame='world')
    np.testing.assert_allclose(watch.state[7:], TWIST, atol=0.05)


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (lambda message: setattr(message.pose.orientation, 'w', 3.0), 'unit length'),
        (lambda message: setattr(message.pose.position, 'x', float('nan')), 'NaN'),
        (lambda message: setattr(message.header.stamp, 'sec', 0), 'no stamp'),
    ],
)
def test_F6_F7_F15_bad_poses_change_nothing(watch, change, reason):
    drift(watch, 0.0, count=3)
    before, logger = watch.state, watch._monitors['base_pose']._logger
    message = pose_message(2.0, 'world', np.zeros(3), [0.0, 0.0, 0.0, 1.0])
    message.header.stamp.nanosec = 0
    change(message)
    assert not watch.take_pose(pose_from_message(message))
    np.testing.assert_array_equal(watch.state, before)
    assert any(reason in text for text in logger.logged)


def test_what_never_came_is_named(watch):
    """First the pose, then the twist."""
    assert watch.silence == 'base_pose: no message received yet'
    watch.take_pose(pose(1.0, 'w', np.zeros(3), [0.0, 0.0, 0.0, 1.0]))
    assert watch.silence == 'base_twist: no message received yet'
    watch.take_twist(twist(1.0, 'base', np.zeros(6)))
    assert watch.silence is None


def test_F8_a_continuous_joint_goes_on_where_its_encoder_wraps():
    """Else it would be a whole turn from where it should be; a joint with limits stays as said."""
    joints = JointWatch(('turret', 'elbow'), (True, False), Recorded())
    for stamp, angle in ((1.0, 3.1), (1.1, -3.1), (1.2, -3.0)):
        values = np.full(2, angle)
        joints.take(
            JointStream(stamp, stamp, ('turret', 'elbow'), values, np.zeros(2), np.empty(0))
        )
    np.testing.assert_allclose(joints.positions, [-3.0 + 2.0 * np.pi, -3.0])
    joints.forget_turns()
    np.testing.assert_allclose(joints.positions, [-3.0, -3.0])

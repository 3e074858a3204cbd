"""Torques of the joints predicted from a measured motion, against those that made it."""

import numpy as np
import pytest
from small_robot import small_robot, small_robot_prior

from spacerobot_id.estimation.analysis.torque_prediction import predicted_torques
from spacerobot_id.measurement import Record
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.multibody.free_floating.inverse_dynamics import free_floating_inverse_dynamics


def swinging(robot):
    """Return ten seconds of joints and wheels that swing, with the torques that this takes."""
    rng, times = np.random.default_rng(0), np.arange(0.0, 10.0, 0.01)
    n, count = len(robot.joints), len(robot.joints) + len(robot.wheels)
    rate, phase = rng.uniform(0.5, 2.0, count), rng.uniform(0.0, 6.0, count)
    angle = np.outer(times, rate) + phase
    q, qd, qdd = 0.4 * np.sin(angle), 0.4 * rate * np.cos(angle), -0.4 * rate**2 * np.sin(angle)
    wheels = 20.0 * qd[:, n:], 20.0 * qdd[:, n:]
    motion = q[:, :n], qd[:, :n]
    torque = free_floating_inverse_dynamics(robot, *motion, qdd[:, :n], *wheels).joint_torques
    twist = base_twist_from_momentum(robot, *motion, wheels[0])
    return Record(times, *motion, wheels[0], twist, joint_torque=torque)


def test_the_true_robot_predicts_them_and_another_does_not():
    robot, record = small_robot(), swinging(small_robot())
    found = predicted_torques(record, {'true': robot, 'other': small_robot_prior()})
    size = np.sqrt(np.mean(found.measured**2, axis=0))
    off = {
        name: np.sqrt(np.mean((torque - found.measured) ** 2, axis=0)) / size
        for name, torque in found.predicted.items()
    }
    assert off['true'].max() < 0.01
    assert off['other'].max() > 0.05
    assert len(found.times) == pytest.approx(len(record), abs=60)


def test_without_torques_there_is_no_prediction():
    record = swinging(small_robot())
    silent = Record(record.times, record.q, record.qd, record.wheel_rates, record.base_twist)
    assert predicted_torques(silent, {'true': small_robot()}) is None

"""Kinematic and dynamic simulation are one protocol: who uses one need not ask which it is."""

from dataclasses import replace
import inspect

import numpy as np
import pytest
from robots import servicer

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.model import JointLimits
from spacerobot_id.simulation import DynamicSimulation, KinematicSimulation, Simulation

KINDS = [KinematicSimulation, DynamicSimulation]
PUBLIC = [name for name in vars(Simulation) if not name.startswith('_')]


def free_servicer():
    """Return the servicer without limits of its joints."""
    model = servicer()
    return replace(
        model, tree_joints=[replace(each, limits=JointLimits()) for each in model.joints]
    )


@pytest.mark.parametrize('name', PUBLIC)
@pytest.mark.parametrize('kind', KINDS)
def test_it_has_what_the_protocol_has(kind, name):
    """The same names with the same arguments."""
    own, wanted = getattr(kind, name, None), getattr(Simulation, name)
    if callable(wanted):
        own, wanted = (list(inspect.signature(each).parameters) for each in (own, wanted))
        assert own == wanted
    else:
        assert isinstance(own, property) or name in kind.__dataclass_fields__


@pytest.mark.parametrize('kind', KINDS)
def test_trajectories_are_followed_to_their_end(kind):
    """The same lines of code whichever it is: joints and wheels arrive, and rest."""
    model = free_servicer()
    simulation: Simulation = kind.at_rest(model, np.zeros(7), 1.0)
    times, goal = np.array([1.0, 2.0]), np.array([[0.02] * 7, [0.05] * 7])
    joints = JointTrajectory(model.joint_names, times, goal, np.zeros((2, 7)), np.zeros((2, 7)))
    wheels = JointTrajectory(model.wheel_names, times, 10.0 * goal[:, :3], np.zeros((2, 3)))
    moving = simulation.with_joint_trajectory(joints).with_wheel_trajectory(wheels)
    assert not simulation.is_moving
    assert moving.is_moving
    arrived, samples = moving.advanced_to(1.0 + np.arange(1, 31) / 10.0)
    assert arrived.time == samples.times[-1] == 4.0
    assert not arrived.is_moving
    np.testing.assert_allclose(samples.q[-1], goal[-1], atol=1e-5)
    np.testing.assert_allclose(samples.wheel_angles[-1], 10.0 * goal[-1, :3], atol=1e-2)
    assert abs(samples.base_twist).max() > 1e-5
    assert all(isinstance(words, str) for words in arrived.conditions)
    with pytest.raises(TrajectoryError):
        arrived.with_joint_trajectory(replace(joints, positions=np.full((2, 7), np.nan)))


def test_forces_come_with_dynamic_simulation_alone():
    """Absent columns are None, and stay so where series are joined."""
    for kind in KINDS:
        simulation, early = kind.at_rest(servicer(), np.zeros(7)).advanced_to([0.01, 0.02])
        _, late = simulation.advanced_to([0.03])
        joined = early.followed_by(late)
        np.testing.assert_array_equal(joined.times, [0.01, 0.02, 0.03])
        torque = joined.motor_torque
        assert (None if torque is None else torque.shape) == (
            (3, 10) if kind is DynamicSimulation else None
        )

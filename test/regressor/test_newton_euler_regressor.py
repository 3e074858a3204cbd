"""Eq. 12 of [Ekal 2019] against the general regressor, Newton-Euler equations and pinocchio."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import pose_motion
from spacerobot_id.model import InertialParameters, PARAMETER_NAMES
from spacerobot_id.model.robot_model import Link, RobotModel
from spacerobot_id.regressor import newton_euler_regressor, wrench_regressor

RNG = np.random.default_rng(11)
SAMPLES = 20
MOTION = pose_motion(*(RNG.uniform(-1.0, 1.0, (SAMPLES, 6)) for _ in range(3)))
BODY = InertialParameters.from_com(
    7.2,
    [0.03, -0.05, 0.02],
    np.array([[0.07, 0.01, -0.02], [0.01, 0.08, 0.005], [-0.02, 0.005, 0.06]]),
)
PINOCCHIO_ORDER = ('m', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Iyy', 'Izx', 'Iyz', 'Izz')


def test_it_is_the_regressor_of_a_tree_without_joints():
    """Two routes to the same matrix."""
    robot = RobotModel('body', [Link('base', BODY)], [])
    nothing = np.zeros((SAMPLES, 0))
    velocity = np.einsum('nji,nj->ni', MOTION.rotation, MOTION.velocity)
    twist = np.hstack([velocity, MOTION.angular_velocity])
    change = np.hstack([MOTION.acceleration_in_base_axes, MOTION.angular_acceleration])
    general = wrench_regressor(robot, nothing, nothing, nothing, twist, change)
    np.testing.assert_allclose(newton_euler_regressor(MOTION), general, atol=1e-12)


def test_it_is_the_equations_of_the_paper():
    """Eqs. 4 and 5 about the centre of mass, with the numbers put in."""
    wrench = newton_euler_regressor(MOTION) @ BODY.vector
    offset, inertia = BODY.com, BODY.inertia_about_com
    for sample in range(SAMPLES):
        w, wd = MOTION.angular_velocity[sample], MOTION.angular_acceleration[sample]
        rotation = MOTION.rotation[sample]
        swept = np.cross(wd, offset) + np.cross(w, np.cross(w, offset))
        force = rotation.T @ (BODY.mass * (MOTION.acceleration[sample] + rotation @ swept))
        moment = inertia @ wd + np.cross(w, inertia @ w) + np.cross(offset, force)
        np.testing.assert_allclose(wrench[sample], np.concatenate([force, moment]), atol=1e-12)


@pytest.mark.parametrize('sample', range(5))
def test_it_is_pinocchios_joint_torque_regressor_of_a_free_flyer(sample):
    """Without gravity, columns brought into the order of this library."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), 'base')
    model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
    model.gravity = pin.Motion.Zero()
    rotation = MOTION.rotation[sample]
    w = MOTION.angular_velocity[sample]
    velocity = rotation.T @ MOTION.velocity[sample]
    acceleration = MOTION.acceleration_in_base_axes[sample] - np.cross(w, velocity)
    regressor = pin.computeJointTorqueRegressor(
        model,
        model.createData(),
        np.concatenate([MOTION.position[sample], Rotation.from_matrix(rotation).as_quat()]),
        np.concatenate([velocity, w]),
        np.concatenate([acceleration, MOTION.angular_acceleration[sample]]),
    )
    columns = [PINOCCHIO_ORDER.index(name) for name in PARAMETER_NAMES]
    np.testing.assert_allclose(
        newton_euler_regressor(MOTION)[sample], regressor[:, columns], atol=1e-12
    )

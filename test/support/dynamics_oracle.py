"""What pinocchio says of the dynamics of a robot, in this package's conventions."""

import numpy as np
import pinocchio as pin
from pinocchio_robot import PinocchioRobot


def pinocchio_mass_matrices(model, q):
    """Return the mass matrix by pinocchio's composite rigid body algorithm, (N, 6 + n, 6 + n)."""
    oracle = PinocchioRobot(model)
    matrices = np.array([pin.crba(oracle.model, oracle.data, _configuration(row)) for row in q])
    upper = np.triu(matrices)
    return upper + np.swapaxes(np.triu(matrices, 1), -1, -2)


def pinocchio_bias_forces(model, states):
    """Return the forces at zero acceleration of pinocchio's velocities, shape (N, 6 + n)."""
    oracle = PinocchioRobot(model)
    return np.array(
        [
            pin.nonLinearEffects(
                oracle.model, oracle.data, _configuration(q), np.append(twist, qd)
            )
            for q, qd, twist in zip(states.q, states.qd, states.base_twist, strict=True)
        ]
    )


def pinocchio_jacobians(model, q, link, point):
    """Return the Jacobian of a point on a link, in base axes, shape (N, 6, 6 + n)."""
    oracle = PinocchioRobot(model)
    joint = oracle.model.getJointId('base') + link
    frame = pin.Frame('point', joint, pin.SE3(np.eye(3), point), pin.FrameType.OP_FRAME)
    number = oracle.model.addFrame(frame)
    data, axes = oracle.model.createData(), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return np.array(
        [
            pin.computeFrameJacobian(oracle.model, data, _configuration(row), number, axes)
            for row in q
        ]
    )


def _configuration(q):
    return np.concatenate([np.zeros(6), [1.0], q])

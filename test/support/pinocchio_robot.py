"""The oracle: pinocchio's model of a robot, in this package's conventions."""

import numpy as np
import pinocchio as pin

from spacerobot_id.model import JointType

PARAMETER_ORDER = [4, 6, 9, 5, 8, 7, 0, 1, 2, 3]
"""Where pinocchio has the ten parameters of a link."""


class PinocchioRobot:
    """A robot without wheels, on a free-flyer joint, without gravity."""

    def __init__(self, model):
        self.model = pin.Model()
        self.model.gravity = pin.Motion.Zero()
        base = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), 'base')
        for joint in model.joints:
            prismatic = joint.type is JointType.PRISMATIC
            self.model.addJoint(
                base + joint.parent,
                pin.JointModelPZ() if prismatic else pin.JointModelRZ(),
                pin.SE3(joint.R_PC, joint.p_PC_P),
                joint.name,
            )
        for index, link in enumerate(model.links):
            body = link.inertial
            inertia = pin.Inertia(body.mass, body.com, body.inertia_about_com)
            self.model.appendBodyToJoint(base + index, inertia, pin.SE3.Identity())
        self.data = self.model.createData()

    def torques(self, states):
        """Return base wrench and joint torques of every state, shape (N, 6 + n)."""
        return np.array(
            [pin.rnea(self.model, self.data, *motion) for motion in self._motions(states)]
        )

    def torque_regressor(self, states):
        """Return the regressor of base wrench and joint torques, shape (N, 6 + n, 10 (n + 1))."""
        return np.array([self._torque_regressor(*motion) for motion in self._motions(states)])

    def momentum_regressor(self, states):
        """Return the base's rows of Y(q, 0, v): pinocchio has no momentum regressor."""
        return np.array(
            [
                self._torque_regressor(configuration, 0.0 * velocity, velocity)[:6]
                for configuration, velocity, _ in self._motions(states)
            ]
        )

    def momentum(self, states, R_WB, p_WB_W):
        """Return the momentum in base axes about the base's origin, from the centroidal one.

        The base is put anywhere in the inertial frame, which must not make a difference.
        """
        result = []
        for configuration, velocity, _ in self._motions(states):
            configuration[:7] = pin.SE3ToXYZQUAT(pin.SE3(R_WB, p_WB_W))
            pin.computeCentroidalMomentum(self.model, self.data, configuration, velocity)
            com = self.data.com[0] - p_WB_W
            angular = self.data.hg.angular + np.cross(com, self.data.hg.linear)
            result.append(np.append(R_WB.T @ self.data.hg.linear, R_WB.T @ angular))
        return np.array(result)

    def composite_body(self, q):
        """Return the inertia of the robot as one body about the base's origin."""
        configuration = np.concatenate([np.zeros(6), [1.0], q])
        pin.crba(self.model, self.data, configuration, pin.Convention.LOCAL)
        return self.data.Ycrb[1]

    def _motions(self, states):
        """Yield configuration, velocity and acceleration as pinocchio wants them."""
        for q, qd, qdd, twist, acceleration in zip(
            states.q,
            states.qd,
            states.qdd,
            states.base_twist,
            states.base_acceleration,
            strict=True,
        ):
            spatial = acceleration.copy()  # pinocchio's is that of the twist's components
            spatial[:3] -= np.cross(twist[3:], twist[:3])
            yield (
                np.concatenate([np.zeros(6), [1.0], q]),
                np.append(twist, qd),
                np.append(spatial, qdd),
            )

    def _torque_regressor(self, *motion):
        regressor = pin.computeJointTorqueRegressor(self.model, self.data, *motion)
        links = regressor.reshape(len(regressor), -1, 10)[:, :, PARAMETER_ORDER]
        return links.reshape(len(regressor), -1)

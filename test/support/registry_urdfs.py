"""URDFs that people wrote for other purposes, from packages on the registry, and pinocchio's view.

The packages are ``example-robot-data`` and ``pybullet``, but for the latter's thousand random
objects and what is no robot: single bodies, and what has no mass anywhere.
"""

from importlib.metadata import files, PackageNotFoundError
from pathlib import Path
import re

import numpy as np
import pinocchio as pin
from pinocchio_robot import PARAMETER_ORDER

PACKAGES = ('example-robot-data', 'pybullet')

_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_MOVING = re.compile(r'type\s*=\s*"(revolute|continuous|prismatic)"')
_MASS = re.compile(r'<mass\s+value\s*=\s*"([-+\d.eE]+)"')


def registry_urdfs():
    """Return the URDFs of robots, with joints that move and masses, by a short name."""
    found = {}
    for package in PACKAGES:
        try:
            listed = files(package)
        except PackageNotFoundError:
            continue
        for each in listed:
            if each.suffix == '.urdf' and 'random_urdfs' not in each.parts:
                path = Path(each.locate())
                if _is_robot(path):
                    found['/'.join(each.parts[-3:])] = path
    return found


def _is_robot(path):
    text = _COMMENT.sub('', path.read_text(encoding='utf-8', errors='replace'))
    return bool(_MOVING.search(text)) and any(float(mass) > 0.0 for mass in _MASS.findall(text))


class PinocchioUrdf:
    """A URDF as pinocchio reads it, its joints made to follow others as the file says.

    Parameters
    ----------
    path : Path
        The file.
    model : RobotModel
        What this package makes of it: which joints lead, with which numbers others follow.
    base : str, optional
        Link to compare momenta about; the file's root if not given.
    """

    def __init__(self, path, model):
        self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        self.model.gravity = pin.Motion.Zero()
        self.data = self.model.createData()
        self.names = list(self.model.names)[2:]
        leading, follow = list(model.joint_names), {each.name: each for each in model.tree_joints}
        self.matrix = np.zeros((len(self.names), len(leading)))
        self.offset = np.zeros(len(self.names))
        for row, name in enumerate(self.names):
            if name in leading:
                self.matrix[row, leading.index(name)] = 1.0
            elif name in follow:
                mimic = follow[name].mimic
                self.matrix[row, leading.index(mimic.joint)] = mimic.multiplier
                self.offset[row] = mimic.offset

    def momentum(self, q, qd, twist):
        """Return the momentum in base axes about the base's origin."""
        configuration, velocity = self._configuration(q), self._velocity(qd, twist)
        pin.computeCentroidalMomentum(self.model, self.data, configuration, velocity)
        momentum, com = self.data.hg, self.data.com[0]
        return np.append(momentum.linear, momentum.angular + np.cross(com, momentum.linear))

    def mass_matrix(self, q):
        """Return the mass matrix of base twist and leading joints."""
        matrix = pin.crba(self.model, self.data, self._configuration(q), pin.Convention.LOCAL)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        expansion = self._expansion()
        return expansion.T @ matrix @ expansion

    def regressor(self, q, qd, twist):
        """Return the momentum regressor, shape (6, 10 (n + 1))."""
        velocity = self._velocity(qd, twist)
        regressor = pin.computeJointTorqueRegressor(
            self.model, self.data, self._configuration(q), 0.0 * velocity, velocity
        )[:6]
        return regressor.reshape(6, -1, 10)[:, :, PARAMETER_ORDER].reshape(6, -1)

    def _expansion(self):
        """Return the matrix from base twist and leading rates to pinocchio's velocity."""
        expansion = np.zeros((self.model.nv, 6 + self.matrix.shape[1]))
        expansion[:6, :6] = np.eye(6)
        for row, name in enumerate(self.names):
            expansion[self.model.joints[self.model.getJointId(name)].idx_v, 6:] = self.matrix[row]
        return expansion

    def _velocity(self, qd, twist):
        return self._expansion() @ np.append(twist, qd)

    def _configuration(self, q):
        configuration = pin.neutral(self.model)
        for name, value in zip(self.names, self.matrix @ q + self.offset, strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            turn = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = turn
        return configuration

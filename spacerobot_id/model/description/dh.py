"""Robots from a table of modified Denavit-Hartenberg parameters ([Naveen 2024], Appendix 7.2)."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.description.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
)
from spacerobot_id.model.description.robot_builder import build_robot
from spacerobot_id.model.description.robot_yaml import RobotSettings
from spacerobot_id.model.description.yaml_node import outermost_node, YamlNode
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.robot_model import RobotModel


def robot_from_dh(table: Mapping[str, object], parameters: str = 'parameters_true') -> RobotModel:
    """Return the robot of a table of revolute joints.

    Parameters
    ----------
    table : mapping
        ``name``, the robot's, optional; ``joints``, a list of mappings with ``name``, ``parent``,
        ``child``, ``alpha_deg`` (twist, degrees) and ``b`` (origin of the child in the parent's
        frame, m); and one or more sets of inertial parameters by name of the link, with ``mass``
        (kg), ``com`` (centre of mass in the link frame, m) and ``ixx``, ``iyy``, ``izz``,
        ``ixy``, ``iyz``, ``izx`` (elements of the inertia matrix about the centre of mass, in
        link axes, kg m^2). Other keys are left alone.
    parameters : str
        Which set of inertial parameters.

    Returns
    -------
    RobotModel
        Robot whose link frames are those of the table; a child is turned from its parent by
        ``Rx(alpha) Rz(q)`` (Eq. 43).

    Raises
    ------
    DescriptionError
        If the table lacks something, or joints and links form no tree.

    Warns
    -----
    DescriptionWarning
        If a link has parameters that no rigid body can have.
    """
    source = str(table.get('name', 'table'))
    top = outermost_node(table, source)
    description = RobotDescription(
        source,
        source,
        [_link(name, node) for name, node in top.require(parameters).mapping().items()],
        [_joint(node) for node in top.require('joints').sequence()],
    )
    return build_robot(description, RobotSettings())


def _link(name: str, node: YamlNode) -> LinkDescription:
    xx, yy, zz, xy, yz, zx = (
        node.require(key).finite() for key in ('ixx', 'iyy', 'izz', 'ixy', 'iyz', 'izx')
    )
    inertia = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    mass, com = node.require('mass').positive(), node.require('com').vector()
    return LinkDescription(name, InertialParameters.from_com(mass, com, inertia))


def _joint(node: YamlNode) -> JointDescription:
    name, parent, child = (node.require(key).string() for key in ('name', 'parent', 'child'))
    alpha = np.deg2rad(node.require('alpha_deg').finite())
    origin = node.require('b').vector()
    return JointDescription(
        name, 'continuous', parent, child, _rotation_about_x(alpha), origin, np.array([0, 0, 1.0])
    )


def _rotation_about_x(angle: float) -> NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])

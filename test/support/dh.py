"""Robots from a table of modified Denavit-Hartenberg parameters ([Naveen 2024], Appendix 7.2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from spacerobot_id.model.description.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
)
from spacerobot_id.model.description.robot_loader import build_robot
from spacerobot_id.model.description.robot_yaml import RobotSettings
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.robot_model import RobotModel
from spacerobot_id.settings.kinds import Array, Finite, keys, Positive
from spacerobot_id.settings.yaml_file import checked

_ELEMENTS = ('ixx', 'iyy', 'izz', 'ixy', 'iyz', 'izx')
_OF_BODY = {'mass': (Positive, ''), 'com': (Array, '')} | dict.fromkeys(_ELEMENTS, (Finite, ''))
_OF_JOINT = dict.fromkeys(('name', 'parent', 'child'), (str, ''))
_OF_JOINT |= {'alpha_deg': (Finite, ''), 'b': (Array, '')}
_BODY, _JOINT = (keys('', each, *each) for each in (_OF_BODY, _OF_JOINT))


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
    kind = keys(
        '',
        {'joints': (tuple[_JOINT, ...], ''), parameters: (dict[str, _BODY], '')},
        'joints',
        parameters,
    )
    kind.__pydantic_config__ = ConfigDict(extra='ignore')
    found = checked(kind, table, source)
    links = [_link(name, body) for name, body in found[parameters].items()]
    joints = [_joint(**each) for each in found['joints']]
    return build_robot(RobotDescription(source, source, links, joints), RobotSettings())


def _link(name: str, body: Mapping[str, Any]) -> LinkDescription:
    xx, yy, zz, xy, yz, zx = (body[key] for key in _ELEMENTS)
    inertia = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    return LinkDescription(name, InertialParameters.from_com(body['mass'], body['com'], inertia))


def _joint(
    name: str, parent: str, child: str, alpha_deg: float, b: NDArray[np.float64]
) -> JointDescription:
    turn, axis = _rotation_about_x(np.deg2rad(alpha_deg)), np.array([0, 0, 1.0])
    return JointDescription(name, 'continuous', parent, child, turn, b, axis)


def _rotation_about_x(angle: float) -> NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])

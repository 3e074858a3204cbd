"""Robots from a table of modified Denavit-Hartenberg parameters ([Naveen 2024], Appendix 7.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict
from typing_extensions import TypedDict

from spacerobot_id.model.description.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
)
from spacerobot_id.model.description.robot_builder import build_robot
from spacerobot_id.model.description.robot_yaml import RobotSettings
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.robot_model import RobotModel
from spacerobot_id.settings.kinds import Array, Finite, Positive
from spacerobot_id.settings.yaml_file import checked


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
    kind = TypedDict('Table', {'joints': tuple[_Joint, ...], parameters: dict[str, _Body]})
    given = {key: table[key] for key in ('joints', parameters) if key in table}
    found = checked(kind, given, source)
    links = [_link(name, body) for name, body in found[parameters].items()]
    joints = [_joint(each) for each in found['joints']]
    return build_robot(RobotDescription(source, source, links, joints), RobotSettings())


@dataclass(frozen=True, eq=False)
class _Body:
    """Inertial parameters of a link, as the table has them."""

    mass: Positive
    com: Array
    ixx: Finite
    iyy: Finite
    izz: Finite
    ixy: Finite
    iyz: Finite
    izx: Finite

    __pydantic_config__: ClassVar = ConfigDict(extra='ignore')


@dataclass(frozen=True, eq=False)
class _Joint:
    """A joint, as the table has it."""

    name: str
    parent: str
    child: str
    alpha_deg: Finite
    b: Array

    __pydantic_config__: ClassVar = ConfigDict(extra='ignore')


def _link(name: str, body: _Body) -> LinkDescription:
    inertia = np.array(
        [
            [body.ixx, body.ixy, body.izx],
            [body.ixy, body.iyy, body.iyz],
            [body.izx, body.iyz, body.izz],
        ]
    )
    return LinkDescription(name, InertialParameters.from_com(body.mass, body.com, inertia))


def _joint(joint: _Joint) -> JointDescription:
    turn, axis = _rotation_about_x(np.deg2rad(joint.alpha_deg)), np.array([0, 0, 1.0])
    return JointDescription(
        joint.name, 'continuous', joint.parent, joint.child, turn, joint.b, axis
    )


def _rotation_about_x(angle: float) -> NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])

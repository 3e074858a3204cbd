"""A robot as a file describes it, before anything is merged or turned: links, joints, faults."""

from collections.abc import Sequence
from dataclasses import dataclass, field
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning
from spacerobot_id.model.collision import Capsule
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import JointLimits, Mimic


@dataclass(frozen=True)
class Place:
    """Where in a description something stands, to be named when it is wrong.

    Parameters
    ----------
    source : str
        File, or another name of where the description came from.
    element : str
        Link, joint, wheel or key.
    """

    source: str
    element: str

    def error(self, reason: str) -> DescriptionError:
        """Return the error to raise for a fault found here."""
        return DescriptionError(self.source, self.element, reason)

    def warn(self, reason: str) -> None:
        """Warn of a fault found here that can be lived with."""
        warnings.warn(DescriptionWarning(self.source, self.element, reason), stacklevel=3)


@dataclass(frozen=True, eq=False)
class LinkDescription:
    """A link as the file gives it.

    Parameters
    ----------
    name : str
        Name of the link.
    inertial : InertialParameters, optional
        Parameters in the axes of the file's link frame, about its origin; None if not given.
    collision : sequence of Capsule
        Collision shapes in the file's link frame; the numbers of their links mean nothing yet.
    """

    name: str
    inertial: InertialParameters | None = None
    collision: Sequence[Capsule] = ()


@dataclass(frozen=True, eq=False)
class JointDescription:
    """A joint as the file gives it.

    Parameters
    ----------
    name : str
        Name of the joint.
    type : str
        ``revolute``, ``continuous``, ``prismatic``, ``fixed``, ``floating`` or ``planar``.
    parent, child : str
        Names of the links.
    R_PC : ndarray, shape (3, 3)
        Rotation from child to parent axes at position zero.
    p_PC_P : ndarray, shape (3,)
        Origin of the child at position zero in the parent's frame, m.
    axis : ndarray, shape (3,)
        Direction of the joint's axis in the child's frame, of any length but zero.
    limits : JointLimits
        Limits; infinite where the file gives none.
    mimic : Mimic, optional
        What the joint follows; None if it moves on its own.
    """

    name: str
    type: str
    parent: str
    child: str
    R_PC: NDArray[np.float64]
    p_PC_P: NDArray[np.float64]
    axis: NDArray[np.float64]
    limits: JointLimits = field(default_factory=JointLimits)
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """All links and joints of a file, in its order; names occur once.

    Parameters
    ----------
    source : str
        File, or another name of where the description came from.
    name : str
        Name of the robot.
    links : sequence of LinkDescription
        Links.
    joints : sequence of JointDescription
        Joints.
    """

    source: str
    name: str
    links: Sequence[LinkDescription]
    joints: Sequence[JointDescription]

    def link_place(self, name: str) -> Place:
        """Return the place of a link."""
        return Place(self.source, f'link {name}')

    def joint_place(self, name: str) -> Place:
        """Return the place of a joint."""
        return Place(self.source, f'joint {name}')

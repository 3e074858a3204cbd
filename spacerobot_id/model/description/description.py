"""A robot as a file describes it, before anything is merged or turned: links, joints, faults."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
import re
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Capsule, JointLimits, Mimic
from spacerobot_id.settings.yaml_file import read_text_file

_NUMBER = re.compile(r'[-+]?\d[\d.]*(e[-+]?\d+)?')
_NAMED = 5
"""Elements that a line names; of further ones it gives the number."""


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

    def at(self, key: str) -> 'Place':
        """Return where a key within it stands."""
        return Place(self.source, f'{self.element}.{key}')

    def error(self, reason: str) -> DescriptionError:
        """Return the error to raise for a fault found here."""
        return DescriptionError(self.source, self.element, reason)

    def warn(self, reason: str) -> None:
        """Warn of a fault found here that can be lived with."""
        warnings.warn(DescriptionWarning(self.source, self.element, reason), stacklevel=3)


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    DescriptionError
        If it cannot be read, or is no UTF-8; names the file.
    """
    try:
        return read_text_file(path)
    except OSError as error:
        raise Place(str(path), 'file').error(f'cannot be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise Place(str(path), 'file').error(f'is no UTF-8 text: {error.reason}') from error


def inertial_at(
    place: Place, mass: float, com: NDArray[np.float64], inertia: NDArray[np.float64]
) -> InertialParameters:
    """Return the parameters of a link; warn at its place of an inertia without mass.

    Parameters
    ----------
    place : Place
        Where they stand.
    mass, com, inertia
        As of ``InertialParameters.from_com``.
    """
    if mass == 0.0 and inertia.any():
        place.warn('it has an inertia but no mass; the inertia counts all the same')
    return InertialParameters.from_com(mass, com, inertia)


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


@contextmanager
def counted_warnings() -> Iterator[None]:
    """Give warnings at the end of the block, one for all that differ in the element alone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    alike: dict[object, list[DescriptionWarning]] = {}
    for each in caught:
        message = each.message
        if isinstance(message, DescriptionWarning):
            kind = message.element.partition(' ')[0]
            key = message.source, kind, _NUMBER.sub('', message.reason)
            alike.setdefault(key, []).append(message)
        else:
            warnings.warn_explicit(message, each.category, each.filename, each.lineno)
    for group in alike.values():
        warnings.warn(_counted(group), stacklevel=4)


def _counted(group: list[DescriptionWarning]) -> DescriptionWarning:
    """Return the first of some warnings, and what else it holds for."""
    first, *others = group
    names = list(dict.fromkeys(each.element.partition(' ')[2] for each in others))
    names = [name for name in names if name != first.element.partition(' ')[2]]
    if not others:
        return first
    listed = ', '.join(names[:_NAMED])
    more = f' and {len(names) - _NAMED} more' if len(names) > _NAMED else ''
    times = f' ({len(group)} times: also {listed}{more})' if names else f' ({len(group)} times)'
    return DescriptionWarning(first.source, first.element, first.reason + times)

"""Robots from tables of Denavit-Hartenberg parameters, modified or standard."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model.description.description import (
    inertial_at,
    JointDescription,
    LinkDescription,
    Place,
    RobotDescription,
)
from spacerobot_id.model.inertial_parameters import inertia_from_elements, InertialParameters
from spacerobot_id.settings.kinds import (
    Array,
    Finite,
    KeyedError,
    keys,
    Maybe,
    NotNegative,
)

_ELEMENTS = ('ixx', 'iyy', 'izz', 'ixy', 'iyz', 'izx')
_Inertia = keys(
    'Elements of the inertia matrix about the centre of mass, in link axes.',
    dict.fromkeys(_ELEMENTS, (Finite, 'kg m^2.')),
    *_ELEMENTS[:3],
)
_FULL_TURN = 2.0 * np.pi + 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class DhBody:
    """Inertial parameters of a link, in the axes of its frame of the table.

    Parameters
    ----------
    mass : float
        Mass, kg.
    com : ndarray, shape (3,)
        Centre of mass, m.
    inertia : mapping of str to float
        Inertia matrix about the centre of mass, kg m^2; products that are left out are zero.
    """

    mass: NotNegative = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: _Inertia = field(default_factory=dict)

    def inertial(self, place: Place) -> InertialParameters | None:
        """Return the parameters, of which warnings name the place; None if none are given."""
        if not (self.mass or self.inertia):
            return None
        inertia = inertia_from_elements([self.inertia.get(key, 0.0) for key in _ELEMENTS])
        return inertial_at(place, self.mass, self.com, inertia)


@dataclass(frozen=True, eq=False, kw_only=True)
class DhBase(DhBody):
    """The base.

    Parameters
    ----------
    link : str
        Name of its link.
    """

    link: str = 'base'


@dataclass(frozen=True, eq=False, kw_only=True)
class DhRow(DhBody):
    """A joint and the link that it moves.

    Parameters
    ----------
    name : str
        Name of the joint.
    type : str
        ``revolute``, whose position adds to theta, or ``prismatic``, whose position adds to d.
    link : str, optional
        Name of the link; by default that of the joint with ``_link`` added.
    parent : str, optional
        Name of the link that carries the joint; by default that of the row before, or the base.
    xyz : ndarray, shape (3,)
        Where the row begins in the frame of the parent, m: the place of an arm on the base.
    rpy : ndarray, shape (3,)
        Its orientation there as roll, pitch and yaw, in the unit of the angles.
    a : float
        Link length, m.
    alpha : float
        Link twist, in the unit of the angles.
    d : float
        Link offset, m; of a prismatic joint that at position zero.
    theta : float
        Joint angle, in the unit of the angles; of a revolute joint that at position zero.
    """

    name: str
    type: Literal['revolute', 'prismatic'] = 'revolute'
    link: Maybe[str] = None
    parent: Maybe[str] = None
    xyz: Array = field(default_factory=lambda: np.zeros(3))
    rpy: Array = field(default_factory=lambda: np.zeros(3))
    a: Finite = 0.0
    alpha: Finite = 0.0
    d: Finite = 0.0
    theta: Finite = 0.0

    @property
    def link_name(self) -> str:
        """Name of the link."""
        return self.link or f'{self.name}_link'


@dataclass(frozen=True, eq=False, kw_only=True)
class DhTable:
    """Links and joints as a table of Denavit-Hartenberg parameters, in place of a URDF.

    Parameters
    ----------
    name : str
        Name of the robot.
    convention : str
        ``modified``, twist and length before the joint (Craig; [Naveen 2024] Eq. 43), or
        ``standard``, after it (Denavit, Hartenberg).
    angles : str
        Unit of the table's angles, ``radians`` or ``degrees``.
    base : DhBase
        The base.
    joints : sequence of DhRow
        Joints, each with the link that it moves.
    """

    name: str = 'robot'
    convention: Literal['modified', 'standard'] = 'modified'
    angles: Literal['radians', 'degrees'] = 'radians'
    base: DhBase
    joints: tuple[DhRow, ...] = ()

    def __post_init__(self) -> None:
        """Check what no key alone shows."""
        names, links = set(), {self.base.link}
        for number, row in enumerate(self.joints):
            place = 'joints', number
            if row.name in names:
                raise KeyedError((*place, 'name'), f'duplicate name of a joint: {row.name}')
            if row.link_name in links:
                raise KeyedError((*place, 'link'), f'duplicate name of a link: {row.link_name}')
            if row.parent is not None and row.parent not in links:
                reason = f'{row.parent!r} is not the link of a row before, nor the base'
                raise KeyedError((*place, 'parent'), reason)
            for key, value in {'alpha': row.alpha, 'theta': row.theta}.items():
                if self.angles == 'radians' and abs(value) > _FULL_TURN:
                    reason = f'{value:g} rad is more than a turn: angles: degrees?'
                    raise KeyedError((*place, key), reason)
            names.add(row.name)
            links.add(row.link_name)


def described_by(table: DhTable, source: str) -> RobotDescription:
    """Return the links and joints of a table.

    By the modified convention link frames are those of the table. By the standard one the frame
    of a row lies at the far end of its link, off the joint's axis: the link's own frame has its
    origin on the axis, and the frame of the table is a link without mass, ``<link>_dh``, which the
    next row begins at.

    Parameters
    ----------
    table : DhRobot
        The table.
    source : str
        Name of it in errors and warnings.
    """
    unit = np.pi / 180.0 if table.angles == 'degrees' else 1.0
    base = table.base.link
    body, joints = table.base.inertial(Place(source, f'link {base}')), []
    links, ends, parent = [LinkDescription(base, body)], {base: base}, base
    for row in table.joints:
        parent = ends[row.parent or parent]
        mount = Rotation.from_euler('xyz', unit * row.rpy).as_matrix()
        (c, s), (ca, sa) = (
            (np.cos(unit * angle), np.sin(unit * angle)) for angle in (row.theta, row.alpha)
        )
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        twist = np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])
        length, offset, axis = np.array([row.a, 0, 0]), np.array([0, 0, row.d]), np.eye(3)[2]
        kind = 'continuous' if row.type == 'revolute' else 'prismatic'
        name, body = row.link_name, row.inertial(Place(source, f'link {row.link_name}'))
        if table.convention == 'modified':
            R_PC, p_PC_P = mount @ twist @ turn, row.xyz + mount @ (length + twist @ offset)
            ends[name] = name
            links.append(LinkDescription(name, body))
        else:
            R_PC, p_PC_P = mount @ turn, row.xyz + mount @ offset
            ends[name] = f'{name}_dh'
            links.append(LinkDescription(name, body and body.expressed_in(twist, length)))
            links.append(LinkDescription(ends[name]))
        joints.append(JointDescription(row.name, kind, parent, name, R_PC, p_PC_P, axis))
        if table.convention == 'standard':
            joints.append(_fixed(name, ends[name], twist, length))
        parent = name
    return RobotDescription(source, table.name, links, joints)


def _fixed(
    parent: str, child: str, rotation: NDArray[np.float64], place: NDArray[np.float64]
) -> JointDescription:
    return JointDescription(child, 'fixed', parent, child, rotation, place, np.eye(3)[2])

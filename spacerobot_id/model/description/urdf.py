"""Reading URDF: the XML text becomes links and joints whose every number has been checked.

Whether they form a tree, and what the tree makes of them, is the business of ``robot_builder``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
import re
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.model.description.description import (
    inertial_at,
    JointDescription,
    LinkDescription,
    Place,
    RobotDescription,
)
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Capsule, JointLimits, Mimic

_LIGHTEST, _HEAVIEST = 1e-3, 2e5
"""Densities beyond which no robot is, of spheres with the mass and the inertia of its links."""

_FAR, _MANY_SIZES = 10.0, 30.0
"""Distance of joints, m and in sizes of links, from which on lengths are not believed."""

_TURNS = 5.0 * np.pi
"""Ends of a joint's motion that look like degrees, rad."""


def warn_of_units(description: RobotDescription) -> None:
    """Warn of numbers that look like grams, millimetres or degrees."""
    solid = [each for each in description.links if each.inertial and _radius(each.inertial)]
    densities = {each.name: _density(each.inertial) for each in solid}
    odd = {name: each for name, each in densities.items() if not _LIGHTEST < each < _HEAVIEST}
    if len(odd) > len(solid) / 2.0:
        name, density = next(iter(odd.items()))
        description.link_place(name).warn(
            f'by its mass and inertia its density is about {density:.1g} kg/m^3, which no robot '
            'has: masses are in kg, inertias in kg m^2'
        )
    radii = {each.name: _radius(each.inertial) for each in solid}
    lengths = dict(_lengths(description, radii))
    if lengths and np.median([*lengths.values()]) > _MANY_SIZES:
        name = next(iter(lengths))
        description.joint_place(name).warn(
            f'it is {lengths[name]:.0f} times the size of its link, by mass and inertia, away '
            'from the joint before: lengths are in m'
        )
    for joint in description.joints:
        ends = [each for each in (joint.limits.lower, joint.limits.upper) if np.isfinite(each)]
        if joint.type == 'revolute' and max(map(abs, ends), default=0.0) > _TURNS:
            description.joint_place(joint.name).warn(
                f'its limits reach {max(ends, key=abs):g} rad, which look like degrees: angles '
                'are in rad'
            )


def _radius(inertial: InertialParameters) -> float:
    """Return the radius of the sphere with this mass and inertia, m; zero where there is none."""
    if not inertial.mass > 0.0:
        return 0.0
    moment = float(np.trace(inertial.inertia_about_com)) / 3.0
    return float(np.sqrt(max(2.5 * moment / inertial.mass, 0.0)))


def _density(inertial: InertialParameters) -> float:
    return inertial.mass / (4.0 / 3.0 * np.pi * _radius(inertial) ** 3)


def _lengths(
    description: RobotDescription, radii: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Yield how far joints are from those before, in sizes of links, where it is very far."""
    for joint in description.joints:
        size = max(radii.get(joint.parent, 0.0), radii.get(joint.child, 0.0))
        distance = float(np.linalg.norm(joint.p_PC_P))
        if size and distance:
            yield joint.name, distance / size if distance > _FAR else 0.0


_COMMA = re.compile(r',\s+')
"""What some put between numbers; a comma within a number is none."""

_DECLARATION = re.compile(r'\s*(<!--.*?-->\s*)*<\?xml\b.*?\?>', re.DOTALL)
"""The declaration of XML, and what must not but may stand before it."""


class _DoctypeError(Exception):
    """A document type declaration was met."""


@dataclass(frozen=True, eq=False)
class XmlNode:
    """An XML element and the link or joint that it belongs to.

    Parameters
    ----------
    element : xml.etree.ElementTree.Element
        The element.
    place : Place
        What its errors name.
    """

    element: ElementTree.Element
    place: Place

    @property
    def tag(self) -> str:
        """Name of the element."""
        return self.element.tag

    def has(self, key: str) -> bool:
        """Return whether the element has an attribute."""
        return key in self.element.attrib

    def named(self, tag: str) -> Iterator['XmlNode']:
        """Yield the children of one kind, each with its own name as its place."""
        for child in self.element.findall(tag):
            node = replace(self, element=child, place=Place(self.place.source, tag))
            name = node.text('name')
            yield replace(node, place=Place(self.place.source, f'{tag} {name}'))

    def find(self, tag: str) -> 'XmlNode | None':
        """Return the only child of one kind, None if there is none."""
        found = self.element.findall(tag)
        if len(found) > 1:
            raise self.place.error(f'it has {len(found)} elements <{tag}>')
        return replace(self, element=found[0]) if found else None

    def first(self, tag: str) -> 'XmlNode | None':
        """Return the first child of one kind, None if there is none; warn of further ones."""
        found = self.element.findall(tag)
        if len(found) > 1:
            self.place.warn(f'it has {len(found)} elements <{tag}>; the first one counts')
        return replace(self, element=found[0]) if found else None

    def all(self, tag: str) -> 'Iterator[XmlNode]':
        """Yield the children of one kind, which need no names; their place is this one's."""
        for child in self.element.findall(tag):
            yield replace(self, element=child)

    def require(self, tag: str) -> 'XmlNode':
        """Return the only child of one kind, which must be there."""
        child = self.find(tag)
        if child is None:
            raise self.place.error(f'<{self.tag}> has no <{tag}>')
        return child

    def text(self, key: str) -> str:
        """Return an attribute, which must be there and not empty."""
        value = self.element.get(key)
        if not value:
            raise self.place.error(f'<{self.tag}> has no {key}')
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return a finite number, the default if there is one and the attribute is missing."""
        if default is not None and not self.has(key):
            return default
        return float(self._floats(key, 1)[0])

    def vector(self, key: str, default: Sequence[float] | None = None) -> NDArray[np.float64]:
        """Return three finite numbers, the default if there is one and they are missing."""
        if default is not None and not self.has(key):
            return np.array(default, dtype=float)
        return self._floats(key, 3)

    def _floats(self, key: str, length: int) -> NDArray[np.float64]:
        text = self.text(key)
        try:
            values = np.array([float(each) for each in _COMMA.sub(' ', text).split()])
        except ValueError:
            values = np.empty(0)
        if len(values) != length or not np.isfinite(values).all():
            wanted = 'one finite number' if length == 1 else f'{length} finite numbers'
            raise self.place.error(f'{key} of <{self.tag}> must be {wanted}, got {text!r}')
        return values


def parse_xml(text: str, source: str) -> XmlNode:
    """Return the outermost element of an XML text.

    Names keep their prefixes as they stand: those of simulators' extensions are often declared
    nowhere.

    Parameters
    ----------
    text : str
        Text without document type declaration, through which XML can read other files.
    source : str
        File, or another name for it, to be named in errors.
    """
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(_DECLARATION.sub(_empty_lines, text.rstrip('\0\n'), count=1), True)
    except _DoctypeError:
        raise Place(source, 'DOCTYPE').error(
            'a document type declaration may define entities or read other files and is refused'
        ) from None
    except (expat.ExpatError, UnicodeEncodeError) as error:
        line = getattr(error, 'lineno', 1)
        raise DescriptionError(source, f'line {line}', f'no XML: {error}') from error
    root = builder.close()
    return XmlNode(root, Place(source, f'<{root.tag}>'))


def _empty_lines(found: re.Match[str]) -> str:
    """Return as many empty lines as were found, so that errors keep their numbers."""
    return '\n' * found[0].count('\n') if not found.start() else found[0]


def _refuse_doctype(*_: object) -> NoReturn:
    raise _DoctypeError


UNBOUNDED = 1e300
"""Stands for no limit where URDF, which knows no infinity, wants a number."""

_MOVING = ('revolute', 'continuous', 'prismatic')
_NOT_MOVING = ('fixed', 'floating', 'planar')

_SHORTEST_AXIS = 1e-6
"""Largest component of an axis below which it has no direction."""

_TURNED = 2.01 * np.pi
"""Angle of an <origin> beyond which it looks like one in degrees, rad."""

_LONGEST_AXIS = 1e100
"""Largest component of an axis whose square is a number."""


def read_urdf(text: str, source: str) -> RobotDescription:
    """Return the links and joints of a URDF.

    Parameters
    ----------
    text : str
        Text of the URDF.
    source : str
        File, or another name for it, to be named in errors.

    Returns
    -------
    RobotDescription
        Links and joints in the order of the file.

    Raises
    ------
    DescriptionError
        If the text is no XML, or an element is missing, doubled or makes no sense.
    """
    root = parse_xml(text, source)
    if root.tag != 'robot':
        raise root.place.error('the outermost element must be <robot>')
    if (macro := first_macro(root)) is not None:
        raise Place(source, macro).error(
            'macros must be expanded first, with the program xacro; a file is expanded when the '
            'Python module xacro is installed'
        )
    links = [_read_link(node) for node in root.named('link')]
    joints = [_read_joint(node) for node in root.named('joint')]
    _refuse_doubles(source, 'link', [link.name for link in links])
    _refuse_doubles(source, 'joint', [joint.name for joint in joints])
    return RobotDescription(source, root.element.get('name') or 'robot', links, joints)


def first_macro(root: XmlNode) -> str | None:
    """Return the first element that xacro would expand; None if there is none."""
    prefixes = {'xacro'}
    for element in root.element.iter():
        for key, value in element.attrib.items():
            if key.startswith('xmlns:') and 'xacro' in value:
                prefixes.add(key.removeprefix('xmlns:'))
        prefix, colon, name = element.tag.partition(':')
        if colon and prefix in prefixes:
            return f'xacro:{name}'
    for kind in ('link', 'joint'):
        for part in root.element.findall(kind):
            for element in part.iter():  # names of meshes are never needed
                values = [value for key, value in element.attrib.items() if key != 'filename']
                if any('${' in value or '$(' in value for value in values):
                    return f'{kind} {part.get("name")}'
    return None


def _refuse_doubles(source: str, kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Place(source, f'{kind} {name}').error(f'two {kind}s have this name')
        seen.add(name)


def _read_link(node: XmlNode) -> LinkDescription:
    inertial = node.find('inertial')
    shapes = [_collision(each) for each in node.all('collision')]
    return LinkDescription(
        node.text('name'),
        None if inertial is None else _inertial(inertial),
        [shape for shape in shapes if shape is not None],
    )


def _collision(node: XmlNode) -> Capsule | None:
    """Return what surrounds a collision shape, None for a mesh."""
    geometry = node.require('geometry')
    if (sphere := geometry.find('sphere')) is not None:
        shape = Capsule.of_sphere(_size(sphere, 'radius'))
    elif (cylinder := geometry.find('cylinder')) is not None:
        shape = Capsule.of_cylinder(_size(cylinder, 'radius'), _size(cylinder, 'length'))
    elif (capsule := geometry.find('capsule')) is not None:
        shape = Capsule.of_cylinder(_size(capsule, 'radius'), _size(capsule, 'length'))
    elif (box := geometry.find('box')) is not None:
        size = box.vector('size')
        if not (size > 0.0).all():
            raise box.place.error('the size of its collision box must be above zero')
        shape = Capsule.of_box(size)
    else:
        node.place.warn('its collision shape is not a sphere, cylinder or box: passed over')
        return None
    return shape.carried(0, *_origin(node))


def _size(node: XmlNode, key: str) -> float:
    size = node.number(key)
    if not size > 0.0:
        raise node.place.error(f'the {key} of its collision {node.tag} must be above zero')
    return size


def _inertial(node: XmlNode) -> InertialParameters:
    mass = node.require('mass').number('value')
    if mass < 0.0:
        raise node.place.error(f'its mass of {mass:g} kg is negative')
    inertia = _inertia(node.require('inertia'))
    R_UC, com = _origin(node)
    return inertial_at(node.place, mass, com, R_UC @ inertia @ R_UC.T)


def _inertia(node: XmlNode) -> NDArray[np.float64]:
    """Return the inertia matrix about the centre of mass in the axes of the inertial origin."""
    for key, mirrored in (('ixy', 'iyx'), ('ixz', 'izx'), ('iyz', 'izy')):
        if node.has(mirrored) and node.number(mirrored) != node.number(key):
            raise node.place.error(f'its inertia is not symmetric: {key} is not {mirrored}')
    xx, xy, xz = (node.number(key) for key in ('ixx', 'ixy', 'ixz'))
    yy, yz, zz = (node.number(key) for key in ('iyy', 'iyz', 'izz'))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _read_joint(node: XmlNode) -> JointDescription:
    kind = _joint_type(node)
    R_PC, p_PC_P = _origin(node)
    return JointDescription(
        node.text('name'),
        kind,
        node.require('parent').text('link'),
        node.require('child').text('link'),
        R_PC,
        p_PC_P,
        _axis(node) if kind in _MOVING else np.array([0.0, 0.0, 1.0]),
        _limits(node, kind) if kind in _MOVING else JointLimits(),
        _mimic(node) if kind in _MOVING else None,
    )


def _joint_type(node: XmlNode) -> str:
    kind = node.text('type')
    if kind not in _MOVING + _NOT_MOVING:
        raise node.place.error(f'joints of type {kind!r} are not supported')
    return kind


def _mimic(node: XmlNode) -> Mimic | None:
    given = node.find('mimic')
    if given is None:
        return None
    multiplier, offset = given.number('multiplier', 1.0), given.number('offset', 0.0)
    return Mimic(given.text('joint'), multiplier, offset)


def _axis(node: XmlNode) -> NDArray[np.float64]:
    given = node.first('axis')
    if given is None:
        return np.array([1.0, 0.0, 0.0])  # the default axis of URDF
    axis = given.vector('xyz')
    if np.abs(axis).max() < _SHORTEST_AXIS:
        raise node.place.error('its axis is zero')
    if np.abs(axis).max() > _LONGEST_AXIS:
        raise node.place.error('its axis is too long to have a direction')
    return axis


def _limits(node: XmlNode, kind: str) -> JointLimits:
    given = node.find('limit')
    if given is None:
        if kind != 'continuous':
            node.place.warn(f'a {kind} joint needs a <limit>; its motion is taken as unlimited')
        return JointLimits()
    try:
        velocity, effort = (_bound(given, key, np.inf) for key in ('velocity', 'effort'))
        if kind == 'continuous':
            lower, upper = -np.inf, np.inf
        else:
            lower, upper = (_bound(given, key, 0.0) for key in ('lower', 'upper'))
    except DescriptionError as error:
        node.place.warn(f'{error.reason}; no motion of it can be planned')
        return JointLimits(np.inf, -np.inf)
    if velocity < 0.0 or effort < 0.0:
        node.place.warn('its limit of velocity or effort is negative, which is taken for none')
        velocity, effort = (np.inf if each < 0.0 else each for each in (velocity, effort))
    if lower > upper:
        node.place.warn(
            f'its lower limit {lower:g} is above its upper limit {upper:g}; '
            'no motion of it can be planned'
        )
    return _softened(node, JointLimits(lower, upper, velocity, effort=effort))


def _softened(node: XmlNode, limits: JointLimits) -> JointLimits:
    """Return limits with the soft ones of a <safety_controller>, where controllers push back."""
    given = node.find('safety_controller')
    if given is None or not (given.has('soft_lower_limit') or given.has('soft_upper_limit')):
        return limits
    lower, upper = (
        _bound(given, f'soft_{key}_limit', default)
        for key, default in (('lower', -np.inf), ('upper', np.inf))
    )
    soft = JointLimits(lower, upper)
    if not lower < upper or soft.excludes(limits):
        node.place.warn(
            f'the soft limits {lower:g} and {upper:g} of its <safety_controller> leave it no '
            'motion; they are passed over'
        )
        return limits
    return limits.narrowed(soft)


def _bound(node: XmlNode, key: str, default: float) -> float:
    value = node.number(key, default)
    return float(np.copysign(np.inf, value)) if abs(value) >= UNBOUNDED else value


def _origin(node: XmlNode) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rotation and the translation of an <origin>, none of either without one."""
    origin = node.first('origin')
    if origin is None:
        return np.eye(3), np.zeros(3)
    unknown = sorted(set(origin.element.attrib) - {'xyz', 'rpy'})
    if unknown:
        raise node.place.error(f'<origin> has an unknown attribute {unknown[0]!r}')
    xyz, rpy = (origin.vector(key, (0.0, 0.0, 0.0)) for key in ('xyz', 'rpy'))
    if np.abs(rpy).max() > _TURNED:
        node.place.warn(
            f'its <origin> turns by {max(rpy, key=abs):g} rad, which looks like degrees: angles '
            'are in rad'
        )
    return Rotation.from_euler('xyz', rpy).as_matrix(), xyz

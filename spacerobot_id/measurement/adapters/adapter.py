"""Adapters: which topics of a bed give which of our quantities, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from annotated_types import Interval
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel, Thruster
from spacerobot_id.model.description.description import Place
from spacerobot_id.settings.kinds import WHOLE

WORLD_AXES: Mapping[str, tuple[str, str, str]] = {
    'enu': ('x', 'y', 'z'),
    'ned': ('y', 'x', '-z'),
    'nwu': ('x', 'y', 'z'),
}
"""Which components of inertial axes are ours; what is horizontal and z up needs no turn."""

BODY_AXES: Mapping[str, tuple[str, str, str]] = {
    'flu': ('x', 'y', 'z'),
    'frd': ('x', '-y', '-z'),
}
"""Which components of axes on the base are ours."""

_EXACT = 1e-12
"""Distance from a whole number within which the element of a turn is one."""


def axes_matrix(components: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the rotation from given axes to ours, shape (3, 3).

    Parameters
    ----------
    components : tuple of str
        Which of the given components, with its sign, is our x, y and z: ``('y', 'x', '-z')``.

    Raises
    ------
    ValueError
        If they are not those of a rotation.
    """
    rows = []
    for each in components:
        letter = each.removeprefix('-')
        if letter not in ('x', 'y', 'z'):
            raise ValueError(f'must be of x, y, z, -x, -y, -z, got {each!r}')
        rows.append((-1.0 if each.startswith('-') else 1.0) * np.eye(3)['xyz'.index(letter)])
    matrix = np.array(rows)
    if matrix.shape != (3, 3) or not np.isclose(np.linalg.det(matrix), 1.0):
        raise ValueError(f'{", ".join(components)}: not the axes of a rotation')
    return matrix


def quaternion_matrix(
    R_world: NDArray[np.float64],
    R_body: NDArray[np.float64],
    order: str = 'xyzw',
    *,
    is_inverse: bool = False,
) -> NDArray[np.float64]:
    """Return what turns a quaternion as it is given into ours, shape (4, 4).

    Parameters
    ----------
    R_world, R_body : ndarray, shape (3, 3)
        Rotations from the given inertial axes and those on the base to ours.
    order : str
        Order of the components, ``xyzw`` or ``wxyz``.
    is_inverse : bool
        Whether the quaternion is that from inertial axes to those of the base.
    """
    world, body = Rotation.from_matrix(R_world), Rotation.from_matrix(R_body)
    given = np.diag([-1.0, -1.0, -1.0, 1.0]) if is_inverse else np.eye(4)
    matrix = (world * Rotation.from_quat(given) * body.inv()).as_quat().T
    near = np.abs(matrix - np.round(matrix)) < _EXACT
    basis = np.eye(4)[[order.index(letter) for letter in 'xyzw']]
    return np.where(near, np.round(matrix), matrix) @ basis


@dataclass(frozen=True, eq=False)
class Axes:
    """Axes that the numbers of a topic are in.

    Parameters
    ----------
    world, body : ndarray, shape (3, 3)
        Rotations from the inertial axes and those on the base that are used to ours.
    """

    world: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))
    body: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))


OWN = 'sensor messages of ROS 2'
"""Source of the adapter that stands for our own topics, as errors name it."""


@dataclass(frozen=True)
class Numbers:
    """Numbers of a message.

    Parameters
    ----------
    fields : str or tuple
        Path of an array, a vector or a quaternion, or one path or constant for each number.
    scale : float or tuple of float
        SI units in one of the unit that they have; one, or one for each number.
    """

    fields: str | tuple[str | float, ...]
    scale: float | tuple[float, ...]


@dataclass(frozen=True)
class Text:
    """A text, the same in every message or read from a field.

    Parameters
    ----------
    constant : str, optional
        The text.
    path : str
        Field, where there is no constant.
    """

    constant: str | None = None
    path: str = ''


@dataclass(frozen=True)
class Attitude:
    """An attitude of a message.

    Parameters
    ----------
    form : str
        ``quaternion``, ``mrp`` (modified Rodrigues parameters) or ``yaw`` (an angle about z).
    numbers : Numbers
        The numbers.
    order : str
        Order of a quaternion, ``xyzw`` or ``wxyz``.
    is_inverse : bool
        Whether it is the turn from inertial axes to those of the base.
    """

    form: str
    numbers: Numbers
    order: str = 'xyzw'
    is_inverse: bool = False


@dataclass(frozen=True)
class Frame:
    """In which axes a vector is given.

    Parameters
    ----------
    name : str
        ``body``, ``world``, or the name of a frame of the description.
    path : str
        Field that decides instead, by ``names``; none if empty.
    names : mapping of int to str
        Such names by the field's value.
    """

    name: str = 'body'
    path: str = ''
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Quantity:
    """One of our quantities as a message has it.

    What is left out is read as a message of ROS has it (``sensor_msgs/msg/JointState`` and
    others), whose type the topic has to have then.

    Parameters
    ----------
    kind : str
        ``joint_states``, ``imu``, ``base_pose``, ``base_twist``, ``base_wrench``,
        ``applied_wrench`` or ``thruster_commands``.
    place : Place
        What errors name.
    numbers : mapping of str to Numbers
        ``positions``, ``velocities``, ``efforts``; ``angular_velocity``, ``std``; ``position``;
        ``linear``, ``angular``; ``force``, ``torque``; ``shares``.
    attitude : Attitude, optional
        Of a pose.
    frame : Frame, optional
        Axes of a gyro, a twist or a wrench; the message's own where None.
    frame_id, child_frame : Text, optional
        Frame that a pose is given in, and frame on the base whose pose it is.
    names : Text or tuple of str, optional
        Joints, wheels or thrusters.
    renamed : mapping of str to str
        Names of the description by those of the messages.
    nan_is_closed : bool
        Whether a thruster whose command is not a number is closed.
    constants : mapping of str to float, str or bool
        Fields of commands that are sent, and what they always are.
    """

    kind: str
    place: Place | None
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    attitude: Attitude | None = None
    frame: Frame | None = None
    frame_id: Text | None = None
    child_frame: Text | None = None
    names: Text | tuple[str, ...] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    nan_is_closed: bool = False
    constants: Mapping[str, float | str | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class StampSource:
    """Where the time of a message is from.

    Parameters
    ----------
    path : str
        Field with a time; the receipt of the message if empty.
    scale : float
        Seconds in one of it; a Time of ROS if 0.
    offset : float
        Added to it, s; minus the latency of what is stamped by its receipt.
    """

    path: str = 'header.stamp'
    scale: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class Delivery:
    """Quality of service that a topic is subscribed to with, as ROS names it.

    Parameters
    ----------
    reliability : str
        ``best_effort`` receives from both kinds of publishers.
    durability : str
        ``volatile``, or ``transient_local`` for what is latched.
    depth : int
        Messages that may wait.
    """

    reliability: Literal['best_effort', 'reliable'] = 'best_effort'
    durability: Literal['volatile', 'transient_local'] = 'volatile'
    depth: Annotated[int, Interval(ge=1, le=1_000_000), WHOLE] = 200


@dataclass(frozen=True)
class Source:
    """A topic and what its messages give.

    Parameters
    ----------
    topic : str
        Relative name, or absolute one.
    types : tuple of str
        Types that it may have, such as ``sensor_msgs/msg/Imu``; live the first.
    quantities : tuple of Quantity
        What a message gives, in this order.
    place : Place
        What errors name.
    stamp : StampSource
        Where the time is from.
    axes : Axes
        Axes of its numbers.
    delivery : Delivery
        Quality of service.
    """

    topic: str
    types: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    place: Place
    stamp: StampSource = StampSource()
    axes: Axes = field(default_factory=Axes)
    delivery: Delivery = Delivery()

    @property
    def gives(self) -> tuple[str, ...]:
        """Kinds of its quantities."""
        return tuple(each.kind for each in self.quantities)

    @property
    def stamp_place(self) -> Place:
        """What errors name where the time is wrong."""
        return self.place if self.stamp == StampSource() else self.place.at('stamp')


@dataclass(frozen=True)
class Adapter:
    """How the messages of a bed become readings.

    Parameters
    ----------
    source : str
        File, or another name of where it came from.
    sources : sequence of Source
        Topics.
    world : str
        Name of the inertial frame, where messages name none.
    thrusters : sequence of Thruster
        Thrusters on the base, in its axes; for robots whose description has none.
    description : str
        A sentence for people.
    base : str
        Name of the base link, which ``body`` stands for.
    """

    source: str
    sources: Sequence[Source]
    world: str = 'world'
    thrusters: Sequence[Thruster] = ()
    description: str = ''
    base: str = ''

    @property
    def kinds(self) -> frozenset[str]:
        """Quantities that some topic gives."""
        return frozenset(kind for each in self.sources for kind in each.gives)

    def for_robot(self, model: RobotModel) -> 'Adapter':
        """Return the adapter of a robot, whose base link ``body`` stands for."""
        return replace(self, base=model.links[0].name)

    def giving(self, kinds: frozenset[str]) -> 'Adapter':
        """Return the adapter with some quantities alone, and the topics that give them."""
        sources = [
            replace(each, quantities=tuple(q for q in each.quantities if q.kind in kinds))
            for each in self.sources
        ]
        return replace(self, sources=tuple(each for each in sources if each.quantities))

    def topics_of(self, kind: str) -> tuple[str, ...]:
        """Return the topics that give a quantity."""
        return tuple(each.topic for each in self.sources if kind in each.gives)

    def equipped(self, model: RobotModel) -> RobotModel:
        """Return a robot with these thrusters where its description has none.

        Raises
        ------
        ConfigurationError
            If its description has others.
        """
        if not self.thrusters:
            return model
        if not model.thrusters:
            return replace(model, thrusters=tuple(self.thrusters))
        given = {each.name for each in self.thrusters}
        described = {each.name for each in model.thrusters}
        if given != described:
            raise ConfigurationError(
                f'{self.source}: thrusters: {", ".join(sorted(given))} are not those of '
                f'{model.name}: {", ".join(sorted(described))}'
            )
        return model

    def remapped(self, topics: Mapping[str, str]) -> 'Adapter':
        """Return the adapter with other names of its topics, by their names now.

        Raises
        ------
        ConfigurationError
            If it has no topic of such a name.
        """
        known = {each.topic.strip('/') for each in self.sources}
        wanted = {name.strip('/'): topic for name, topic in topics.items()}
        for name in wanted:
            if name not in known:
                raise ConfigurationError(
                    f'{self.source}: no topic {name!r}; topics are {", ".join(sorted(known))}'
                )
        sources = tuple(
            replace(each, topic=wanted.get(each.topic.strip('/'), each.topic))
            for each in self.sources
        )
        return replace(self, sources=sources)

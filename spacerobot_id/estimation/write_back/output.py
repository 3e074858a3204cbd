"""What is written where: fields of a message, or parameters, from the values of an estimate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.adapter import Axes
from spacerobot_id.measurement.adapters.proposal import assign, Value
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.description.description import Place


class Kind(enum.Enum):
    """What an output writes to; the key of the YAML file that states it."""

    TOPIC = 'topic'
    SERVICE = 'service'
    PARAMETERS = 'parameters'
    FILE = 'file'


@dataclass(frozen=True)
class Subject:
    """Whose mass properties are written.

    Parameters
    ----------
    link : str
        Link, in its frame; the whole robot as it stands, in that of the base link, if empty.
    less_prior : bool
        Whether what the description has of the link is taken away: what remains is its load.
    place : Place, optional
        What errors name.
    """

    link: str = ''
    less_prior: bool = False
    place: Place | None = None


@dataclass(frozen=True)
class Filling:
    """A field and what it is filled with.

    Parameters
    ----------
    path : str
        Field of the message, or name of the parameter.
    values : str or tuple
        Name of a value; or names and constants, one for each number of an array.
    constant : float, str or bool, optional
        What the field always is, instead.
    scale : float
        SI units in one of the unit that the field has.
    place : Place, optional
        What errors name.
    """

    path: str
    values: str | tuple[str | float, ...] = ()
    constant: float | str | bool | None = None
    scale: float = 1.0
    place: Place | None = None

    def of(self, known: Mapping[str, Value]) -> Value:
        """Return what the field is filled with.

        Raises
        ------
        DescriptionError
            If a value of the estimate is not known.
        """
        if self.constant is not None:
            return self.constant
        if not isinstance(self.values, str):
            return [self._scaled(self._looked_up(each, known)) for each in self.values]
        value = self._looked_up(self.values, known)
        if isinstance(value, list):
            return [self._scaled(each) for each in value]
        return self._scaled(value)

    def _looked_up(self, name: str | float, known: Mapping[str, Value]) -> Value:
        if not isinstance(name, str):
            return name
        if name not in known:
            raise self.place.error(f'{name} does not show with this method and these data')
        return known[name]

    def _scaled(self, value: Value) -> Value:
        return value if isinstance(value, str) or self.scale == 1.0 else value / self.scale


@dataclass(frozen=True)
class Output:
    """How an estimate is written to a topic, a service, parameters of a node or a file.

    Parameters
    ----------
    source : str
        File that it is read from.
    kind : Kind
        What is written to.
    name : str
        Topic, service, node that has the parameters, or file.
    fillings : tuple of Filling
        Fields or parameters.
    place : Place
        What errors name.
    type : str
        Type of the messages or the service, such as ``geometry_msgs/msg/InertiaStamped``.
    subject : Subject
        Whose mass properties.
    axes : Axes
        Axes that they are written in.
    description : str
        A sentence for people.
    """

    source: str
    kind: Kind
    name: str
    fillings: tuple[Filling, ...]
    place: Place
    type: str = ''
    subject: Subject = Subject()
    axes: Axes = field(default_factory=Axes)
    description: str = ''

    def check(self, model: RobotModel) -> None:
        """Raise DescriptionError if the robot has no such link."""
        link = self.subject.link
        if link and link not in model.link_names:
            known = ', '.join(model.link_names)
            raise self.subject.place.error(f'{model.name} has no link {link!r}; it has {known}')

    def filled(self, known: Mapping[str, Value]) -> dict[str, Value]:
        """Return what each field or parameter is, by its path."""
        return {each.path: each.of(known) for each in self.fillings}

    def fill(self, message: object, known: Mapping[str, Value]) -> None:
        """Fill the fields of a message.

        Raises
        ------
        DescriptionError
            If the message has no such field, or that takes no such value.
        """
        for each in self.fillings:
            assign(message, each.path, each.of(known), each.place)


_ELEMENTS = {'xx': (0, 0), 'xy': (0, 1), 'xz': (0, 2), 'yy': (1, 1), 'yz': (1, 2), 'zz': (2, 2)}
"""Elements of a tensor by name, signs as they stand in the matrix."""

TENSORS = ('inertia', 'inertia_about_origin')
"""The inertia about the centre of mass, and about the origin of the frame, kg m^2."""

NAMES = (
    'mass',
    *('com', 'com.x', 'com.y', 'com.z'),
    *(name + end for name in TENSORS for end in ('', *(f'.{each}' for each in _ELEMENTS))),
    *('frame', 'stamp'),
)
"""Names of all values; an array is row by row, the stamp is that of the last sample, s."""


def body_values(result: Result, output: Output, stamp: float) -> Mapping[str, Value]:
    """Return the values of an estimate, in the axes that an output wants.

    Those that do not show with the method are left out.

    Parameters
    ----------
    result : Result
        A usable result.
    output : Output
        Whose values, and in which axes.
    stamp : float
        Time of the last sample, s.

    Raises
    ------
    ConfigurationError
        If the result has no such link that can exist.
    """
    R = output.axes.body.T
    subject, model = output.subject, result.method.model
    frame = subject.link or model.links[0].name
    values: dict[str, Value] = {'frame': frame, 'stamp': float(stamp)}
    body = _load(result, subject) if subject.link else result.robot
    if body is None:
        return values | _tensor('inertia', result.inertia, R)
    com = (R @ body.com).tolist()
    values |= {'mass': float(body.mass), 'com': com}
    values |= {f'com.{axis}': each for axis, each in zip('xyz', com, strict=True)}
    values |= _tensor('inertia', body.inertia_about_com, R)
    return values | _tensor('inertia_about_origin', body.inertia, R)


def _load(result: Result, subject: Subject) -> InertialParameters:
    """Return the parameters of a link in its frame of the URDF, or what it has to the prior."""
    links, name = result.links, subject.link
    if links is None:
        raise ConfigurationError(f'{result.method.name} finds no links, and so no {name}')
    if links.contradicts_data:
        raise ConfigurationError('no links that can exist fit the data')
    found = _in_its_frame(links.model, name)
    if not subject.less_prior:
        return found
    prior = _in_its_frame(result.method.model, name)
    load = InertialParameters.from_vector(found.vector - prior.vector)
    if load.defects():
        raise ConfigurationError(
            f'{name} carries nothing beside what its description has that can exist: '
            f'{load.defects()[0]}'
        )
    return load


def _in_its_frame(model: RobotModel, name: str) -> InertialParameters:
    link = model.links[model.link_names.index(name)]
    return link.inertial.expressed_in(link.R_UL, np.zeros(3))


def _tensor(
    name: str, tensor: NDArray[np.float64] | None, R: NDArray[np.float64]
) -> dict[str, Value]:
    """Return a tensor and its elements, in other axes."""
    if tensor is None:
        return {}
    turned = R @ tensor @ R.T
    elements = {f'{name}.{end}': float(turned[at]) for end, at in _ELEMENTS.items()}
    return {name: turned.ravel().tolist()} | elements

"""What is written where: fields of a message, or parameters, from the values of an estimate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import enum

from spacerobot_id.measurement.adapters.assignment import assign, Value
from spacerobot_id.measurement.adapters.axes import Axes
from spacerobot_id.model import RobotModel
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

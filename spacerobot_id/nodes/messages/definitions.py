"""Fields of messages of ROS, from their classes."""

from collections.abc import Iterable
import re

from rclpy.serialization import deserialize_message

from spacerobot_id.measurement.bag.cdr_columns import Field
from spacerobot_id.nodes.messages.pieces import message_class

_TYPE = re.compile(
    r'(?:sequence<)?(?P<kind>[\w/]+)(?:<\d+>)?'
    r'(?P<sequence>(?:,\d+)?>)?(?:\[(?P<count>\d+)\])?'
)
"""``double``, ``string<8>``, ``sequence<double, 3>``, ``geometry_msgs/Point[4]``."""

_NUMBERS = {'double': 'float64', 'float': 'float32'}
"""Types of numbers that are not named by their size."""


class OfClasses:
    """Definitions that the installed messages have."""

    def fields(self, kind: str) -> Iterable[Field]:
        """Return the fields of a type, in order."""
        types = message_class(kind, 'a message').get_fields_and_field_types()
        for name, described in types.items():
            found = _TYPE.fullmatch(described.replace(' ', ''))
            if found is None:
                yield Field(name, described, None)  # none that columns are made of
                continue
            inner = found['kind'].replace('/', '/msg/')
            count = -1 if found['sequence'] else found['count'] and int(found['count'])
            yield Field(name, _NUMBERS.get(inner, inner), count)

    def message(self, data: bytes, kind: str) -> object:
        """Return a message; raise RMWError if it is none of that type."""
        return deserialize_message(data, message_class(kind, 'a message'))

"""Vectors, quaternions and texts: what the messages of this package are made of."""

from importlib import import_module

from geometry_msgs.msg import Point, Vector3
import numpy as np
from numpy.typing import ArrayLike, NDArray
from std_msgs.msg import String

from spacerobot_id.measurement import codecs


def make_message(kind: str, **fields: object) -> object:
    """Return a message of a type such as ``geometry_msgs/msg/Vector3``, arrays as lists."""
    package, _, name = kind.split('/')
    values = {
        field: value.tolist() if isinstance(value, np.ndarray) else value
        for field, value in fields.items()
    }
    return getattr(import_module(f'{package}.msg'), name)(**values)


def string_message(text: str) -> String:
    """Return a message of a text."""
    return String(data=text)


def vector3_from_array(values: ArrayLike) -> Vector3:
    """Return the message of three components."""
    return codecs.vector(make_message, values)


def array_from_vector3(message: Vector3 | Point) -> NDArray[np.float64]:
    """Return the components of a vector or point, shape (3,)."""
    return codecs.components(message)

"""Vectors, quaternions and texts: what the messages of this package are made of."""

from importlib import import_module

from geometry_msgs.msg import Point, Vector3
import numpy as np
from numpy.typing import ArrayLike, NDArray
from std_msgs.msg import String

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import codecs


def message_class(kind: str, what: str) -> type:
    """Return the class of a type such as ``geometry_msgs/msg/Vector3``.

    Raises
    ------
    ConfigurationError
        If its package is not installed, or has no such type; names it, and what needs it.
    """
    package, folder, name = kind.split('/')
    try:
        return getattr(import_module(f'{package}.{folder}'), name)
    except ImportError as error:
        raise ConfigurationError(
            f'{what}: {kind} needs the package {package}, which is not installed here: {error}'
        ) from error
    except AttributeError as error:
        raise ConfigurationError(f'{what}: {package} has no {kind}') from error


def make_message(kind: str, **fields: object) -> object:
    """Return a message of a type such as ``geometry_msgs/msg/Vector3``, arrays as lists."""
    values = {
        field: value.tolist() if isinstance(value, np.ndarray) else value
        for field, value in fields.items()
    }
    return message_class(kind, 'a message')(**values)


def string_message(text: str) -> String:
    """Return a message of a text."""
    return String(data=text)


def vector3_from_array(values: ArrayLike) -> Vector3:
    """Return the message of three components."""
    return codecs.vector(make_message, values)


def array_from_vector3(message: Vector3 | Point) -> NDArray[np.float64]:
    """Return the components of a vector or point, shape (3,)."""
    return codecs.components(message)

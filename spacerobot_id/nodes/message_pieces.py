"""Vectors, quaternions and texts: what the messages of this package are made of."""

from geometry_msgs.msg import Point, Quaternion, Vector3
import numpy as np
from numpy.typing import ArrayLike, NDArray
from std_msgs.msg import String


def string_message(text: str) -> String:
    """Return a message of a text."""
    return String(data=text)


def vector3_from_array(values: ArrayLike) -> Vector3:
    """Return the message of three components."""
    x, y, z = np.asarray(values, dtype=float).tolist()
    return Vector3(x=x, y=y, z=z)


def array_from_vector3(message: Vector3 | Point) -> NDArray[np.float64]:
    """Return the components of a vector or point, shape (3,)."""
    return np.array([message.x, message.y, message.z])


def quaternion_from_array(values: ArrayLike) -> Quaternion:
    """Return the message of a quaternion x y z w."""
    x, y, z, w = np.asarray(values, dtype=float).tolist()
    return Quaternion(x=x, y=y, z=z, w=w)

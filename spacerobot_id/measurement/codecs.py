"""ROS messages read and made without ROS: the same for nodes and for bags.

A message is read by its attributes, which those of rclpy and those of a bag share. It is made by
a function that knows the classes: ``make('geometry_msgs/msg/Vector3', x=1.0, y=0.0, z=0.0)``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

NANOSECONDS = 1_000_000_000

Make = Callable[..., Any]
"""Makes a message: its type's name, then its fields by keyword."""


def seconds_from_stamp(stamp: Any) -> float:  # noqa: ANN401 - any message class
    """Return a time or duration in seconds."""
    return stamp.sec + stamp.nanosec / NANOSECONDS


def components(message: Any, names: str = 'xyz') -> NDArray[np.float64]:  # noqa: ANN401
    """Return the components of a vector, point or quaternion."""
    return np.array([getattr(message, name) for name in names])


def header(make: Make, stamp: float, frame_id: str = '') -> object:
    """Return a header; its time is exact to the nanosecond."""
    sec, nanosec = divmod(round(stamp * NANOSECONDS), NANOSECONDS)
    time = make('builtin_interfaces/msg/Time', sec=sec, nanosec=nanosec)
    return make('std_msgs/msg/Header', stamp=time, frame_id=frame_id)


def vector(make: Make, values: ArrayLike, kind: str = 'Vector3') -> object:
    """Return a vector, a point or, of four numbers x y z w, a quaternion."""
    values = np.asarray(values, dtype=float).tolist()
    return make(f'geometry_msgs/msg/{kind}', **dict(zip('xyzw', values, strict=False)))

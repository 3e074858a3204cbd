"""Ellipsoids of inertia as markers: centre of mass, half axes, and what is uncertain of them."""

from collections.abc import Iterator, Mapping

from builtin_interfaces.msg import Time
import numpy as np
from scipy.spatial.transform import Rotation
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from spacerobot_id.estimation.inertia_ellipsoids import InertiaEllipsoid

INTERVAL = 1.96
"""Standard deviations to either side that 95 % are within."""

COLOURS = {'prior': (0.45, 0.55, 0.85), 'estimate': (0.10, 0.65, 0.30), 'unseen': (0.6, 0.6, 0.6)}
"""Red, green and blue of the description, of what is estimated, and of what is not."""

_OPACITY = {'centre': 1.0, 'inner': 0.6, 'outer': 0.15}


def ellipsoid_markers(
    ellipsoids: Mapping[str, InertiaEllipsoid], name: str, unseen: frozenset[str] = frozenset()
) -> MarkerArray:
    """Return three markers of each ellipsoid, fixed to its frame, whatever the time.

    Two ellipsoids, the half axes at both ends of their 95 % intervals, are a shell as thick as
    these; a sphere is the centre of mass.

    Parameters
    ----------
    ellipsoids : mapping of str to InertiaEllipsoid
        Ellipsoids by the frames that they are in.
    name : str
        Namespace of the markers, that ends in ``prior`` or ``estimate``.
    unseen : frozenset of str
        Frames whose ellipsoids are grey.
    """
    return MarkerArray(
        markers=[
            marker
            for number, (frame, each) in enumerate(ellipsoids.items())
            for marker in _markers(frame, each, name, number, is_seen=frame not in unseen)
        ]
    )


def _markers(
    frame: str, ellipsoid: InertiaEllipsoid, name: str, number: int, *, is_seen: bool
) -> Iterator[Marker]:
    """Yield the centre of mass, and the inner and the outer side of the shell."""
    inner, outer = (ellipsoid.half_axes_at(sign * INTERVAL) for sign in (-1.0, 1.0))
    sizes = {
        'centre': np.full(3, 0.1 * ellipsoid.half_axes.min()),
        'inner': np.maximum(inner, 1e-3 * ellipsoid.half_axes),  # viewers warn of zero
        'outer': outer,
    }
    kind = name.rpartition('/')[2] if is_seen else 'unseen'
    for part, half_axes in sizes.items():
        marker = Marker(ns=f'{name}/{part}', id=number, type=Marker.SPHERE, frame_locked=True)
        marker.header.frame_id, marker.header.stamp = frame, Time()
        place, turn = marker.pose.position, marker.pose.orientation
        place.x, place.y, place.z = map(float, ellipsoid.centre)
        quaternion = Rotation.from_matrix(ellipsoid.axes).as_quat()
        turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
        marker.scale.x, marker.scale.y, marker.scale.z = map(float, 2.0 * half_axes)
        red, green, blue = COLOURS[kind]
        marker.color = ColorRGBA(r=red, g=green, b=blue, a=_OPACITY[part])
        yield marker

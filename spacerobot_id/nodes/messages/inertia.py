"""Mass properties from messages and to them.

Messages have the tensor about the centre of mass, the core has it about the origin of the frame.
"""

from geometry_msgs.msg import InertiaStamped
import numpy as np

from spacerobot_id.model import InertialParameters
from spacerobot_id.nodes.common.stamps import stamp_from_seconds
from spacerobot_id.nodes.messages.pieces import array_from_vector3, vector3_from_array


def inertia_message(stamp: float, frame_id: str, body: InertialParameters) -> InertiaStamped:
    """Return the message of mass properties: the tensor is about the centre of mass there.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame that the parameters are given in.
    body : InertialParameters
        Parameters about the frame's origin; the mass is not zero.
    """
    message = InertiaStamped()
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    message.inertia.m = float(body.mass)
    message.inertia.com = vector3_from_array(body.com)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = body.inertia_about_com.tolist()
    for name, value in zip(
        ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), (ixx, ixy, ixz, iyy, iyz, izz), strict=True
    ):
        setattr(message.inertia, name, value)
    return message


def inertial_from_message(message: InertiaStamped) -> InertialParameters:
    """Return the mass properties of a message, about the origin of its frame."""
    given = message.inertia
    tensor = [
        [given.ixx, given.ixy, given.ixz],
        [given.ixy, given.iyy, given.iyz],
        [given.ixz, given.iyz, given.izz],
    ]
    return InertialParameters.from_com(given.m, array_from_vector3(given.com), np.array(tensor))

"""Joint states from messages and to them: joints are found by name, nothing else is judged."""

from collections.abc import Sequence
from functools import partial

from sensor_msgs.msg import JointState

from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.readings import JointReading
from spacerobot_id.nodes.messages.pieces import make_message

joint_state_message = partial(codecs.joint_state_message, make_message)


def joints_from_message(message: JointState, names: Sequence[str]) -> JointReading:
    """Return some joints of a message, found by name; see ``JointReading.of``."""
    return codecs.joints_from_message(message).of(names)

"""What the estimator receives, recorded beside it as bytes, and what a batch fit makes of it."""

from dataclasses import dataclass
from functools import partial
import warnings

from geometry_msgs.msg import PoseStamped, TwistStamped
import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu, JointState

from spacerobot_id.estimation import identify
from spacerobot_id.estimation.batch.identify import log_from_streams
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.measurement import AlignmentSettings
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.streams import imu_stream, joint_stream, pose_stream, twist_stream
from spacerobot_id.measurement.streams.log_streams import Arrived
from spacerobot_id.nodes.common import qos

TOPICS = {
    'joint_states': (JointState, joint_stream.joints_from_message),
    'imu/data': (Imu, imu_stream.gyro_from_message),
    'base_pose': (PoseStamped, pose_stream.pose_from_message),
    'base_twist': (TwistStamped, twist_stream.twist_from_message),
}


_ROUNDING, _DEVIATIONS = 0.1, 4.0
"""Differences between equal estimates: of the same samples, and of one that lacks some."""


class Recording:
    """The messages of the sensors since the last beginning.

    Parameters
    ----------
    client : Client
        Node that listens.
    """

    def __init__(self, client):
        self._received, self._last = None, {}
        for topic, (kind, _) in TOPICS.items():
            listen = partial(self._on_message, topic)
            profile = qos.stream_output(5000)
            client.node.create_subscription(kind, topic, listen, profile, raw=True)

    def _on_message(self, topic, message):
        self._last[topic] = message
        if self._received is not None:
            self._received.append((topic, message))

    def has_reached(self, stamp):
        """Return whether messages up to a stamp, s, have come of every topic."""
        return len(self._last) == len(TOPICS) and all(
            TOPICS[topic][1](deserialize_message(message, TOPICS[topic][0])).stamp >= stamp
            for topic, message in self._last.items()
        )

    def begin(self):
        """Forget what was recorded, and record from now on."""
        self._received = []

    def end(self):
        """Record no more; return what was, as readings in order of arrival."""
        received, self._received = self._received, None
        readings = [
            TOPICS[topic][1](deserialize_message(message, TOPICS[topic][0]))
            for topic, message in received
        ]
        arrivals = np.maximum.accumulate([reading.stamp for reading in readings])
        return [Arrived(*each) for each in zip(arrivals.tolist(), readings, strict=True)]


def streams_of(readings):
    """Return readings as the streams of a log."""
    return streams_of_readings('recording', readings)


def batch_fit(model, readings, longest_gap):
    """Return what ``identify`` makes of readings."""
    settings = IdentifySettings(alignment=AlignmentSettings(longest_gap=longest_gap))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        streams = streams_of(readings)
        recorded = log_from_streams(model, streams, settings)
        return identify(recorded.log.measurement, recorded.method, settings.recursion)


@dataclass(frozen=True)
class Comparison:
    """A live estimate beside the batch fit of the recorded messages.

    Parameters
    ----------
    live, batch : int
        Samples in them.
    off : float
        Largest difference, in standard deviations.
    excess : float
        The same beyond what the samples that one of them lacks can make.
    """

    live: int
    batch: int
    off: float
    excess: float

    @property
    def is_equal(self) -> bool:
        """Whether they differ by no more than the samples that one of them lacks can make."""
        return self.excess <= 0.0

    @classmethod
    def of(cls, report, estimate):
        """Return how a live report differs from an estimate, in the larger deviation of each.

        Where one lacks samples that have a share of the information on a parameter, the variance
        of the difference is that share of the larger variance. It is not the share of samples:
        those in a row, where much moves, may have many times as much.
        """
        live, batch = np.array(report['std']), np.asarray(estimate.std)
        std, samples = np.maximum(live, batch), report['samples']
        share = 1.0 - (np.minimum(live, batch) / std) ** 2
        allowed = _ROUNDING + _DEVIATIONS * np.sqrt(share if samples != estimate.samples else 0.0)
        off = np.abs(np.array(report['values']) - estimate.values) / std
        return cls(samples, estimate.samples, float(np.max(off)), float(np.max(off - allowed)))

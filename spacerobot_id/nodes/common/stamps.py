"""Times of messages: stamps and durations to float seconds, and back."""

from builtin_interfaces.msg import Duration, Time
from rosgraph_msgs.msg import Clock

from spacerobot_id.measurement.codecs import NANOSECONDS as _NANOSECONDS
from spacerobot_id.measurement.codecs import seconds_from_stamp

__all__ = ['clock_message', 'duration_from_seconds', 'seconds_from_stamp', 'stamp_from_seconds']


def stamp_from_seconds(seconds: float) -> Time:
    """Return the stamp of a time in seconds, to the nanosecond."""
    sec, nanosec = divmod(round(seconds * _NANOSECONDS), _NANOSECONDS)
    return Time(sec=sec, nanosec=nanosec)


def duration_from_seconds(seconds: float) -> Duration:
    """Return the duration of some seconds, to the nanosecond."""
    sec, nanosec = divmod(round(seconds * _NANOSECONDS), _NANOSECONDS)
    return Duration(sec=sec, nanosec=nanosec)


def clock_message(seconds: float) -> Clock:
    """Return a message of the simulated time."""
    return Clock(clock=stamp_from_seconds(seconds))

"""Times of messages: stamps and durations to float seconds, and back."""

from builtin_interfaces.msg import Duration, Time
from rosgraph_msgs.msg import Clock

_NANOSECONDS = 1_000_000_000


def seconds_from_stamp(stamp: Time | Duration) -> float:
    """Return a time or duration in seconds."""
    return stamp.sec + stamp.nanosec / _NANOSECONDS


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

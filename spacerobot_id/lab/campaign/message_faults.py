"""Faults in the messages of a flight, and these faults as the messages show them."""

from collections.abc import Mapping
from dataclasses import replace
import zlib

from spacerobot_id.lab.faults import as_found, injected, Occurrence
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.bag.streams import BagStreams
from spacerobot_id.measurement.log_record import readings_in_order
from spacerobot_id.model import RobotModel


def with_faults(
    model: RobotModel,
    streams: BagStreams,
    faults: Mapping[str, Occurrence],
    begin: float,
    seed: int,
) -> tuple[BagStreams, dict[str, Occurrence]]:
    """Return the streams of a flight with faults in them, and the faults as messages show them.

    Parameters
    ----------
    model : RobotModel
        Robot that flew.
    streams : BagStreams
        Streams of its flight.
    faults : mapping of str to Occurrence
        Faults by name; their times are counted from when the motion begins.
    begin : float
        When it does, s.
    seed : int
        Seed of all that is random in them; each fault has its own numbers by its name.

    Raises
    ------
    MeasurementError
        If messages of a stream contradict each other then, as by a frame that changes.
    """
    if not faults:
        return streams, {}
    messages, found = list(readings_in_order(model, streams)), {}
    for name, fault in faults.items():
        wanted = replace(fault, begin=begin + fault.begin)
        changed = injected(model, messages, wanted, (seed, zlib.crc32(name.encode())))
        shown = as_found(model, messages, changed, wanted)
        found[name] = replace(shown, begin=shown.begin - begin)
        messages = changed
    measured = streams_of_readings('messages with faults', messages)
    truth = {name: getattr(streams, name) for name in ('true_joints', 'true_pose', 'true_twist')}
    return replace(measured, **truth), found

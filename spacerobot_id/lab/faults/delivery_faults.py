"""Faults of the way of messages: F20 to F22, F25."""

from collections.abc import Iterable, Sequence
import math

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.faults.fault import Case
from spacerobot_id.measurement.readings import Arrived


def lost(messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case) -> Iterable[Arrived]:
    """Yield messages without those that are lost (F20 to F22)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        if not is_hit:
            yield message


def held_back(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], case: Case
) -> Iterable[Arrived]:
    """Yield messages that come in bursts, the size in s apart (F25)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        if is_hit:
            bursts = math.ceil((message.arrival - case.begin) / case.size)
            message = Arrived(case.begin + bursts * case.size, message.reading)
        yield message

"""Faults of sensors and messages, injected into those of a log: pure functions with a seed."""

from spacerobot_id.lab.faults.catalogue import BY_KEY, FAULTS, faults_of
from spacerobot_id.lab.faults.fault import (
    as_found,
    Fault,
    HELD,
    injected,
    Occurrence,
    SENSORS,
    tolerances,
)

__all__ = [
    'BY_KEY',
    'FAULTS',
    'HELD',
    'SENSORS',
    'Fault',
    'Occurrence',
    'as_found',
    'faults_of',
    'injected',
    'tolerances',
]

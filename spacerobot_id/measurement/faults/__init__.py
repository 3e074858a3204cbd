"""Faults of sensors and messages, injected into what a log says: pure functions with a seed."""

from spacerobot_id.measurement.faults.catalogue import FAULTS, faults_of
from spacerobot_id.measurement.faults.fault import Fault, injected

__all__ = ['FAULTS', 'Fault', 'faults_of', 'injected']

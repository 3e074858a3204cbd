"""Streams of different sensors brought to common times."""

from spacerobot_id.measurement.alignment.alignment import Alignment
from spacerobot_id.measurement.alignment.pace import is_steady
from spacerobot_id.measurement.alignment.settings import AlignmentSettings, VelocitySource

__all__ = ['Alignment', 'AlignmentSettings', 'VelocitySource', 'is_steady']

"""Streams of different sensors brought to common times."""

from spacerobot_id.measurement.alignment.alignment import Alignment
from spacerobot_id.measurement.alignment.buffers import (
    AlignmentSettings,
    is_steady,
    VelocitySource,
)

__all__ = ['Alignment', 'AlignmentSettings', 'VelocitySource', 'is_steady']

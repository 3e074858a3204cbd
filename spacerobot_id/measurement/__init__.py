"""Measurements and how they are brought together."""

from spacerobot_id.measurement.alignment import Alignment, AlignmentSettings, VelocitySource
from spacerobot_id.measurement.record import HeldSignal, Record
from spacerobot_id.measurement.signal.fourier_series import (
    average_over_cycles,
    fit_fourier_series,
    FourierSeries,
    harmonic_filter,
)
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.measurement.stream import FREE_FLYER, Need, Stream, StreamNeeds, Verdict

__all__ = [
    'FREE_FLYER',
    'Alignment',
    'AlignmentSettings',
    'FourierSeries',
    'HeldSignal',
    'Need',
    'Record',
    'Stream',
    'StreamNeeds',
    'VelocitySource',
    'Verdict',
    'average_over_cycles',
    'fit_fourier_series',
    'harmonic_filter',
    'local_slopes',
]

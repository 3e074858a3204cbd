"""Measurements and how they are brought together."""

from spacerobot_id.data.alignment import Alignment, AlignmentSettings, VelocitySource
from spacerobot_id.data.bag_streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    TwistStream,
    WrenchStream,
)
from spacerobot_id.data.fourier_series import (
    average_over_cycles,
    fit_fourier_series,
    FourierSeries,
    harmonic_filter,
)
from spacerobot_id.data.free_flyer_record import FreeFlyerRecord
from spacerobot_id.data.local_polynomial import local_slopes
from spacerobot_id.data.measurement import Measurement
from spacerobot_id.data.stream import Stream, Verdict

__all__ = [
    'Alignment',
    'AlignmentSettings',
    'BagStreams',
    'FourierSeries',
    'FreeFlyerRecord',
    'ImuStream',
    'JointStream',
    'Measurement',
    'PoseStream',
    'Stream',
    'TwistStream',
    'VelocitySource',
    'Verdict',
    'WrenchStream',
    'average_over_cycles',
    'fit_fourier_series',
    'harmonic_filter',
    'local_slopes',
]

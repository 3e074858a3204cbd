"""Which samples of a stream come, and when: rate, drop-out and latency, all seeded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import RobotModel, STREAMS, StreamSettings

_SLACK = 1e-6
"""Share of a sample by which rates may be off a multiple through rounding."""


@dataclass(frozen=True, eq=False)
class Deliveries:
    """The messages of one stream that some samples make.

    Parameters
    ----------
    rows : ndarray of int, shape (M,)
        Samples that come, of those asked about.
    arrivals : ndarray, shape (M,)
        When they come, s.
    stamps : ndarray, shape (M,)
        Stamps that they have, s.
    """

    rows: NDArray[np.intp]
    arrivals: NDArray[np.float64]
    stamps: NDArray[np.float64]


class StreamDelivery:
    """One stream on its way.

    Parameters
    ----------
    settings : StreamSettings
        Rate, latency and drop-out.
    rate : float
        Rate of the samples, Hz.
    seed : sequence of int
        Seed of the drop-outs.
    """

    def __init__(self, settings: StreamSettings, rate: float, seed: list[int]) -> None:
        self._settings = settings
        self._share = 1.0 if settings.rate is None else settings.rate / rate
        self._generator = np.random.default_rng(seed)
        self._count = 0

    @property
    def settings(self) -> StreamSettings:
        """Rate, latency, drop-out and stamps."""
        return self._settings

    def deliver(self, times: NDArray[np.float64]) -> Deliveries:
        """Return which of the next samples come, and when.

        Parameters
        ----------
        times : ndarray, shape (N,)
            Times of the next samples, s.
        """
        counts = self._count + np.arange(len(times) + 1)
        self._count += len(times)
        due = np.diff(np.floor(counts * self._share + _SLACK)) > 0.0
        if self._settings.dropout:
            due &= self._generator.random(len(times)) >= self._settings.dropout
        rows = np.flatnonzero(due)
        stamps = rounded_up(times[rows] + self._settings.delay, self._settings.stamp_step)
        arrivals = np.maximum(times[rows] + self._settings.latency, stamps)
        return Deliveries(rows, arrivals, stamps)


def rounded_up(times: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return times as a clock of this step gives them, s; as they are if it is zero."""
    return step * np.ceil(times / step - _SLACK) if step else times


def stream_deliveries(
    model: RobotModel, seed: int, *, ideal: bool = False
) -> dict[str, StreamDelivery]:
    """Return the ways of all streams of a robot.

    Parameters
    ----------
    model : RobotModel
        Robot, for its sensors.
    seed : int
        Seed; every stream draws for itself.
    ideal : bool
        Whether nothing is late or lost; rates stay.
    """
    made = {}
    for number, name in enumerate(STREAMS, 10):
        given = model.sensors.stream(name)
        settings = StreamSettings(given.rate) if ideal else given
        made[name] = StreamDelivery(settings, model.noise.rate, [seed, number])
    return made

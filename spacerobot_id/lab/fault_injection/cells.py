"""One fault in one strength from one time on: noticed or not, harm, and what is reported of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spacerobot_id.estimation.batch.identify import identify
from spacerobot_id.estimation.batch.recorded_log import log_from_streams
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.lab.fault_injection.harm import Harm, harm
from spacerobot_id.lab.fault_injection.notice import Notice, noticed
from spacerobot_id.lab.fault_injection.replay import Replay, replay
from spacerobot_id.lab.faults import Fault, faults_of, injected
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.bag.streams import BagStreams
from spacerobot_id.measurement.log_record import readings_in_order, streams_used
from spacerobot_id.measurement.readings import Arrived
from spacerobot_id.model import RobotModel

BEGINS = {'start': 0.0, 'middle': 0.5}
"""Shares of the log from which on a fault is there, by name."""

_EPOCH = 1000.0
"""Stamp at which logs begin at the earliest, s, so that a clock can be put back."""


@dataclass(frozen=True)
class Verdict:
    """An estimate from a log with a fault, and what is reported of it.

    Parameters
    ----------
    harm : Harm
        What the fault did to it.
    defects : tuple of str
        Why it may not be used, in sentences; it is valid without any.
    samples : int
        Samples in it.
    """

    harm: Harm
    defects: tuple[str, ...]
    samples: int

    @property
    def is_valid(self) -> bool:
        """Whether the estimate is called valid."""
        return not self.defects

    @property
    def is_lie(self) -> bool:
        """Whether the estimate is harmed and called valid."""
        return self.is_valid and self.harm.is_harm


@dataclass(frozen=True)
class Cell:
    """What a fault did.

    Parameters
    ----------
    fault, description : str
        Key of the fault, and what happens.
    strength : float
        How strong, in its ``unit``.
    unit : str
        Unit of the strength.
    begin : str
        From when on, of ``BEGINS``.
    notice : Notice, optional
        How the live estimator noticed it; None if it did not.
    live : Verdict
        Of the live estimator at the end of the log.
    batch : Verdict, optional
        Of ``identify``, where that was asked for.
    """

    fault: str
    description: str
    strength: float
    unit: str
    begin: str
    notice: Notice | None
    live: Verdict
    batch: Verdict | None = None

    @property
    def is_lie(self) -> bool:
        """Whether an estimate is harmed and called valid, live or in one batch."""
        return self.live.is_lie or (self.batch is not None and self.batch.is_lie)


@dataclass(frozen=True, eq=False)
class Clean:
    """What becomes of the log as it is.

    Parameters
    ----------
    live : Replay
        Of the live estimator.
    batch : Result, optional
        Of ``identify``, where that was asked for.
    """

    live: Replay
    batch: Result | None = None


@dataclass(frozen=True, eq=False)
class FaultInjection:
    """A log with all faults.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    messages : sequence of Arrived
        Messages of the clean log in order of arrival.
    settings : IdentifySettings
        Settings of the estimator.
    seed : int
        Seed of all that is random in the faults.
    """

    model: RobotModel
    messages: Sequence[Arrived]
    settings: IdentifySettings
    seed: int = 0

    @classmethod
    def of_streams(
        cls, model: RobotModel, streams: BagStreams, settings: IdentifySettings, seed: int = 0
    ) -> 'FaultInjection':
        """Return the injection of a log; one whose clock begins near zero begins later here.

        Raises
        ------
        MeasurementError
            If a stream that the method needs is not in the log.
        """
        needs = settings.method_type().needs.of_robot(len(model.joints), len(model.wheels))
        messages = list(readings_in_order(model, streams_used(streams, needs)))
        later = _EPOCH if messages and messages[0].reading.stamp < _EPOCH else 0.0
        shifted = tuple(
            Arrived(arrival + later, replace(reading, stamp=reading.stamp + later))
            for arrival, reading in messages
        )
        return cls(model, shifted, settings, seed)

    def clean(self, *, with_batch: bool = False) -> Clean:
        """Return what becomes of the log as it is.

        Raises
        ------
        MeasurementError, EstimationError
            If the log shows nothing.
        """
        live = replay(self.model, self.messages, self.settings)
        return Clean(live, self._identified(self.messages) if with_batch else None)

    def faults(self, keys: Sequence[str] = ()) -> tuple[Fault, ...]:
        """Return the faults that the log can carry, those whose key begins with one of some."""
        can = faults_of(self.messages)
        if not keys:
            return can
        wanted = [each.casefold() for each in keys]
        return tuple(
            each
            for each in can
            if any(f'{each.key} '.casefold().startswith(f'{key} ') for key in wanted)
        )

    def cell(self, clean: Clean, fault: Fault, strength: float, begin: str) -> Cell:
        """Return what a fault does.

        Parameters
        ----------
        clean : Clean
            What becomes of the log without it.
        fault : Fault
            Fault.
        strength : float
            How strong.
        begin : str
            From when on, of ``BEGINS``.
        """
        first, last = self.messages[0].arrival, self.messages[-1].arrival
        since = first + BEGINS[begin] * (last - first)
        occurrence = fault.occurrence(strength, since)
        messages = injected(self.model, self.messages, occurrence, self.seed)
        found = replay(self.model, messages, self.settings)
        return Cell(
            fault.key,
            fault.description,
            strength,
            fault.unit,
            begin,
            noticed(found, clean.live, since),
            _verdict(found.result, clean.live.result),
            None if clean.batch is None else self._batch(messages, clean.batch),
        )

    def cells(self, clean: Clean, faults: Sequence[Fault]) -> Iterator[Cell]:
        """Yield what faults do in all strengths, from the start and from the middle."""
        for fault in faults:
            for begin in BEGINS:
                for strength in fault.strengths:
                    yield self.cell(clean, fault, strength, begin)

    def _batch(self, messages: Sequence[Arrived], clean: Result) -> Verdict:
        """Return the result of ``identify`` for messages; that it refuses them is a defect."""
        try:
            return _verdict(self._identified(messages), clean)
        except (SpaceRobotIdError, np.linalg.LinAlgError) as error:
            return Verdict(Harm(np.nan, np.nan, ''), (str(error),), 0)

    def _identified(self, messages: Sequence[Arrived]) -> Result:
        """Return what ``identify`` makes of messages."""
        streams = streams_of_readings('log', messages)
        recorded = log_from_streams(self.model, streams, self.settings)
        return identify(recorded.log.measurement, recorded.method, self.settings.recursion)


def _verdict(found: Result, clean: Result) -> Verdict:
    return Verdict(harm(found.estimate, clean.estimate), found.reasons, found.estimate.samples)

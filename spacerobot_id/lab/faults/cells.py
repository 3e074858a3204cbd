"""One fault in one strength from one time on: noticed or not, harm, and what is reported of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
import re

import numpy as np

from spacerobot_id.estimation.batch.identify import identify, log_from_streams
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.lab.faults import Fault, faults_of, injected
from spacerobot_id.lab.faults.replay import NodelessEstimator, Replay, Snapshot
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.log_record import readings_in_order, streams_used
from spacerobot_id.measurement.streams.log_streams import Arrived, BagStreams
from spacerobot_id.model import RobotModel

HARMED = 3.0
"""Standard deviations beyond which an estimate is harmed."""


@dataclass(frozen=True)
class Harm:
    """How far an estimate is from that of the clean log, in the deviations that it states.

    Parameters
    ----------
    joint : float
        Root mean square over all directions of the covariance (Mahalanobis distance over the
        root of the number of parameters).
    worst : float
        Largest of a parameter.
    parameter : str
        That parameter.
    """

    joint: float
    worst: float
    parameter: str

    @property
    def is_harm(self) -> bool:
        """Whether it is more than ``HARMED``."""
        return not (self.joint <= HARMED and self.worst <= HARMED)


def harm(found: Estimate, clean: Estimate) -> Harm:
    """Return how far an estimate is from that of the clean log, by what it states of itself."""
    off, scale = found.values - clean.values, np.sqrt(np.diag(found.covariance))
    scores = np.abs(off) / scale
    worst = int(np.argmax(np.where(np.isfinite(scores), scores, np.inf)))
    correlation = found.covariance / np.outer(scale, scale)
    squares = np.nan
    if np.isfinite(correlation).all() and np.isfinite(off).all():
        signed = off / scale
        squares = signed @ np.linalg.lstsq(correlation, signed, rcond=None)[0]
    return Harm(float(np.sqrt(squares / len(off))), float(scores[worst]), found.names[worst])


_MISFITS, _MISFIT_SHARE = 5, 0.01
"""Samples, and share of them, that do not fit beyond those of the clean log, and are noticed."""

_NUMBERS = re.compile(r'[-+]?\d[\d.e+-]*')

BEGINS = {'start': 0.0, 'middle': 0.5}
"""Shares of the log from which on a fault is there, by name."""

_EPOCH = 1000.0
"""Stamp at which logs begin at the earliest, s, so that a clock can be put back."""


@dataclass(frozen=True)
class Notice:
    """How a fault was noticed first.

    Parameters
    ----------
    how : str
        What was logged or counted.
    after : float
        Time since the fault began, s.
    """

    how: str
    after: float


def noticed(found: Replay, clean: Replay, since: float) -> Notice | None:
    """Return how a fault was noticed first: by what was not to be seen of the clean log.

    Parameters
    ----------
    found, clean : Replay
        What the estimator made of the log with the fault, and without it.
    since : float
        Arrival of the first message that the fault hits, s.
    """
    usual = {_NUMBERS.sub('#', text) for _, text in clean.warnings}
    ways = [(when, text) for when, text in found.warnings if _NUMBERS.sub('#', text) not in usual]
    before = list(clean.snapshots)
    for snapshot in found.snapshots:
        same = min(before, key=lambda each: abs(each.time - snapshot.time))
        how = _seen(snapshot, same)
        if how:
            ways.append((snapshot.time, how))
            break
    ways = [way for way in ways if way[0] >= since]
    if not ways:
        return None
    when, how = min(ways, key=lambda way: way[0])
    return Notice(how, when - since)


def _seen(snapshot: Snapshot, clean: Snapshot) -> str:
    """Return what is to be seen that is not of the clean log; empty if nothing is."""
    if new := snapshot.defects - clean.defects:
        return f'not valid: {", ".join(sorted(new))}'
    if snapshot.changes > clean.changes:
        return 'a change of the robot announced'
    if snapshot.misfits > clean.misfits + max(_MISFITS, _MISFIT_SHARE * clean.samples):
        return 'samples that did not fit'
    if late := snapshot.waiting - clean.waiting:
        return f'waits for {", ".join(sorted(late))}'
    if lost := [name for name, count in snapshot.missing.items() if count > clean.missing[name]]:
        return f'messages missing: {", ".join(lost)}'
    return '' if snapshot.is_as_stated or not clean.is_as_stated else 'residuals are not the noise'


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
    def falsely_valid(self) -> bool:
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
    def falsely_valid(self) -> bool:
        """Whether an estimate is harmed and called valid, live or in one batch."""
        return self.live.falsely_valid or (self.batch is not None and self.batch.falsely_valid)


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
            Arrived(arrival + later, replace(reading, stamps=reading.stamp + later))
            for arrival, reading in messages
        )
        return cls(model, shifted, settings, seed)

    def clean(self, *, with_batch: bool = False) -> Replay:
        """Return what becomes of the log as it is.

        Raises
        ------
        MeasurementError, EstimationError
            If the log shows nothing.
        """
        live = self._live(self.messages)
        return replace(live, batch=self._identified(self.messages)) if with_batch else live

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

    def cell(self, clean: Replay, fault: Fault, strength: float, begin: str) -> Cell:
        """Return what a fault does.

        Parameters
        ----------
        clean : Replay
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
        found = self._live(messages)
        return Cell(
            fault.key,
            fault.description,
            strength,
            fault.unit,
            begin,
            noticed(found, clean, since),
            _verdict(found.result, clean.result),
            None if clean.batch is None else self._batch(messages, clean.batch),
        )

    def cells(self, clean: Replay, faults: Sequence[Fault]) -> Iterator[Cell]:
        """Yield what faults do in all strengths, from the start and from the middle."""
        for fault in faults:
            for begin in BEGINS:
                for strength in fault.strengths:
                    yield self.cell(clean, fault, strength, begin)

    def _live(self, messages: Sequence[Arrived]) -> Replay:
        """Return what the live estimator makes of messages."""
        return NodelessEstimator(self.model, self.settings).run(messages)

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

"""A log through the live estimator without ROS: its intake, its recursion, its verdict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
import math

from spacerobot_id.estimation.live_feed import first_source, LiveFeed, refined
from spacerobot_id.estimation.physical_consistency import consistent_links
from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.measurement.batches import Batch, take_plain
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.model import RobotModel

_UPDATE, _PUBLISH = 0.2, 1.0
"""Time between two updates and two looks at the estimate, s: the node's defaults."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a user sees of the estimator at one time.

    Parameters
    ----------
    time : float
        Arrival of the last message, s.
    defects : frozenset of str
        Kinds of the reasons why the estimate may not be used; it is valid without any.
    samples, misfits, changes : int
        Samples in the estimate, samples that did not fit so far, changes of the robot announced.
    missing : dict of str to int
        Messages missing so far, by topic.
    waiting : frozenset of str
        Streams that the others wait for.
    is_as_stated : bool
        Whether residuals are the noise that is stated.
    """

    time: float
    defects: frozenset[str]
    samples: int
    misfits: int
    changes: int
    missing: dict[str, int]
    waiting: frozenset[str]
    is_as_stated: bool


@dataclass
class RecordingLogger:
    """A logger that keeps warnings and their times."""

    now: float = 0.0
    warnings: list[tuple[float, str]] = field(default_factory=list)

    def info(self, _text: str) -> None:
        """Keep nothing: all is well."""

    def warning(self, text: str) -> None:
        """Keep a warning."""
        self.warnings.append((self.now, text))


@dataclass(frozen=True, eq=False)
class Replay:
    """What the estimator made of a log.

    Parameters
    ----------
    snapshots : tuple of Snapshot
        What was to be seen every second, and at the end, all samples fitted together.
    warnings : tuple of (float, str)
        Warnings, and when they came, s.
    result : Result
        Result at the end.
    batch : Result, optional
        That of ``identify``, where it was asked for, too.
    """

    snapshots: tuple[Snapshot, ...]
    warnings: tuple[tuple[float, str], ...]
    result: Result
    batch: Result | None = None


class NodelessEstimator:
    """The estimator node without topics, services and threads.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    settings : IdentifySettings
        Its settings.

    Raises
    ------
    ConfigurationError
        If settings contradict each other or the robot.
    """

    def __init__(self, model: RobotModel, settings: IdentifySettings) -> None:
        needs = settings.method_type().needs.of_robot(len(model.joints), len(model.wheels))
        self._log = RecordingLogger()
        self._intake: Intake = sensor_intake(
            model,
            needs,
            first_source(settings, needs),
            settings.alignment,
            frozen_samples=settings.frozen_samples,
            turns_by_itself=settings.turns_by_itself,
            imu_frame=settings.imu_frame,
            logger=self._log,
        )
        self._feed = LiveFeed(model, settings, needs, self._intake, self._log)
        self._relative_std = settings.of_method.prior.relative_std
        self._state = self._feed.fresh_state()
        self._defects: frozenset[str] = frozenset()
        self._due = -math.inf

    def take(self, arrival: float, reading: Reading) -> None:
        """Take a reading, and update the estimate when that is due."""
        self._log.now = arrival
        self._intake.take(reading)
        if arrival >= self._due:
            self._due = arrival + _UPDATE
            self._update(arrival)

    def take_plain(self, streams: Sequence[Batch]) -> bool:
        """Take all but the last messages of fast sensors at once, if all are good.

        Parameters
        ----------
        streams : sequence of JointStream, ImuStream, PoseStream or TwistStream
            What came since, two messages of each at least; the last ones are to be taken next.

        Returns
        -------
        bool
            Whether they were taken; if not, none was.
        """
        return take_plain(streams, self._intake)

    def run(self, messages: Sequence[Arrived]) -> Replay:
        """Take all messages in order of arrival, with updates and looks between them."""
        look = messages[0].arrival if messages else 0.0
        snapshots = []
        for arrival, reading in messages:
            self.take(arrival, reading)
            if arrival >= look:
                look = arrival + _PUBLISH
                snapshots.append(self._snapshot(self.result()))
        self._update(self._log.now)
        self._change(refined)
        result = self.result(with_links=True)
        return Replay((*snapshots, self._snapshot(result)), tuple(self._log.warnings), result)

    def _update(self, now: float) -> None:
        """Take the samples that have become complete, as the node does."""
        if self._feed.changes_source(now):
            self._state = self._feed.fresh_state()
        block = self._intake.samples()
        if block is None or not len(block):
            return
        if self._feed.heeds_first_messages():
            self._state = self._feed.fresh_state()
        for message in self._feed.watch(block):
            self._log.warning(message)
        self._change(lambda state: absorb(state, block))
        if self._feed.has_come_to_rest(block, self._state):
            self._change(refined)

    def _change(self, change: Callable[[Identification], Identification]) -> None:
        """Change the state; as in the node, a change that fails is skipped with a warning."""
        try:
            self._state = change(self._state)
        except Exception as error:
            name = type(error).__name__
            self._log.warning(f'update failed and was skipped: {name}: {error}')

    def result(self, *, with_links: bool = False) -> Result:
        """Return the result now; links that can exist are looked for on request."""
        state, links = self._state, None
        if with_links and state.samples:
            links = consistent_links(state.method, state.estimate(), self._relative_std)
        result = Result.of_state(state, self._intake.last_positions, self._defects, links=links)
        self._defects = frozenset(each.kind for each in result.defects)
        return self._feed.judged(result)

    def _snapshot(self, result: Result) -> Snapshot:
        quality = result.quality
        return Snapshot(
            time=self._log.now,
            defects=frozenset(each.kind for each in result.defects),
            samples=result.estimate.samples,
            misfits=self._state.rejected,
            changes=result.changes,
            missing={each.topic: each.missing for each in self._intake.statistics.values()},
            waiting=frozenset(self._intake.alignment.waiting_for()),
            is_as_stated=quality is None or quality.is_as_stated,
        )

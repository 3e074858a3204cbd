"""One stream of stamped samples: what comes in is judged before anything is touched."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

TOPICS = {
    'joints': 'joint_states',
    'gyro': 'imu/data',
    'velocity': 'base_twist',
    'pose': 'base_pose',
    'torque': 'efforts',
    'wrench': 'base_wrench',
}
"""What brings each stream."""


class Need(Enum):
    """What a stream is for a method."""

    NEEDED = 'needed'
    USED = 'used'
    UNUSED = 'unused'

    def __bool__(self) -> bool:
        """Whether the stream is used at all."""
        return self is not Need.UNUSED


@dataclass(frozen=True)
class StreamNeeds:
    """What a method takes from the sensors; without what is needed there is no sample.

    Parameters
    ----------
    joints : Need
        Joint states, wheels among them; they give the times of the samples, or poses do where
        joint states are not used.
    gyro : Need
        Angular velocity of the base.
    velocity : Need
        Linear velocity of the base: measured where it is needed; where it is only used, it is
        made from poses as long as it is not measured.
    pose : Need
        Position and attitude of the base.
    torque : Need
        Torques of the joints' motors.
    wrench : Need
        Wrenches on the base, as its actuators give them or as they are asked for.
    thrust : Need
        Commands of the base's thrusters, in place of wrenches, where the robot has some.
    rates : Need
        Rates of the joints among their states; where they are only used, positions give them if
        they are not measured.
    own_stamps : bool
        Whether every reading stays at its own stamp, and nothing is interpolated.
    in_part : bool
        Whether samples count in which either the gyro or the velocity has a hole.
    """

    joints: Need = Need.NEEDED
    gyro: Need = Need.NEEDED
    velocity: Need = Need.USED
    pose: Need = Need.USED
    torque: Need = Need.UNUSED
    wrench: Need = Need.UNUSED
    thrust: Need = Need.UNUSED
    rates: Need = Need.NEEDED
    own_stamps: bool = False
    in_part: bool = False

    @property
    def lacks_rates(self) -> bool:
        """Whether joint states may come without rates."""
        return self.own_stamps or self.rates is not Need.NEEDED

    def of_robot(self, joints: int, wheels: int) -> 'StreamNeeds':
        """Return what is needed of a robot: without joints and wheels there are no joint states.

        A method that brings streams to common times takes them from joint states all the same.
        """
        if joints or wheels or not self.own_stamps:
            return self
        return replace(self, joints=Need.UNUSED)


FREE_FLYER = StreamNeeds(
    joints=Need.UNUSED,
    gyro=Need.UNUSED,
    velocity=Need.UNUSED,
    pose=Need.NEEDED,
    wrench=Need.NEEDED,
)
"""Of a method for one rigid body: poses, and the wrenches between them."""


LARGEST = 1e15
"""Largest number, in any unit, that a sensor can mean: products of larger ones overflow."""

_LATELY = 65
"""Stamps that show how far apart samples are."""

_PAUSE = 5.0
"""Times the middle one beyond which a distance of stamps is a pause."""

_STRAYS = 5
"""Stamps in a row, all a little behind the last good one, that show a clock put back."""


class Verdict(Enum):
    """What became of a sample, as a text for logs and diagnostics."""

    ACCEPTED = 'accepted'
    NOT_FINITE = 'has NaN or infinity'
    TOO_LARGE = 'is too large to be measured'
    ZERO_STAMP = 'has no stamp'
    DUPLICATE = 'has the stamp of the sample before'
    OUT_OF_ORDER = 'is older than the sample before'
    FAR_STAMP = 'has a stamp far from the sample before'
    CLOCK_JUMPED = 'goes on from others after a jump of the clock'

    @property
    def is_taken(self) -> bool:
        """Whether the sample was taken in."""
        return self in (Verdict.ACCEPTED, Verdict.CLOCK_JUMPED)


class Stream:
    """A bounded buffer of samples in the order of their stamps.

    A stamp far from the one before is taken for an error, until the next sample follows it
    closely: then the clock has jumped, what is buffered belongs to another time and is dropped.
    Samples a little behind the one before may have been overtaken on their way; some in a row
    that follow each other have not, the clock was put back.

    Parameters
    ----------
    width : int
        Numbers per sample.
    capacity : int
        Samples kept; older ones are dropped and counted.
    longest_gap : float
        Largest step of the stamps that counts as the stream going on, s.
    optional : int
        Numbers at the end of a sample that may be missing: NaN.

    Attributes
    ----------
    required : int
        Numbers at its begin that may not.
    """

    def __init__(
        self, width: int, capacity: int = 2000, longest_gap: float = 1.0, optional: int = 0
    ) -> None:
        self.width = width
        self.required = width - optional
        self.longest_gap = longest_gap
        self.counts: Counter[Verdict] = Counter()
        self.dropped = 0
        self._stamps: deque[float] = deque(maxlen=capacity)
        self._values: deque[NDArray[np.float64]] = deque(maxlen=capacity)
        self._last: float | None = None
        self._stray: float | None = None
        self._strays = 0
        self._lately: deque[float] = deque(maxlen=_LATELY)
        self._interval: float | None = None

    def __len__(self) -> int:
        """Return the number of samples buffered."""
        return len(self._stamps)

    @property
    def latest(self) -> float:
        """Stamp of the last sample accepted, s; minus infinity before the first."""
        return -np.inf if self._last is None else self._last

    @property
    def interval(self) -> float:
        """Mean distance of the latest stamps, s, a pause left out; NaN where there are too few."""
        if self._interval is None:
            self._interval = _usual_step(np.array(self._lately))
        return self._interval

    @property
    def latest_count(self) -> int:
        """Number of stamps that the interval is found from."""
        return len(self._lately)

    @property
    def last_stamps(self) -> tuple[float, ...]:
        """Stamps of the last two samples buffered, s, or of fewer."""
        return tuple(self._stamps[k] for k in range(-min(2, len(self._stamps)), 0))

    @property
    def last(self) -> NDArray[np.float64] | None:
        """Last sample buffered, shape (width,)."""
        return self._values[-1] if self._values else None

    @property
    def stamps(self) -> NDArray[np.float64]:
        """Stamps of the samples buffered, ascending, s."""
        return np.array(self._stamps)

    @property
    def values(self) -> NDArray[np.float64]:
        """Samples buffered, shape (N, width)."""
        return np.array(self._values).reshape(-1, self.width)

    def push(self, stamp: float, values: ArrayLike) -> Verdict:
        """Judge a sample, and keep it if it is good.

        Parameters
        ----------
        stamp : float
            Time, s.
        values : array_like, shape (width,)
            Sample.

        Returns
        -------
        Verdict
            ``ACCEPTED`` or ``CLOCK_JUMPED`` where it was kept; after a jump it is the only one.
        """
        values = np.asarray(values, dtype=float)
        verdict = self._judge(stamp, values)
        self.counts[verdict] += 1
        if verdict is Verdict.CLOCK_JUMPED:
            self.clear()
        if verdict.is_taken:
            self._keep((stamp,), (values,))
        return verdict

    def extend(self, stamps: Sequence[float], values: NDArray[np.float64]) -> None:
        """Keep samples that are known to be good, as ``push`` would keep them one by one.

        Parameters
        ----------
        stamps : sequence of float
            Times, s; ascending, and after those that are there.
        values : ndarray, shape (N, width)
            Samples.
        """
        if len(stamps):
            self.counts[Verdict.ACCEPTED] += len(stamps)
            self._keep(stamps, values)

    def _keep(
        self, stamps: Sequence[float], values: Sequence[NDArray[np.float64]] | NDArray[np.float64]
    ) -> None:
        """Keep good samples, at least one."""
        self.dropped += max(len(self._stamps) + len(stamps) - self._stamps.maxlen, 0)
        self._stamps.extend(stamps)
        self._values.extend(values)
        self._lately.extend(stamps)
        self._interval = None
        self._last, self._stray = stamps[-1], None

    def drop_before(self, stamp: float, kept: int = 1) -> None:
        """Drop samples older than a stamp, the last older ones kept to interpolate from."""
        while len(self._stamps) > kept and self._stamps[kept] <= stamp:
            self._stamps.popleft()
            self._values.popleft()

    def drop_through(self, stamp: float) -> None:
        """Drop all samples up to a stamp."""
        while self._stamps and self._stamps[0] <= stamp:
            self._stamps.popleft()
            self._values.popleft()

    def clear(self) -> None:
        """Drop everything, counters apart."""
        self._stamps.clear()
        self._values.clear()
        self._lately.clear()
        self._interval = None
        self._last = self._stray = None

    def _judge(self, stamp: float, values: NDArray[np.float64]) -> Verdict:
        """Return what a sample is worth."""
        required = values[: self.required]
        if not (required @ required <= LARGEST and math.isfinite(stamp)):  # seldom: look closely
            largest = np.abs(required).max(initial=0.0)
            if not (math.isfinite(stamp) and math.isfinite(largest)):
                return Verdict.NOT_FINITE
            if largest > LARGEST:
                return Verdict.TOO_LARGE
        if stamp <= 0.0:
            return Verdict.ZERO_STAMP
        if self._last is None:
            return Verdict.ACCEPTED
        step = stamp - self._last
        if step == 0.0:
            return Verdict.DUPLICATE
        return Verdict.ACCEPTED if 0.0 < step <= self.longest_gap else self._judge_stray(stamp)

    def _judge_stray(self, stamp: float) -> Verdict:
        """Return whether a stamp that does not go on is an error or the clock has jumped."""
        follows = self._stray is not None and 0.0 < stamp - self._stray <= self.longest_gap
        self._stray, self._strays = stamp, self._strays + 1 if follows else 1
        is_far = abs(stamp - self._last) > self.longest_gap
        if self._strays >= (2 if is_far else _STRAYS):
            return Verdict.CLOCK_JUMPED
        return Verdict.FAR_STAMP if is_far else Verdict.OUT_OF_ORDER


def _usual_step(stamps: NDArray[np.float64]) -> float:
    """Return the mean step of stamps, s, a pause left out; NaN where there are too few."""
    if len(stamps) < 3:
        return math.nan
    steps = np.diff(stamps)
    return float(np.minimum(steps, _PAUSE * np.median(steps)).mean())

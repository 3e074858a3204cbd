"""Buffers of the streams that samples are made of, what a sample needs, and their rates."""

from collections import Counter
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.record import HeldSignal, JUST_BEFORE
from spacerobot_id.measurement.signal.resampling import AVERAGED
from spacerobot_id.measurement.stream import Need, Stream, StreamNeeds, Verdict
from spacerobot_id.model import Propellers
from spacerobot_id.settings import parameter

_LATE = 0.3
"""Time that a wrench may come after the sample that it answers, s: samples wait for it."""

_PACED = 8
"""Stamps of a stream from which on its rate is known well."""

_SURELY = 3.0
"""Ratio of the intervals of two streams that no few stamps have by chance."""

_NEIGHBOURS = 2.5
"""Times the usual distance of a stream's samples within which two are neighbours."""

_FURTHEST, _RAREST, _JITTER = 0.15, 0.25, 1.25
"""Largest distance of neighbours, s, and that of those that come as rarely all along, within a
share: motions cannot be interpolated across more."""

_SLOWEST, _FEW = 0.11, 4.0
"""Longest distance that a few others are averaged for, s, and how many are more than a few: their
windows are 3.5 times as long."""


class HeldHistory:
    """Rows of numbers that hold from their stamps on, each until the next; zeros before.

    Parameters
    ----------
    width : int
        Numbers per row.
    capacity : int
        Rows buffered.

    Attributes
    ----------
    in_world : bool
        Whether they are in inertial axes.
    """

    def __init__(self, width: int, capacity: int) -> None:
        self.stream = Stream(width, capacity, np.inf)
        self.in_world = False
        self._before = np.zeros(width)

    def complete_until(self, now: float) -> float:
        """Return the time up to which all must have come when samples are at a time."""
        return max(now - _LATE, self.stream.latest)

    def take(self, times: NDArray[np.float64]) -> HeldSignal:
        """Return what holds from the first of some times on; forget what no later one needs."""
        stamps, values = self.stream.stamps, self.stream.values
        if not len(stamps) or stamps[0] > times[0]:
            begin = np.append(times[0], stamps).min() - JUST_BEFORE
            stamps, values = np.append(begin, stamps), np.vstack([self._before, values])
        held = HeldSignal(stamps, values, self.in_world)
        self._before = held.at(times[-1:])[0]
        self.stream.drop_before(times[-1])
        return held

    def clear(self) -> None:
        """Drop everything; zeros hold until the next."""
        self.stream.clear()
        self._before = np.zeros_like(self._before)


class WrenchHistory(HeldHistory):
    """Wrenches that act from their stamps on, each until the next.

    What acts is what the actuators report they gave, where they do; else the wrench asked for,
    cut down to what the propellers can give. Before the first wrench there is none.

    Parameters
    ----------
    propellers : Propellers, optional
        Actuators of the base; without limits if None.
    capacity : int
        Wrenches buffered.
    """

    def __init__(self, propellers: Propellers | None, capacity: int) -> None:
        super().__init__(6, capacity)
        self._propellers = propellers
        self._is_applied = False

    @property
    def acting(self) -> NDArray[np.float64]:
        """Wrench that acts now, N and N m in base axes, shape (6,)."""
        last = self.stream.last
        return self._before if last is None else last

    def push_commanded(self, stamp: float, wrench: NDArray[np.float64]) -> Verdict:
        """Take a wrench asked for, N and N m in base axes; unused where applied ones come."""
        if self._is_applied:
            return Verdict.ACCEPTED
        given = wrench if self._propellers is None else self._propellers.given(wrench)
        return self.stream.push(stamp, given)

    def push_applied(self, stamp: float, wrench: NDArray[np.float64]) -> Verdict:
        """Take a wrench that the actuators gave, N and N m in base axes."""
        if not self._is_applied:
            self._is_applied = True
            self.stream.clear()
        return self.stream.push(stamp, wrench)


class VelocitySource(Enum):
    """Where the base's linear velocity comes from."""

    TWIST = 'base_twist'
    POSE = 'base_pose'


@dataclass(frozen=True)
class AlignmentSettings:
    """How streams are aligned."""

    capacity: int = parameter(
        2000,
        'Samples buffered per topic while the others come.',
        key='buffer_size',
        minimum=100,
        read_only=True,
    )
    longest_gap: float = parameter(
        1.0,
        'Largest step between two stamps of a topic before its clock has jumped, s.',
        minimum=0.01,
        read_only=True,
    )
    longest_bracket: float = parameter(
        0.025,
        'Distance of two samples that may always be interpolated between, s; twice and a half the '
        "usual distance of a topic's messages may be, too.",
        minimum=0.001,
        read_only=True,
    )
    most_rate: float = parameter(
        125.0,
        'Most samples per second; messages that come faster are averaged, Hz.',
        minimum=1.0,
        read_only=True,
    )
    window: int = parameter(
        21,
        'Samples of the local polynomial that turns base_pose into a velocity; odd.',
        key='velocity_window',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )


class Buffers:
    """Buffers of joints, gyro, pose, twist and wrench.

    Parameters
    ----------
    joints, wheels : int
        Numbers of joints and wheels.
    source : VelocitySource
        Where the linear velocity comes from, if it is used.
    settings : AlignmentSettings
        Bounds.
    needs : StreamNeeds
        Streams that a sample needs, and those that it may have.
    propellers : Propellers, optional
        What gives the wrenches that are asked for.
    thrusters : int
        Number of thrusters, whose commands are taken where the method uses them.

    Attributes
    ----------
    unaligned : int
        Samples without others around them.
    jumps : int
        Jumps of the clock that gives the times.
    until, poses_until : float
        Times up to which samples were made, and up to which poses counted on their own, s.
    put_back : bool
        Whether the clock that gives the times was put back since the last samples.
    ahead : float
        Time by which samples are later than stamped, since the clock was put back, s.
    latest : float
        Time of the last sample, s.
    expected : set of str
        Names of the streams that are known to come: their columns are there from the first sample
        on. Those that are needed are; another has its column once it has come.
    noise : dict of str to ndarray
        Standard deviations of the noise of streams as they are stated, by component.
    used : dict
        Stamps of the samples buffered that were used lately, and how often, by stream.
    outlying : Counter of str
        Samples of averaged streams that were left out as outliers since last asked, by stream.
    judged : dict of str to float
        Times until which these are counted, s.
    """

    def __init__(
        self,
        joints: int,
        wheels: int,
        source: VelocitySource = VelocitySource.TWIST,
        settings: AlignmentSettings = AlignmentSettings(),
        needs: StreamNeeds = StreamNeeds(),
        propellers: Propellers | None = None,
        thrusters: int = 0,
    ) -> None:
        self.source = source
        self.settings = settings
        self.needs = needs
        self.unaligned = self.jumps = 0
        self.noise: dict[str, NDArray[np.float64]] = {}
        self.used: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self.outlying: Counter[str] = Counter()
        self.judged: dict[str, float] = {}
        self.joints = joints
        self.until = self.poses_until = -np.inf
        self.put_back, self.ahead, self.latest = False, 0.0, -np.inf
        self.with_torque = joints * (needs.torque is not Need.UNUSED)
        self.wrenches = WrenchHistory(propellers, settings.capacity)
        capacity, gap = settings.capacity, settings.longest_gap
        width = 2 * joints + wheels + self.with_torque
        optional = self.with_torque * (needs.torque is Need.USED)
        optional += joints * needs.lacks_rates
        self.streams = {
            'joint_states': Stream(width, capacity, gap, optional),
            'imu': Stream(3, capacity, gap),
            'base_pose': Stream(7, capacity, gap),
            'base_twist': Stream(3, capacity, gap),
        }
        if needs.wrench:
            self.streams['base_wrench'] = self.wrenches.stream
        self.thrust = HeldHistory(thrusters, capacity) if needs.thrust and thrusters else None
        if self.thrust is not None:
            self.streams['thruster_commands'] = self.thrust.stream
        self.expected = {name for name, need in self._of_samples().items() if need is Need.NEEDED}

    @property
    def times_from(self) -> str:
        """Name of the stream that gives the times of the samples."""
        return 'joint_states' if self.needs.joints else 'base_pose'

    @property
    def pending(self) -> int:
        """Number of joint states, or poses, that no sample was looked for at yet."""
        return int(np.sum(self.streams[self.times_from].stamps > self.until))

    def push_joints(
        self,
        stamp: float,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        wheel_rates: NDArray[np.float64],
        torque: NDArray[np.float64] | None = None,
    ) -> Verdict:
        """Take joint positions (rad or m), joint rates, wheel rates (rad/s), torques (N m)."""
        parts = [q, wheel_rates, qd]
        if self.with_torque:
            parts.append(np.full(self.with_torque, np.nan) if torque is None else torque)
            if 'torque' not in self.expected and np.isfinite(parts[-1]).any():
                self.expected.add('torque')
        return self._push('joint_states', stamp, np.concatenate(parts))

    def push_gyro(self, stamp: float, angular_velocity: NDArray[np.float64]) -> Verdict:
        """Take an angular velocity of the base in base axes, rad/s."""
        return self._push('imu', stamp, angular_velocity)

    def push_pose(
        self, stamp: float, position: NDArray[np.float64], attitude: NDArray[np.float64]
    ) -> Verdict:
        """Take a position (m) and a unit quaternion x y z w of the base."""
        before = self.streams['base_pose'].last
        if before is not None and before[3:] @ attitude < 0.0:
            attitude = -attitude
        return self._push('base_pose', stamp, np.concatenate([position, attitude]))

    def push_linear_velocity(self, stamp: float, velocity: NDArray[np.float64]) -> Verdict:
        """Take a linear velocity of the base in base axes, m/s."""
        return self._push('base_twist', stamp, velocity)

    def waiting_for(self) -> tuple[str, ...]:
        """Return the streams that hold the others up: silent, or with a clock of their own."""
        latest = {name: self.streams[name].latest for name in self.needed()}
        received = [stamp for stamp in latest.values() if np.isfinite(stamp)]
        now = np.median(received) if received else 0.0
        late = self.settings.longest_gap
        return tuple(name for name, stamp in latest.items() if not abs(stamp - now) <= late)

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        for stream in self.streams.values():
            stream.clear()
        self.wrenches.clear()
        if self.thrust is not None:
            self.thrust.clear()
        self.until = self.poses_until = -np.inf

    def needed(self) -> tuple[str, ...]:
        """Return the streams without which there is no sample, the one of the times first."""
        names = [self.times_from]
        names += [name for name, need in self._of_samples().items() if need is Need.NEEDED]
        is_made = bool(self.needs.velocity) and not self.needs.own_stamps
        names += [self.source.value] * is_made
        return tuple(name for name in dict.fromkeys(names) if name in self.streams)

    def awaited(self) -> tuple[str, ...]:
        """Return the streams that a sample waits for: needed, or of use and still coming."""
        needed = self.needed()
        now = min(self.streams[name].latest for name in needed)
        used = [name for name, need in self._of_samples().items() if need is Need.USED]
        used = [name for name in used if name in self.streams and name not in needed]
        late = self.settings.longest_gap
        return needed + tuple(name for name in used if now - self.streams[name].latest <= late)

    def has_come(self, name: str) -> bool:
        """Return whether a stream has had a good sample."""
        return self.streams[name].counts[Verdict.ACCEPTED] > 0

    def _push(self, name: str, stamp: float, values: NDArray[np.float64]) -> Verdict:
        """Push a sample; after a jump of the clock, drop what is of the time before."""
        stream = self.streams[name]
        before = stream.latest
        verdict = stream.push(stamp, values)
        if verdict is Verdict.CLOCK_JUMPED:
            self.jumps += name == self.times_from
            cleared = {name}
            for key, other in self.streams.items():
                if abs(other.latest - before) < abs(other.latest - stamp):
                    other.clear()
                    cleared.add(key)
            if self.times_from in cleared:
                self.until = -np.inf
                self.put_back |= stamp < before
            if 'base_pose' in cleared:
                self.poses_until = -np.inf
            for history in (self.wrenches, self.thrust):
                if history is not None and not len(history.stream):
                    history.clear()
        return verdict

    def _of_samples(self) -> dict[str, Need]:
        """Return what the streams are for a sample, by name."""
        needs = self.needs
        return {'imu': needs.gyro, 'base_pose': needs.pose, 'torque': needs.torque}

    @property
    def spacing(self) -> float:
        """Usual distance of samples: of the slowest stream but poses, s.

        A stream that is slow, and others hardly faster, as where its messages are lost, counts
        where it is read: to average a few of these over as long would cost more than it gains.
        """
        intervals = [self.streams[name].interval for name in self._pacing()]
        known = [each for each in intervals if np.isfinite(each)]
        least = min(known, default=0.0)
        known = [each for each in known if each <= max(_SLOWEST, least) or each > _FEW * least]
        return max([*known, 1.0 / self.settings.most_rate])

    @property
    def apart(self) -> float:
        """Usual distance of poses that count at their own stamps, s; 0 if they do not."""
        if not (self.needs.joints and self.needs.pose):
            return 0.0
        interval = self.streams['base_pose'].interval
        slower_by = self._slower_by('base_pose', *self._pacing())
        return interval if interval > slower_by * self.spacing else 0.0

    def averaged_over(self, spacing: float) -> float:
        """Return the distance of samples if some stream is averaged around them, else 0."""
        fastest = [self.streams[name].interval for name in self.awaited()]
        return spacing if any(spacing > AVERAGED * each for each in fastest) else 0.0

    def thinned(self, stamps: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
        """Return the stamps of joint states that samples are made at."""
        stamps = stamps[stamps > self.until]
        interval = self.streams['joint_states'].interval
        if not spacing > self._slower_by(*self._pacing()) * interval:
            return stamps
        chosen, last = [], self.until
        for stamp in stamps.tolist():
            if stamp - last > spacing - 0.5 * interval:
                chosen.append(stamp)
                last = stamp
        return np.array(chosen)

    def bracket(self, name: str) -> float:
        """Return how far apart two samples of a stream may be that are interpolated between, s."""
        interval = self.streams[name].interval
        most = max(_FURTHEST, min(_JITTER * interval, _RAREST))
        near = min(_NEIGHBOURS * interval, most) if np.isfinite(interval) else 0.0
        return max(self.settings.longest_bracket, near)

    def _pacing(self) -> list[str]:
        """Return the streams whose rates bound that of the samples."""
        needs = self.needs
        pacing = ['joint_states'] * bool(needs.joints)
        pacing += ['imu'] * (needs.gyro is Need.NEEDED)
        is_measured = bool(needs.velocity) and self.source is VelocitySource.TWIST
        return pacing + ['base_twist'] * is_measured

    def _slower_by(self, *names: str) -> float:
        """Return by how much a stream's interval must be longer than another's to be slower.

        The more, the fewer stamps they are known from.
        """
        known = all(self.streams[name].latest_count > _PACED for name in names)
        return AVERAGED if known else _SURELY


def is_steady(count: int, interval: float, poses: float = np.inf) -> bool:
    """Return whether messages of the twist are a stream that can be followed.

    Parameters
    ----------
    count : int
        How many they are.
    interval : float
        How far apart, s.
    poses : float
        How far apart poses are, which give the velocity where they come far more often, s.
    """
    return count > _PACED and interval <= max(_FURTHEST, min(_JITTER * poses, _RAREST))

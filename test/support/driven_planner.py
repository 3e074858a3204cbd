"""The planner of joints and wheels without ROS: its session, driven by a simulated world.

Controllers follow as joint_trajectory_controllers do: from the state that they are in when a
message comes, by a quintic, or by a cubic where they know no accelerations. What is asked beyond
limits from there on is measured, of the session's commands alone.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest import mock

import numpy as np
from std_srvs.srv import Trigger

from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, largest_range
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.nodes.messages import trajectory_from_message
from spacerobot_id.nodes.planner import session as session_module
from spacerobot_id.nodes.planner.joint_session import JointSession

PERIOD = 0.025
"""Period of joint states, s."""

TICK = 0.1
"""Period of the planner's timer, s."""

_LOOKS = 200


class Log:
    """Keeps what is logged."""

    def __init__(self):
        self.lines = []

    def info(self, text):
        self.lines.append(text)

    warning = error = info


class FakePublisher:
    """Hands messages on, as soon as the world takes them."""

    def __init__(self, topic):
        self.topic_name, self.sent = topic, []

    def publish(self, message):
        self.sent.append(message)

    def get_subscription_count(self):
        return 1


class FakeNode:
    """What a session needs of its node."""

    def __init__(self, settings):
        self.settings, self.is_active, self.log = settings, True, Log()
        self.publishers, self.services, self.counts = {}, {}, {}

    def get_logger(self):
        return self.log

    def create_publisher(self, _type, topic, _qos):
        self.publishers[topic] = FakePublisher(topic)
        return self.publishers[topic]

    def create_service(self, _type, name, answer):
        self.services[name.removeprefix('~/')] = answer

    def create_client(self, *_):
        return None

    def create_timer(self, _period, callback, **_):
        self.tick = callback

    def count_publishers(self, topic):
        return self.counts.get(topic, 1)


class FakeBed:
    """The topics of a robot: joint states, and names as they are."""

    def subscribe(self, _kind, take, _refuse):
        self.take = take

    def theirs(self, names):
        return tuple(names)


@dataclass(eq=False)
class Controller:
    """Follows trajectories of some actuators, and measures what the planner asks of them.

    Parameters
    ----------
    names : tuple of str
        Its m actuators.
    limits : list of JointLimits
        Their limits.
    position : ndarray, shape (m,)
        Where they are.
    knows_accelerations : bool
        Whether it goes to the first point by a quintic, else by a cubic.
    """

    names: tuple
    limits: list
    position: np.ndarray
    knows_accelerations: bool = True
    share: float = 0.0
    worst: str = ''
    taken: list = field(default_factory=list)

    def __post_init__(self):
        rest = TrajectoryMotion.at_rest(self.position, 0.0)
        self._pieces, self._since, self._is_ours = (rest, rest), 0.0, False
        self._split, self._waiting, self._disturbed = 0.0, [], 0.0

    def send(self, trajectory, arrival, seen=None):
        """Let a trajectory come at some time, of the planner with what it had seen by then."""
        self._waiting.append((arrival, trajectory, seen))
        self._waiting.sort(key=lambda each: each[0])

    def at(self, time):
        """Return the motion at a time, taking up what has come by then."""
        while self._waiting and self._waiting[0][0] <= time:
            self._take_up(*self._waiting.pop(0))
        return self._at([time])

    def judge(self, until):
        """Look at what was asked for since the last trajectory was taken up."""
        if self._is_ours:
            times = np.linspace(self._since, min(until, self._pieces[1].end), _LOOKS)
            self._look(self._at(times))

    def _at(self, times):
        times = np.asarray(times)
        if len(times) == 1:
            return self._pieces[int(times[0] >= self._split)].at(times)
        first, later = (piece.at(times) for piece in self._pieces)
        is_first = (times < self._split)[:, None]
        keys = ('position', 'velocity', 'acceleration')
        return JointMotion(
            *(np.where(is_first, getattr(first, key), getattr(later, key)) for key in keys)
        )

    def _take_up(self, time, trajectory, seen):
        self.judge(time)
        is_ours = seen is not None
        now = self._at([time])
        present = JointMotion(now.position[0], now.velocity[0], now.acceleration[0])
        given = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
        head = JointTrajectory(trajectory.names, trajectory.times[:1], *(g[:1] for g in given))
        if not self.knows_accelerations:
            head = JointTrajectory(head.names, head.times, head.positions, head.velocities)
        first = TrajectoryMotion.from_trajectory(head, self.names, present, time)
        later = first
        if len(trajectory.times) > 1:
            order = [trajectory.names.index(name) for name in self.names]
            begin = JointMotion(*(each[0, order] for each in given))
            tail = JointTrajectory(
                trajectory.names,
                trajectory.times[1:] - trajectory.times[0],
                *(g[1:] for g in given),
            )
            later = TrajectoryMotion.from_trajectory(tail, self.names, begin, first.end)
        self._pieces, self._since, self._split = (first, later), time, first.end
        self._begin = present
        if is_ours:  # what another client does while a command is on its way nobody can know
            self._is_ours = seen > self._disturbed
        else:
            self._is_ours, self._disturbed = False, time
        self.taken.append((time, trajectory, is_ours))

    def _look(self, motion):
        begin = self._begin
        for place, (name, limit) in enumerate(zip(self.names, self.limits, strict=True)):
            bend = abs(begin.acceleration[place]) if self.knows_accelerations else 0.0
            half = 0.5 * (limit.upper - limit.lower)
            outside = max(limit.lower - begin.position[place], begin.position[place] - limit.upper)
            path = motion.position[:, place]
            beyond = np.maximum(limit.lower - path, path - limit.upper).max() - max(outside, 0.0)
            shares = {
                'position': 1.0 + beyond / half if np.isfinite(half) else 0.0,
                'rate': np.abs(motion.velocity[:, place]).max()
                / max(limit.velocity, abs(begin.velocity[place])),
                'acceleration': np.abs(motion.acceleration[:, place]).max()
                / max(limit.acceleration, bend),
            }
            for kind, share in shares.items():
                if share > self.share:
                    self.share = share
                    self.worst = f'{name}: {kind} {share:.3f} of a command at {self._since:.3f} s'


class InstantWorker:
    """Plans at once, and says so some time later."""

    seconds, evaluations, error = 0.0, 1, None
    takes = 0.0
    clock = staticmethod(lambda: 0.0)

    def __init__(self, job):
        self.result = job(lambda *_: False)
        self._until = self.clock() + self.takes

    @property
    def is_done(self):
        return self.clock() >= self._until

    def stop(self):
        pass


class DrivenSession(JointSession):
    """Plans what it is told to."""

    def planned_from(self, position):
        raise NotImplementedError

    def _job(self, known):
        super()._job(known)
        plan = self.planned_from(self._joints.positions)
        nothing = np.zeros(0)
        planned = PlannedExcitation(plan, 0.0, 1, (), nothing, (), nothing, 1.0)
        return lambda _progress: planned


class World:
    """A robot, its controllers, and a session that commands them.

    Parameters
    ----------
    model : RobotModel
        Robot.
    planned_from : callable
        From where the actuators are to the plan.
    rng : Generator
        Source of latencies and losses.
    latency : tuple of 2 floats
        Longest time that joint states and commands take, s.
    delay : float
        Time that commands take in any case, s.
    lost, lost_commands : float
        Shares of the joint states and of the commands that are lost.
    noise : float
        Noise of encoders and rates, in seconds at the largest rate; exact if zero.
    knows_accelerations : bool
        Whether controllers do.
    takes : float
        Time that planning takes, s.
    **settings
        Parameters of the planner.
    """

    def __init__(
        self,
        model,
        planned_from,
        rng,
        *,
        latency=(0.0, 0.0),
        delay=0.0,
        lost=0.0,
        lost_commands=0.0,
        noise=1e-5,
        knows_accelerations=True,
        takes=0.0,
        **settings,
    ):
        self.now, self.rng, self.latency, self.lost, self.noise = 100.0, rng, latency, lost, noise
        self.delay, self.lost_commands = delay, lost_commands
        self.names = model.joint_names + model.wheel_names
        self.limits = actuator_limits(model)
        self.rates = np.array([limit.velocity for limit in self.limits])
        self.node, bed = FakeNode(PlannerNodeSettings(**settings)), FakeBed()
        source = SimpleNamespace(models=[model], names=(), is_turning=False)
        with mock.patch.object(session_module, 'EstimateClient', mock.Mock()):
            self.session = DrivenSession(self.node, source, bed, clock=lambda: self.now)
        self.session.planned_from = planned_from
        self.worker = type(
            'Worker', (InstantWorker,), {'takes': takes, 'clock': staticmethod(lambda: self.now)}
        )
        self.controllers, self.events, self._arriving = {}, [], []
        start = np.array([np.clip(0.0, limit.lower, limit.upper) for limit in self.limits])
        for topic, names in self.session._commands.groups.items():
            places = [self.names.index(name) for name in names]
            limits = [self.limits[place] for place in places]
            self.controllers[topic] = Controller(names, limits, start[places], knows_accelerations)
        self._handed = dict.fromkeys(self.controllers, 0)
        self._next_tick, self._bed = self.now, bed
        self.second_source = self.frozen = False
        self._kept, self._last_arrival = None, 0.0
        self.session.activate()

    @property
    def state(self):
        return self.session._state.value

    @property
    def message(self):
        return self.session._message

    @property
    def share(self):
        """The largest share of a limit that was asked for."""
        for each in self.controllers.values():
            each.judge(np.inf)
        return max(each.share for each in self.controllers.values())

    @property
    def worst(self):
        return [each.worst for each in self.controllers.values()]

    def ask(self, verb):
        """Call a service; return success and message."""
        with mock.patch.object(session_module, 'PlanningWorker', self.worker):
            response = self.node.services[verb](Trigger.Request(), Trigger.Response())
        self._hand_over()
        return response.success, response.message

    def deactivate(self):
        """Deactivate the planner."""
        self.node.is_active = False
        self.session.deactivate()
        self._hand_over()

    def at(self, time, action):
        """Do something at a time from now, s."""
        self.events.append((self.now + time, action))
        self.events.sort(key=lambda each: each[0])

    def motion(self):
        """Return where the actuators are, and how they move."""
        parts = [each.at(self.now) for each in self.controllers.values()]
        return [np.concatenate([getattr(part, key)[0] for part in parts])
                for key in ('position', 'velocity')]  # fmt: skip

    def command(self, topic, positions, duration):
        """Let another client send a controller to rest somewhere."""
        names = self.controllers[topic].names
        rest = np.zeros((1, len(names)))
        trajectory = JointTrajectory(
            names, np.array([duration]), np.asarray(positions)[None], rest, rest
        )
        self.controllers[topic].send(trajectory, self.now)

    def run(self, seconds=np.inf, until=()):
        """Let time pass, until the session is in one of some states if that is sooner."""
        end = self.now + seconds
        while self.now < end - 1e-9 and self.state not in until:
            self._step()

    @property
    def is_over(self):
        """Whether nothing is under way, and nothing is to come."""
        is_waiting = any(each._waiting for each in self.controllers.values())
        return not (self.events or is_waiting) and self.state not in (
            *('planning', 'running', 'stopping'),
        )

    def _step(self):
        self.now = round(self.now + PERIOD, 6)
        while self.events and self.events[0][0] <= self.now:
            self.events.pop(0)[1]()
        self._measure()
        while self._arriving and self._arriving[0][0] <= self.now:
            reading = self._arriving.pop(0)[1]
            if self.node.is_active:
                self._bed.take(reading)
                self._hand_over()
        if self.now >= self._next_tick:
            self._next_tick += TICK
            if self.node.is_active:
                with mock.patch.object(session_module, 'PlanningWorker', self.worker):
                    self.node.tick()
                self._hand_over()

    def _measure(self):
        position, rate = self.motion()
        if self.rng.random() < self.lost:
            return
        scale = self.noise * self.rates
        values = [each + scale * self.rng.normal(size=len(scale)) for each in (position, rate)]
        if self.frozen:
            values = self._kept or values
        self._kept = values
        self._deliver(values)
        if self.second_source:
            self._deliver([np.zeros(len(scale))] * 2, 1e-3)

    def _deliver(self, values, later=0.0):
        reading = JointStream(self.now + later, self.now + later, self.names, *values, np.empty(0))
        arrival = self.now + later + self.rng.uniform(0.0, self.latency[0])
        if not later:  # messages of one publisher do not overtake each other
            arrival = self._last_arrival = max(arrival, self._last_arrival)
        self._arriving.append((arrival, reading))
        self._arriving.sort(key=lambda each: each[0])

    def _hand_over(self):
        for topic, controller in self.controllers.items():
            sent = self.node.publishers[topic].sent
            for message in sent[self._handed[topic] :]:
                if self.rng.random() < self.lost_commands:
                    continue
                arrival = self.now + self.delay + self.rng.uniform(0.0, self.latency[1])
                seen = self.session._joints.stamp
                moving = np.abs(controller.at(self.now).velocity).max() > 1e-6
                if self.frozen and moving and not controller._is_ours:
                    seen = -np.inf  # moved by another client unseen: nobody can know
                controller.send(trajectory_from_message(message), arrival, seen)
            self._handed[topic] = len(sent)

    def sent(self):
        """Return how many commands were sent."""
        return sum(len(each.sent) for topic, each in self.node.publishers.items()
                   if topic in self.controllers)  # fmt: skip


def cycloids(model, interval=1.0, share=1.0, seed=0, count=3, plateau=0.0):
    """Return what plans cycloids at a share of the limits, from where the actuators are."""
    limits = actuator_limits(model)
    names = model.joint_names + model.wheel_names
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    ranges = share * np.array([largest_range(limit, interval, plateau) for limit in limits])

    def planned_from(position):
        rng = np.random.default_rng(seed)
        knots = [position]
        for _ in range(count):
            signs = rng.choice([-1.0, 1.0], len(ranges))
            way = signs * ranges
            signs = np.where((knots[-1] + way > upper) | (knots[-1] + way < lower), -signs, signs)
            knots.append(np.clip(knots[-1] + signs * ranges, lower, upper))
        return ExcitationPlan(names, np.array(knots), np.full(count, interval), plateau)

    return planned_from

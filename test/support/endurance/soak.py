"""Motions, grasps, resets, faults and restarts at random, for a long time.

``make soak`` does so for an hour; ``--seconds`` is how long. Memory, logs and estimates are
judged; the exit code is 1 where a claim does not hold.
"""

import argparse
from collections import Counter
import json
from pathlib import Path
import re
import sys
import tempfile
import time

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import ros_domain  # noqa: F401 - sets the environment of this process and of its nodes
from ros_harness import Client
from sensor_msgs.msg import JointState
from small_robot import small_robot_prior

from endurance.crew import Control, Crew, NAMES, small_robot_nodes
from endurance.memory import memory_lines, MemoryWatch
from endurance.recording import batch_fit, Comparison, Recording, streams_of
from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.nodes.common import qos

SPEEDS = (8.0, 4.0, 2.0, 1.0)
"""Real-time factors that are tried, the largest that the machine keeps is taken."""

INTERVALS = 20
"""Intervals of a motion, of a second each."""

SETTLING = 1.0 / 6.0
"""Share of the time in which nodes are restarted, and after which memory is judged."""

_KEPT = 0.95
"""Share of the pace asked for that counts as kept."""

_SEEN = 1.0
"""Time until a planner has seen a robot that was put elsewhere, s: it plans from where it was."""

_EXPECTED = re.compile(r'stopping the motion: joint_states: no message received')
"""Errors in the logs about what was done to the nodes."""


class Soak:
    """What is done to the nodes.

    Parameters
    ----------
    crew : Crew
        Nodes.
    client : Client
        Node of the mission software.
    rng : numpy.random.Generator
        Draws everything.
    keep : Path, optional
        Folder for the messages of motions whose estimate is not that of the batch fit.
    """

    def __init__(
        self, crew: Crew, client: Client, rng: np.random.Generator, keep: Path | None = None
    ) -> None:
        self._crew, self._client, self._rng, self._keep = crew, client, rng, keep
        self._control, self._recording = Control(client), Recording(client)
        self._noise = client.node.create_publisher(
            JointState, 'joint_states', qos.stream_output(10)
        )
        self._loaded, self._doing = False, ''
        self.comparisons: list[Comparison] = []
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []

    @property
    def simulated(self) -> float:
        """Simulated time now, s."""
        return self._control.stamp

    def fastest(self) -> float:
        """Return the largest real-time factor that the machine keeps, and set it."""
        control = self._control
        control.wait_until(lambda: control.stamp > 0.0 and control.report and control.status)
        for speed in SPEEDS:
            self._client.set_parameter('simulator', 'real_time_factor', speed)
            self._spin(1.0)
            wall, stamp = time.monotonic(), control.stamp
            self._spin(5.0)
            if control.stamp - stamp >= _KEPT * speed * (time.monotonic() - wall):
                break
        return speed

    def act(self, *, may_restart: bool) -> None:
        """Do one thing."""
        actions = {
            'motion': (6, self._motion),
            'motion with bad messages': (2, lambda: self._motion(self._bad_messages)),
            'motion that is stopped': (1, lambda: self._motion(self._stop)),
            'motion with a silence': (1, lambda: self._broken_motion(self._silence)),
            'grasp or release in motion': (2, lambda: self._broken_motion(self._grasp)),
            'grasp or release': (2, self._grasp),
            'reset of the simulator': (1, self._put_back),
            'lifecycle': (1, self._lifecycle),
        }
        if may_restart:
            actions['restart'] = (6, self._restart)
        weights = np.array([weight for weight, _ in actions.values()], dtype=float)
        name = self._doing = str(self._rng.choice([*actions], p=weights / weights.sum()))
        actions[name][1]()
        self.done[name] += 1

    # Motions.

    def _motion(self, disturb=None) -> None:
        """Identify from nothing, and compare with the batch fit of what was recorded."""
        control = self._control
        assert control.ask('estimator/reset').success
        self._recording.begin()
        control.start_motion()
        if disturb is not None:
            disturb()
        status = control.wait_for_state('done', 'failed', 'stopped')
        if status['state'] != 'done' and disturb != self._stop:
            self.faults.append(f'motion not done: {status["message"]}')
        readings = self._refined()
        report = control.report
        try:
            fit = batch_fit(small_robot_prior(), readings, longest_gap=5.0).estimate
        except SpaceRobotIdError as error:
            why = f'no batch fit beside {report["samples"]} live samples: {error}'
            self._not_equal(why, readings)
            return
        found = Comparison.of(report, fit)
        self.comparisons.append(found)
        if not found.is_equal:
            came = Counter(type(each.reading).__name__ for each in readings)
            self._not_equal(f'not the batch fit: {found}, {dict(came)}', readings)

    def _not_equal(self, why: str, readings: list) -> None:
        """Note what is wrong with a comparison, and keep what was recorded."""
        if self._keep is not None:
            folder = self._keep / f'motion_{len(self.faults)}'
            try:
                write_bag(folder, streams_of(readings))
                why += f', kept as {folder}'
            except SpaceRobotIdError as error:
                why += f', not kept: {error}'
        self.faults.append(f'{self._doing}: {why}')

    def _broken_motion(self, disturb) -> None:
        """Have a motion during which something happens that no single robot explains.

        Bodies that come and go in motion leave a momentum, and the base moves on: the robot is put
        back at rest.
        """
        self._control.start_motion()
        disturb()
        self._control.wait_for_state('done', 'failed', 'stopped')
        self._put_back()
        assert self._control.ask('estimator/reset').success

    def _refined(self) -> list:
        """Have all samples fitted together; return what was recorded."""
        control = self._control
        end = control.stamp + 2.0
        control.wait_until(lambda: self._recording.has_reached(end))  # it may lag behind the truth
        readings = self._recording.end()
        assert control.ask('estimator/refine').success
        control.report = {}
        control.wait_until(lambda: control.report and not control.report['updates_waiting'])
        return readings

    # What happens meanwhile.

    def _some_time_later(self) -> None:
        later = self._rng.uniform(0.1, 0.7) * self._control.status['duration']
        self._control.wait_for_stamp(self._control.stamp + later)

    def _bad_messages(self) -> None:
        """Publish messages that are to be refused, beside the good ones."""
        self._some_time_later()
        for _ in range(int(self._rng.integers(1, 20))):
            message = JointState(name=['shoulder_left'], position=[np.nan], velocity=[np.inf])
            if self._rng.random() < 0.5:
                message.header.stamp.sec = int(self._control.stamp)
            self._noise.publish(message)

    def _stop(self) -> None:
        self._some_time_later()
        assert self._control.ask('planner/stop_excitation').success

    def _silence(self) -> None:
        """Have the simulator publish nothing until the planner gives the motion up, or is done."""
        self._some_time_later()
        assert self._client.change_state('simulator', 'deactivate')
        self._control.wait_for_state('done', 'stopped', 'failed')
        assert self._client.change_state('simulator', 'activate')

    def _grasp(self) -> None:
        """Attach a body to a link, or release it."""
        if self._control.status.get('state') == 'running':
            self._some_time_later()
        if self._loaded:
            assert self._control.ask('simulator/release_payload').success
        else:
            mass = float(self._rng.uniform(0.2, 2.0))
            self._client.set_parameter('simulator', 'payload_mass', mass)
            assert self._control.ask('simulator/attach_payload').success
        self._loaded = not self._loaded

    def _put_back(self) -> None:
        assert self._control.ask('simulator/reset').success
        self._loaded = False
        self._spin(_SEEN)

    def _lifecycle(self) -> None:
        """Have planner or estimator go through its lifecycle."""
        self._pass_through_lifecycle(str(self._rng.choice(['planner', 'estimator'])))

    def _pass_through_lifecycle(self, name: str) -> None:
        """Have a node forget all, and begin again."""
        for label in ('deactivate', 'cleanup', 'configure', 'activate'):
            if not self._client.change_state(name, label):
                self.faults.append(f'{name}: cannot {label}')

    def _restart(self) -> None:
        """End a node by a signal, and start it again."""
        name, control = str(self._rng.choice(NAMES)), self._control
        code = self._crew.end(name)
        if code:
            self.faults.append(f'{name}: exit code {code}')
        control.stamp, control.status, control.report = -np.inf, {}, {}
        self._crew.start(name)
        self._crew.nodes[name].wait_for_output('effective configuration')
        if name == 'simulator':
            self._loaded = False
        control.wait_until(lambda: control.stamp > 0.0 and control.report)
        if name == 'planner':
            control.wait_until(lambda: control.status)
        else:
            control.status = {'state': 'idle'}
        self._spin(_SEEN)

    def _spin(self, seconds: float) -> None:
        """Handle messages for a while."""
        end = time.monotonic() + seconds
        self._control.wait_until(lambda: time.monotonic() > end)


def errors(log: str) -> list[str]:
    """Return the lines of a log that must not be there, and those of their tracebacks."""
    found, is_error = [], False
    for line in log.splitlines():
        level = re.search(r'\[(DEBUG|INFO|WARN|ERROR|FATAL)\]', line)
        if level is not None:
            is_error = level[1] in ('ERROR', 'FATAL') and not _EXPECTED.search(line)
        if is_error or 'Traceback' in line:
            found.append(line)
    return found


def soak(seconds: float, seed: int, speed: float, keep: Path | None = None) -> list[str]:
    """Run it; print what came of it, return what should not have been."""
    rng, begin = np.random.default_rng(seed), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        parameters = small_robot_nodes(Path(folder), speed or 1.0, INTERVALS)
        with Crew(parameters, 'soak') as crew, Client(namespace='soak') as client:
            run = Soak(crew, client, rng, keep)
            speed = speed or run.fastest()
            parameters['simulator']['real_time_factor'] = speed
            with MemoryWatch(crew) as memory:
                while time.monotonic() - begin < SETTLING * seconds:
                    run.act(may_restart=True)
                memory.begin()
                while time.monotonic() - begin < seconds:
                    run.act(may_restart=False)
                growths = memory.growths(SETTLING * seconds)
        errors_by_node = {name: errors(crew.log(name)) for name in NAMES}
    off = [each.off for each in run.comparisons]
    excess = max((each.excess for each in run.comparisons), default=0.0)
    lacking = [1.0 - min(c.live, c.batch) / max(c.live, c.batch) for c in run.comparisons]
    lines = [
        f'{seconds:.0f} s at {speed:g} times real time, seed {seed}',
        f'done: {json.dumps(run.done)}',
        f'{len(off)} motions compared with the batch fit of their messages: at most '
        f'{max(off, default=0.0):.3f} standard deviations apart, while one of them lacked '
        f'{100.0 * max(lacking, default=0.0):.2f} % of the samples at most; nearest to what that '
        f'may make: {excess:+.3f} standard deviations',
        f'errors in the logs: {sum(map(len, errors_by_node.values()))}',
        *memory_lines(growths),
    ]
    sys.stdout.write('\n'.join(lines) + '\n')
    faults = run.faults + [line for found in errors_by_node.values() for line in found]
    return faults + [f'{name} grows' for name, each in growths.items() if not each.is_flat]


def main() -> int:
    """Soak; return 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=3600.0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--speed', type=float, default=0.0, help='the largest kept by default')
    parser.add_argument('--keep', type=Path, help='folder for the messages of faulty motions')
    given = parser.parse_args()
    if given.keep is not None:
        given.keep.mkdir(parents=True)
    faults = soak(given.seconds, given.seed, given.speed, given.keep)
    sys.stdout.write(''.join(f'{each}\n' for each in faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

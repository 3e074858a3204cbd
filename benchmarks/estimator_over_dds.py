"""The estimator node over DDS: joints and gyro at 1 kHz, poses at 100 Hz, along a motion of 67 s.

A process of its own publishes what sensors of the dual-arm robot see, each message at its time,
and this one asks for the estimate ten times a second. Printed are the node's share of a core,
messages that were lost, the age of the estimate (from the stamp of its last sample to the answer)
and how long ``~/get_estimate`` takes. The peer is a node that does nothing but count the same
messages, before. Run with ``python benchmarks/estimator_over_dds.py [SECONDS [NAME:=VALUE ...]]``,
parameters of the estimator after the duration.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import subprocess
import sys
import time

from accuracy import PLANS
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
import numpy as np
from rcl_interfaces.srv import GetParameters
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from timing import dual_arm, print_machine, print_table, ROBOTS

from spacerobot_id.excitation import load_plan
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import imu_message, joint_state_message, pose_message
from spacerobot_id.nodes.mission.node import known_client
from spacerobot_id.simulation.kinematic_simulation import integrate_base, StepTwists

RATE, POSE_RATE = 1000, 100
TOPICS = {'joint_states': JointState, 'imu/data': Imu, 'base_pose': PoseStamped}
STAMP = slice(4, 12)
"""Where a serialised message has its stamp: seconds and nanoseconds."""

SCRIPT = str(Path(__file__))
LONGEST = 67.0
"""Duration of the motion, s."""

QUESTIONS = 10.0
"""Questions for the estimate per second."""

_BEFORE = 2.5
"""Time before the end of the motion that questions end, s; they begin after the first second."""


def serialised(seconds: float) -> Iterator[tuple[float, str, bytearray]]:
    """Yield time, topic and message of everything that sensors see, in the order of time."""
    robot, plan, rng = dual_arm(), load_plan(PLANS / 'dual_arm.yaml'), np.random.default_rng(0)
    times = np.arange(0.0, min(seconds, plan.duration), 1.0 / RATE)
    motion, n = plan.sample(times), len(robot.joints)
    q, qd, wheels = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    twist = base_twist_from_momentum(robot, q, qd, wheels)
    within = StepTwists(twist[:-1], 0.5 * (twist[:-1] + twist[1:]), twist[1:])
    path = integrate_base(np.zeros(3), [0.0, 0.0, 0.0, 1.0], np.diff(times), within)
    place = np.vstack([np.zeros(3), path.positions])
    attitude = np.vstack([[0.0, 0.0, 0.0, 1.0], path.attitudes])
    noise, names = robot.noise, robot.joint_names + robot.wheel_names
    std = noise.base_angular_velocity
    rates = qd + noise.joint_rate * rng.normal(size=qd.shape)
    place = place + noise.base_position * rng.normal(size=place.shape)
    gyro = twist[:, 3:] + std * rng.normal(size=(len(times), 3))
    for k, at in enumerate(times):
        motors = np.hstack([rates[k], wheels[k]])
        joints = joint_state_message(0.0, names, motion.position[k], motors)
        yield at, 'joint_states', bytearray(serialize_message(joints))
        imu = imu_message(0.0, robot.links[0].name, gyro[k], std)
        yield at, 'imu/data', bytearray(serialize_message(imu))
        if k % (RATE // POSE_RATE) == 0:
            pose = pose_message(0.0, 'world', place[k], attitude[k])
            yield at, 'base_pose', bytearray(serialize_message(pose))


def publish(seconds: float) -> None:
    """Publish the motion once all subscribers are there, and print how late that was."""
    rclpy.init()
    node = Node('sensors')
    publishers = {
        topic: node.create_publisher(kind, topic, qos.stream_output(1000))
        for topic, kind in TOPICS.items()
    }
    messages = list(serialised(seconds))
    while any(each.get_subscription_count() < 1 for each in publishers.values()):
        time.sleep(0.05)
    time.sleep(1.0)
    latest, begin = _publish_in_time(messages, publishers)
    sent = {topic: sum(each[1] == topic for each in messages) for topic in TOPICS}
    print(json.dumps({'begin': begin, 'latest': latest, 'sent': sent}), flush=True)
    sys.stdin.readline()


def _publish_in_time(
    messages: list[tuple[float, str, bytearray]], publishers: dict[str, Publisher]
) -> tuple[float, float]:
    """Publish messages, stamped as due; return how late the latest was, and the begin."""
    begin, latest = time.time() + 0.1, 0.0
    for at, topic, message in messages:
        due = begin + at
        while (wait := due - time.time()) > 0.0:
            time.sleep(wait)
        latest = max(latest, -wait)
        nanoseconds = round(due * 1e9)
        stamp = np.array([nanoseconds // 10**9, nanoseconds % 10**9], dtype='<u4')
        message[STAMP] = stamp.tobytes()
        publishers[topic].publish(bytes(message))
    return latest, begin


@dataclass
class Received:
    """What is received from the estimator."""

    ages: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    report: dict = field(default_factory=dict)
    diagnostics: dict[str, dict[str, str]] = field(default_factory=dict)

    def take_report(self, message: String) -> None:
        """Note an estimate."""
        self.report = json.loads(message.data)

    def take_diagnostics(self, message: DiagnosticArray) -> None:
        """Note counters by topic."""
        for status in message.status:
            name = status.name.rpartition(': ')[2]
            self.diagnostics[name] = {each.key: each.value for each in status.values}


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen]:
    """Run a process until the end of the context."""
    pipe = subprocess.PIPE
    running = subprocess.Popen(
        [sys.executable, *command], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.communicate(timeout=10.0)
        except subprocess.TimeoutExpired:  # rclpy.spin may sleep on after a signal
            running.kill()
            running.communicate()


def cpu_seconds(running: subprocess.Popen) -> float:
    """Return the processor time that a process has used, s."""
    fields = Path(f'/proc/{running.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def count() -> None:
    """Do nothing with the messages but count them."""
    rclpy.init()
    node, counts = Node('counter'), dict.fromkeys(TOPICS, 0)

    def counting(topic: str) -> Callable[[object], None]:
        def on_message(_message: object) -> None:
            counts[topic] += 1

        return on_message

    for topic, kind in TOPICS.items():
        node.create_subscription(kind, topic, counting(topic), qos.sensor_input())
    rclpy.spin(node)


def _counting(node: Node, wait: Callable[[Callable[[], object]], object]) -> float:
    """Return the share of a core that counting the messages takes."""
    with process(SCRIPT, 'count') as counter, process(SCRIPT, 'publish', '10') as sensors:
        wait(lambda: node.count_publishers('joint_states'))
        deadline = time.monotonic() + 4.0
        wait(lambda: time.monotonic() > deadline)
        begin, spent = time.monotonic(), cpu_seconds(counter)
        wait(lambda: time.monotonic() > begin + 5.0)
        share = (cpu_seconds(counter) - spent) / (time.monotonic() - begin)
        sensors.stdin.write('\n')
    return share


def main() -> None:
    """Run the node on the motion and print."""
    arguments = sys.argv[1:]
    seconds = float(arguments[0]) if arguments else LONGEST
    given = dict(each.split(':=') for each in arguments[1:])
    parameters = {'robot': str(ROBOTS / 'naveen_dual_arm_prior.urdf'), **given}
    settings = [part for each in parameters.items() for part in ('-p', ':='.join(each))]
    estimator = ('-m', 'spacerobot_id.nodes', 'estimator', '--ros-args', *settings)
    rclpy.init()
    node, received, executor = Node('benchmark'), Received(), SingleThreadedExecutor()
    executor.add_node(node)
    node.create_subscription(
        String, 'estimator/minimal_parameters', received.take_report, qos.latched()
    )
    node.create_subscription(DiagnosticArray, '/diagnostics', received.take_diagnostics, 10)

    def wait(condition: Callable[[], object]) -> object:
        while not (value := condition()):
            executor.spin_once(timeout_sec=0.01)
        return value

    peer = _counting(node, wait)
    with (
        process(*estimator) as running,
        known_client(node, GetParameters, 'estimator/get_estimate', wait) as client,
        process(SCRIPT, 'publish', str(seconds)) as sensors,
    ):
        wait(lambda: received.report.get('samples'))
        begin, spent = time.monotonic(), cpu_seconds(running)
        pending, asked, end = None, 0.0, begin + min(seconds, LONGEST) - _BEFORE
        while time.monotonic() < end:
            executor.spin_once(timeout_sec=0.005)
            now = time.monotonic()
            if pending is not None and pending.done():
                received.answers.append(now - asked)
                received.ages.append(time.time() - pending.result().values[0].double_value)
                pending = None
            if pending is None and now - asked > 1.0 / QUESTIONS:
                request = GetParameters.Request(names=['stamp', 'values', 'std', 'valid'])
                pending, asked = client.call_async(request), now
        share = (cpu_seconds(running) - spent) / (time.monotonic() - begin)
        ages = np.array(received.ages)
        sent = json.loads(sensors.stdout.readline())
        deadline = time.monotonic() + 3.0
        wait(lambda: time.monotonic() > deadline)
        sensors.stdin.write('\n')
    _print(sent, received, ages, share, peer)


def _print(sent: dict, received: Received, ages: np.ndarray, share: float, peer: float) -> None:
    """Print what was measured."""
    print_machine()
    lost = {
        topic: count - int(received.diagnostics[topic]['accepted'])
        for topic, count in sent['sent'].items()
    }
    losses = ', '.join(f'{count} of {sent["sent"][topic]}' for topic, count in lost.items())
    answers, report = 1e3 * np.array(received.answers), received.report
    print(f'Sensors at most {1e3 * sent["latest"]:.0f} ms late; {len(answers)} answers')
    print_table(
        ['', 'here', 'wanted'],
        [
            ['share of one core, %', f'{100 * share:.0f}', '50'],
            ['that of counting the messages, %', f'{100 * peer:.0f}', '-'],
            [
                'messages lost',
                losses,
                '0',
            ],
            ['age of the estimate, median, ms', f'{1e3 * np.median(ages):.0f}', '-'],
            ['age, p99, ms', f'{1e3 * np.quantile(ages, 0.99):.0f}', '50'],
            ['get_estimate, median, ms', f'{np.median(answers):.1f}', '-'],
            ['get_estimate, p99, ms', f'{np.quantile(answers, 0.99):.1f}', '20'],
            ['samples', str(report['samples']), '-'],
            ['valid', str(report['valid']), '-'],
        ],
    )


if __name__ == '__main__':
    if sys.argv[1:2] == ['publish']:
        publish(float(sys.argv[2]))
    elif sys.argv[1:2] == ['count']:
        count()
    else:
        main()

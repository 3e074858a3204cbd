"""What the tests of the estimator share: a process of its own, and its sensors.

One estimator receives one long flight. Every fault is put into it for a while; after each the
estimate is as good as it says, so nothing wrong has come into it.
"""

from collections import Counter
from contextlib import contextmanager

from diagnostic_msgs.msg import DiagnosticArray
from live_report import live_report
import numpy as np
import pytest
from ros_harness import Client, NodeProcess, running, START
from small_robot import small_robot_prior
from std_msgs.msg import String
from std_srvs.srv import Trigger
from streams import messages, NAMES, ROBOT, STEP, TYPES

from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import vector3_from_array
from spacerobot_id.regressor import minimal_parameters

TRUE = minimal_parameters(ROBOT).values(ROBOT)
FAST = {'update_period': 0.02, 'publish_period': 0.05}
CHUNK = 25
"""Steps published before the test waits for the estimator to have received them."""
LOST = 60
"""Diagnostics without news after which a message is lost."""
EVERY_TOPIC = tuple(TYPES)


class Sensors:
    """Publishes a flight step by step, and receives what an estimator makes of it."""

    def __init__(self, client, topics=EVERY_TOPIC, profile=qos.stream_output):
        self.client, self.topics = client, topics
        self.reports = client.record(String, 'estimator/minimal_parameters', qos.latched())
        self.all_diagnostics = client.record(DiagnosticArray, '/diagnostics', 10)
        self.publishers = {
            topic: client.publisher(TYPES[topic], topic, profile(1000)) for topic in topics
        }
        self.client.wait_until(lambda: self.diagnostics is not None, START)
        self.row, self.stamp = 10, 1000.0
        self.rng = np.random.default_rng(0)
        self.sent = Counter()
        self.meet(topics)

    def meet(self, topics):
        """Publish messages without a stamp until the estimator receives them, then a good one.

        What is published before both ends have found each other is lost.
        """

        def met():
            for topic, message in messages(0, 0.0, self.rng).items():
                if topic in topics and not self.rejected(topic):
                    self.publishers[topic].publish(message)
            return all(self.rejected(topic) for topic in topics)

        self.client.wait_until(met)
        for topic in topics:
            self.publishers[topic].publish(messages(self.row, self.stamp, self.rng)[topic])
        self.client.wait_until(
            lambda: all(self.counts(topic)['accepted'] == '1' for topic in topics)
        )
        self.row, self.stamp = self.row + 1, self.stamp + STEP
        for topic in topics:
            self.sent[topic] = 1 + self.rejected(topic)

    # What is sent.

    def fly(self, steps, spoil=None, topics=None, pause=0.0, step_time=STEP):
        """Publish some steps of the flight, changed by a function, and wait until received.

        The function gets the messages of a step by topic and returns what is published of each:
        a message, or a list of them; what it does not return is not published.
        """
        self.stamp += pause
        for step in range(steps):
            by_topic = messages(self.row, self.stamp, self.rng)
            by_topic = {topic: by_topic[topic] for topic in topics or self.topics}
            self.publish(by_topic if spoil is None else spoil(by_topic))
            self.row, self.stamp = self.row + 1, self.stamp + step_time
            if step % CHUNK == CHUNK - 1:
                self.wait_until_received()
        while not self.wait_until_received():  # the last one has to come
            by_topic = messages(self.row, self.stamp, self.rng)
            self.publish({topic: by_topic[topic] for topic in topics or self.topics})
            self.row, self.stamp = self.row + 1, self.stamp + step_time

    def publish(self, by_topic):
        for topic, given in by_topic.items():
            for message in given if isinstance(given, list) else [given]:
                self.publishers[topic].publish(message)
                self.sent[topic] += 1

    def wait_until_received(self):
        """Wait for what was sent; return whether all came: best effort loses some under load.

        What the estimator has not counted after several diagnostics without news is lost.
        """
        counted, stamps = None, set()

        def is_over():
            nonlocal counted
            now = {topic: self.received(topic) for topic in self.topics}
            if now != counted:
                counted = now
                stamps.clear()
            stamps.add(seconds_from_stamp(self.diagnostics.header.stamp))
            return now == self.sent or len(stamps) > LOST

        self.client.wait_until(is_over)
        is_all = counted == self.sent
        self.sent = Counter(counted)
        return is_all

    def received(self, topic):
        counts = self.counts(topic)
        return int(counts['accepted']) + int(counts['rejected'])

    def settle(self):
        """Wait until the estimate has all that was sent; return the report."""
        last = self.stamp - STEP
        self.client.wait_until(
            lambda: (
                abs(self.report['stamp'] - last) < 0.5 * STEP
                and self.report['updates_waiting'] == 0
            )
        )
        return self.report

    def quiet(self):
        """Wait until the estimate no longer changes; return the report."""
        begin = len(self.reports)

        def still():
            recent = [live_report(each.data) for each in self.reports[begin:][-3:]]
            counts = {(each['samples'], each['updates_waiting']) for each in recent}
            return len(recent) == 3 and len(counts) == 1 and recent[0]['updates_waiting'] == 0

        self.client.wait_until(still, START)
        return self.report

    # What is received.

    @property
    def report(self):
        return live_report(self.reports.last.data)

    @property
    def diagnostics(self):
        """The last diagnostics of this estimator: all nodes publish on one topic."""
        name = f'{self.client.node.get_namespace()}/estimator: '
        own = (
            each for each in reversed(self.all_diagnostics) if each.status[0].name.startswith(name)
        )
        return next(own, None)

    def status(self, name='estimate'):
        """Return one of the last statuses on the diagnostics."""
        return next(each for each in self.diagnostics.status if each.name.endswith(f': {name}'))

    def counts(self, topic='estimate'):
        return {each.key: each.value for each in self.status(topic).values}

    def rejected(self, topic):
        return int(self.counts(topic)['rejected'])

    def call(self, verb):
        return self.client.call(Trigger, f'estimator/{verb}')


def assert_good(report, least=500):
    """Hold an estimate to what it says of itself: many samples, errors within its intervals."""
    assert report['samples'] >= least
    assert report['rank'] == len(TRUE)
    assert report['valid'], report['defects']
    scores = (np.array(report['values']) - TRUE) / report['std']
    assert np.sqrt(np.mean(scores**2)) < 2.0
    assert np.abs(scores).max() < 5.0
    assert np.median(np.abs(np.array(report['values']) / TRUE - 1.0)) < 2e-3
    assert report['chi_square'] == pytest.approx(1.0, abs=0.15)


def robots_folder(tmp_path_factory):
    """Return a new folder with the description that the estimators are given."""
    folder = tmp_path_factory.mktemp('robots')
    write_robot(small_robot_prior(), folder / 'prior.urdf')
    return folder


@contextmanager
def failing(module, parameters, arguments):
    """Run a node that may log a traceback as long as the context lasts; it has to end well."""
    node = NodeProcess(module, parameters, arguments)
    try:
        yield node
    finally:
        code = node.stop()
    assert code == 0, node.final_output


@contextmanager
def estimator(folder, namespace, topics=EVERY_TOPIC, run=running, arguments=(), **settings):
    """Run an estimator in a namespace, and its sensors."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST, **settings}
    with (
        run('estimator', parameters, ('-r', f'__ns:=/{namespace}', *arguments)) as node,
        Client(namespace=namespace) as client,
    ):
        sensors = Sensors(client, topics)
        sensors.node = node
        yield sensors


@contextmanager
def long_flight(folder, namespace, **settings):
    """Run an estimator that has received six seconds of the flight; yield its sensors."""
    with estimator(folder, namespace, **settings) as sensors:
        sensors.fly(600)
        sensors.settle()
        yield sensors


@contextmanager
def fault_survived(flight):
    """Yield the sensors; after that the estimate is good, and no callback has failed."""
    flight.fly(CHUNK)
    flight.settle()
    yield flight
    flight.fly(50)
    report = flight.settle()
    assert_good(report)
    assert flight.counts()['callback errors'] == '0'


@contextmanager
def refused(sensors, topic, count, reason):
    """Hold that messages of a topic are refused with a reason, logged once, and no others."""
    before = {each: sensors.rejected(each) for each in sensors.topics}
    key, earlier = f'rejected: {reason}', sensors.node.output()
    known = int(sensors.counts(topic).get(key, 0))
    yield
    after = {each: sensors.rejected(each) - before[each] for each in sensors.topics}
    assert after == {**dict.fromkeys(sensors.topics, 0), topic: count}
    assert int(sensors.counts(topic)[key]) - known == count
    news = sensors.node.output()[len(earlier) :]
    assert news.count(f'{topic}: rejected: {reason}') == 1, news


def standing_still(by_topic):
    """Return the messages of a robot at rest: the same for ever, but for the pose."""
    by_topic['joint_states'].velocity = [0.0] * len(NAMES)
    by_topic['imu/data'].angular_velocity = vector3_from_array(np.zeros(3))
    by_topic['base_twist'].twist.linear = vector3_from_array(np.zeros(3))
    return by_topic


def spoiling(topic, change):
    """Return a function that changes the message of a topic."""

    def spoil(by_topic):
        change(by_topic[topic])
        return by_topic

    return spoil

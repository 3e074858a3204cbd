"""The estimator node in a process of its own; the test is the robot's sensors, and spoils them.

One estimator hears one long flight. Every fault is put into it for a while; after each the
estimate is as good as it says, so nothing wrong has come into it.
"""

from collections import Counter
from contextlib import contextmanager
import json
import signal
import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import InertiaStamped
import numpy as np
from numpy.testing import assert_allclose
import pytest
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from ros_harness import Client, NodeProcess, running
from sensor_msgs.msg import JointState
from small_robot import R_BASE_IMU, small_robot_prior
from std_msgs.msg import String
from std_srvs.srv import Trigger
from streams import messages, NAMES, ROBOT, STEP, TYPES

from spacerobot_id.dynamics import whole_robot
from spacerobot_id.model import write_robot
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.inertia_messages import inertial_from_message
from spacerobot_id.nodes.message_pieces import array_from_vector3, vector3_from_array
from spacerobot_id.nodes.stamps import stamp_from_seconds
from spacerobot_id.regressor import minimal_parameters

TRUE = minimal_parameters(ROBOT).values(ROBOT)
FAST = {'update_period': 0.02, 'publish_period': 0.05}
CHUNK = 25
"""Steps published before the test waits for the estimator to have heard them."""
NAN, INF = float('nan'), float('inf')
EVERY_TOPIC = tuple(TYPES)


class Sensors:
    """Publishes a flight step by step, and hears what an estimator makes of it."""

    def __init__(self, client, topics=EVERY_TOPIC):
        self.client, self.topics = client, topics
        self.reports = client.record(String, 'estimator/minimal_parameters', qos.latched())
        self.all_diagnostics = client.record(DiagnosticArray, '/diagnostics', 10)
        self.publishers = {
            topic: client.publisher(TYPES[topic], topic, qos.stream_output(1000))
            for topic in topics
        }
        self.client.wait_until(lambda: self.diagnostics is not None)
        self.row, self.stamp = 10, 1000.0
        self.rng = np.random.default_rng(0)
        self.sent = Counter()
        self.meet(topics)

    def meet(self, topics):
        """Publish messages without a stamp until the estimator hears them, then a good one.

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

    # What is said.

    def fly(self, steps, spoil=None, topics=None, pause=0.0):
        """Publish some steps of the flight, changed as a function says, and wait until heard.

        The function gets the messages of a step by topic and returns what is published of each:
        a message, or a list of them; what it does not return is not published.
        """
        self.stamp += pause
        for step in range(steps):
            said = messages(self.row, self.stamp, self.rng)
            said = {topic: said[topic] for topic in topics or self.topics}
            self.publish(said if spoil is None else spoil(said))
            self.row, self.stamp = self.row + 1, self.stamp + STEP
            if step % CHUNK == CHUNK - 1:
                self.wait_until_heard()
        self.wait_until_heard()

    def publish(self, said):
        for topic, given in said.items():
            for message in given if isinstance(given, list) else [given]:
                self.publishers[topic].publish(message)
                self.sent[topic] += 1

    def wait_until_heard(self):
        self.client.wait_until(lambda: all(self.heard(topic) for topic in self.topics))

    def heard(self, topic):
        counts = self.counts(topic)
        return int(counts['accepted']) + int(counts['rejected']) == self.sent[topic]

    def settle(self):
        """Wait until the estimate has all that was said; return the report."""
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
            recent = [json.loads(each.data) for each in self.reports[begin:][-3:]]
            counts = {(each['samples'], each['updates_waiting']) for each in recent}
            return len(recent) == 3 and len(counts) == 1 and recent[0]['updates_waiting'] == 0

        self.client.wait_until(still)
        return self.report

    # What is heard.

    @property
    def report(self):
        return json.loads(self.reports.last.data)

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


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
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
def estimator(folder, namespace, topics=EVERY_TOPIC, run=running, **settings):
    """Run an estimator in a namespace, and the sensors that it hears."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST, **settings}
    with (
        run('estimator', parameters, ('-r', f'__ns:=/{namespace}')) as node,
        Client(namespace=namespace) as client,
    ):
        sensors = Sensors(client, topics)
        sensors.node = node
        yield sensors


@pytest.fixture(scope='module', name='flight')
def long_flight(folder):
    """Return the sensors of an estimator that has heard six seconds of the flight."""
    with estimator(folder, 'flight', save_file=str(folder / 'out' / 'estimate.json')) as sensors:
        sensors.fly(600)
        sensors.settle()
        yield sensors


@pytest.fixture(name='sensors')
def sensors_before_a_fault(flight):
    """Return the sensors; after the test the estimate is good, and no callback has failed."""
    flight.fly(CHUNK)
    flight.settle()
    yield flight
    flight.fly(50)
    report = flight.settle()
    assert_good(report)
    assert flight.counts()['callback errors'] == '0'


@contextmanager
def refused(sensors, topic, count, reason):
    """Hold that messages of a topic are refused with a reason that is said once, and no others."""
    before = {each: sensors.rejected(each) for each in sensors.topics}
    key, said = f'rejected: {reason}', sensors.node.output()
    known = int(sensors.counts(topic).get(key, 0))
    yield
    after = {each: sensors.rejected(each) - before[each] for each in sensors.topics}
    assert after == {**dict.fromkeys(sensors.topics, 0), topic: count}
    assert int(sensors.counts(topic)[key]) - known == count
    news = sensors.node.output()[len(said) :]
    assert news.count(f'{topic}: rejected: {reason}') == 1, news


def spoiling(topic, change):
    """Return a function that changes the message of a topic."""

    def spoil(said):
        change(said[topic])
        return said

    return spoil


# What it says.


def test_it_identifies_the_robot(flight):
    """From messages alone, 24 parameters; the report has what a reader needs to judge it."""
    report = flight.settle()
    assert_good(report, 550)
    assert report['names'] == list(minimal_parameters(ROBOT).names)
    assert report['units'] == list(minimal_parameters(ROBOT).units)
    assert report['velocity_source'] == 'base_twist'
    assert report['not_identified'] == []
    assert 1.0 < report['condition_number'] < 1e5
    assert len(report['configuration']) == 16
    assert (report['resets'], report['clock_jumps']) == (0, 0)


def test_F24_late_subscribers_get_the_estimate_at_once(flight):
    """The parameters and the inertia of the whole robot as it stands, latched."""
    client = flight.client
    parameters = client.record(String, 'estimator/minimal_parameters', qos.latched())
    inertia = client.record(InertiaStamped, 'estimator/inertia', qos.latched())
    client.wait_until(lambda: parameters and inertia)
    assert inertia.last.header.frame_id == 'base'
    positions = messages(flight.row - 1, 1.0, flight.rng)['joint_states'].position
    truth = whole_robot(ROBOT, positions[:2])
    estimate = inertial_from_message(inertia.last)
    assert estimate.mass == pytest.approx(truth.mass, rel=1e-3)
    assert_allclose(estimate.com, truth.com, atol=1e-3)
    assert_allclose(estimate.inertia, truth.inertia, atol=0.02)


def test_links_that_can_exist_are_published_in_their_frames(flight):
    links = {
        name: flight.client.record(
            InertiaStamped, f'estimator/links/{name}/inertia', qos.latched()
        )
        for name in ROBOT.link_names
    }
    flight.client.wait_until(lambda: any(links.values()))
    for name, heard in links.items():
        for message in heard:
            assert message.header.frame_id == name
            assert inertial_from_message(message).is_physical()


def test_get_estimate_answers_typed_values_and_not_set_for_unknown_names(flight):
    wanted = {
        'samples': ParameterType.PARAMETER_INTEGER,
        'values': ParameterType.PARAMETER_DOUBLE_ARRAY,
        'covariance': ParameterType.PARAMETER_DOUBLE_ARRAY,
        'names': ParameterType.PARAMETER_STRING_ARRAY,
        'valid': ParameterType.PARAMETER_BOOL,
        'velocity_source': ParameterType.PARAMETER_STRING,
        'base.m': ParameterType.PARAMETER_DOUBLE,
        'base.m.std': ParameterType.PARAMETER_DOUBLE,
        'charge': ParameterType.PARAMETER_NOT_SET,
    }
    request = GetParameters.Request(names=list(wanted))
    answer = flight.client.call(GetParameters, 'estimator/get_estimate', request)
    assert [value.type for value in answer.values] == list(wanted.values())
    samples, values, covariance, names, *_, mass, std, _ = answer.values
    assert samples.integer_value == flight.report['samples']
    assert list(names.string_array_value) == flight.report['names']
    place = flight.report['names'].index('base.m')
    assert mass.double_value == values.double_array_value[place]
    covariance = np.reshape(covariance.double_array_value, (len(TRUE), len(TRUE)))
    assert_allclose(covariance, covariance.T)
    assert std.double_value == pytest.approx(np.sqrt(covariance[place, place]))
    empty = flight.client.call(GetParameters, 'estimator/get_estimate')
    assert list(empty.values) == []


def test_the_estimate_is_saved(flight, folder):
    answer = flight.call('save')
    assert answer.success
    assert answer.message == str(folder / 'out' / 'estimate.json')
    saved = json.loads((folder / 'out' / 'estimate.json').read_text())
    assert saved['values'] == flight.report['values']


def test_a_refinement_is_made_in_its_time(flight):
    """Answered at once; updates_waiting says when it is made; the estimate is no worse."""
    answer = flight.call('refine')
    assert answer.success
    assert answer.message == f'refining over {flight.report["samples"]} samples'
    assert_good(flight.settle())


def test_diagnostics_say_how_it_is(flight):
    """One status of the estimate, one of each topic, with counters."""
    flight.fly(CHUNK)
    flight.settle()
    names = {each.name for each in flight.diagnostics.status}
    assert names == {f'/flight/estimator: {name}' for name in ('estimate', *EVERY_TOPIC)}
    status = flight.status()
    assert status.level == DiagnosticStatus.OK
    flight.client.wait_until(
        lambda: flight.status().message == f'{flight.report["samples"]} samples, rank 24'
    )
    counts = flight.counts()
    assert counts['rank'] == '24 of 24'
    assert counts['not aligned'] == '0'
    assert counts['updates dropped'] == '0'
    assert float(counts['chi square']) == pytest.approx(1.0, abs=0.15)
    heard = flight.counts('imu/data')
    assert int(heard['accepted']) + int(heard['rejected: has no stamp']) == flight.sent['imu/data']


# Faults.


def test_F1_joints_in_another_order_every_time(sensors):
    """Mapped by name in each message."""

    def shuffle(message):
        order = sensors.rng.permutation(len(NAMES))
        for field in ('name', 'position', 'velocity'):
            values = getattr(message, field)
            setattr(message, field, [values[place] for place in order])

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(100, spoiling('joint_states', shuffle))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 90


def test_F2_a_missing_joint_stops_the_update_and_is_named(sensors):
    def without(message):
        message.name = message.name[1:]
        message.position, message.velocity = message.position[1:], message.velocity[1:]

    before = sensors.quiet()['samples']
    with refused(sensors, 'joint_states', 50, 'joint shoulder_left is missing'):
        sensors.fly(50, spoiling('joint_states', without))
        assert sensors.status('joint_states').level == DiagnosticStatus.WARN
    assert sensors.quiet()['samples'] == before


def test_F2_extra_joints_are_ignored(sensors):
    """What they say may be nonsense."""

    def with_more(message):
        message.name = ['antenna', *message.name, 'gripper']
        message.position = [NAN, *message.position, 7.0]
        message.velocity = [INF, *message.velocity, NAN]

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(100, spoiling('joint_states', with_more))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 90


def set_field(field, value):
    return lambda message: setattr(message, field, value)


def set_first(field, value):
    """Return a function that sets the first element of an array, after a copy."""
    return lambda message: setattr(message, field, [value, *getattr(message, field)[1:]])


BAD_JOINTS = {
    'F3 velocity empty': (set_field('velocity', []), 'velocity of shoulder_left, shoulder_right'),
    'F3 velocity too short': (set_field('velocity', [1.0]), '1 velocity values for 5 joints'),
    'F3 velocity too long': (set_field('velocity', [0.0] * 6), '6 velocity values for 5 joints'),
    'F3 position empty': (set_field('position', []), 'position of shoulder_left, shoulder_right '),
    'F4 velocity NaN': (set_first('velocity', NAN), 'velocity of shoulder_left is not provided'),
    'F4 position NaN': (set_first('position', NAN), 'position of shoulder_left is not provided'),
    'F6 velocity infinite': (set_first('velocity', INF), 'has NaN or infinity'),
    'F6 position infinite': (set_first('position', -INF), 'has NaN or infinity'),
    'a name twice': (set_first('name', 'wheel_x'), 'a joint is named twice'),
}


@pytest.mark.parametrize('fault', BAD_JOINTS)
def test_F3_F4_F6_bad_joint_states_are_refused(sensors, fault):
    """Nothing is taken for zero, and nothing is updated."""
    change, reason = BAD_JOINTS[fault]
    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(20, spoiling('joint_states', change))
    assert sensors.rejected('joint_states') - rejected == 20
    assert reason in sensors.status('joint_states').message
    assert sensors.quiet()['samples'] == before


def test_efforts_do_not_matter(sensors):
    """Wheels' positions are not needed either, as some drivers do not give them."""

    def change(message):
        message.effort = [NAN]
        message.position = [*message.position[:2], NAN, NAN, NAN]

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(50, spoiling('joint_states', change))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 45


PLACES = {
    ('imu/data', 'angular_velocity.z'): lambda message: message.angular_velocity,
    ('base_pose', 'position.z'): lambda message: message.pose.position,
    ('base_pose', 'orientation.z'): lambda message: message.pose.orientation,
    ('base_twist', 'linear.z'): lambda message: message.twist.linear,
}


@pytest.mark.parametrize('value', [NAN, INF, -INF])
@pytest.mark.parametrize('place', PLACES, ids='-'.join)
def test_F6_NaN_and_infinity_in_any_field_are_refused(sensors, place, value):
    topic, _ = place
    rejected = sensors.rejected(topic)
    sensors.fly(10, spoiling(topic, lambda message: setattr(PLACES[place](message), 'z', value)))
    assert sensors.rejected(topic) - rejected == 10
    assert sensors.counts(topic)['rejected: has NaN or infinity']


def scaled(factor):
    def change(message):
        turned = message.pose.orientation
        for axis in 'xyzw':
            setattr(turned, axis, factor * getattr(turned, axis))

    return spoiling('base_pose', change)


@pytest.mark.parametrize('factor', [0.0, 0.5, 3.0])
def test_F7_quaternions_that_are_no_rotation_are_refused(sensors, factor):
    rejected = sensors.rejected('base_pose')
    sensors.fly(20, scaled(factor))
    assert sensors.rejected('base_pose') - rejected == 20
    assert sensors.counts('base_pose')['rejected: quaternion is not of unit length']


@pytest.mark.parametrize('factor', [0.97, -1.02])
def test_F7_F8_quaternions_next_to_unit_length_are_normalised(sensors, factor):
    rejected = sensors.rejected('base_pose')
    sensors.fly(20, scaled(factor))
    assert sensors.rejected('base_pose') == rejected


def test_F9_an_imu_that_says_it_has_no_rates_is_not_asked_for_them(sensors):
    def absent(message):
        message.angular_velocity_covariance[0] = -1.0

    with refused(sensors, 'imu/data', 20, 'says that it has no angular velocity'):
        sensors.fly(20, spoiling('imu/data', absent))


@pytest.mark.parametrize(
    ('frame', 'reason'),
    [
        ('', "frame '' is not in the description"),
        ('camera', "frame 'camera' is not in the description"),
        ('left', "frame 'left' is not fixed to the base"),
    ],
)
def test_F10_an_imu_in_an_unknown_frame_is_refused_by_name(sensors, frame, reason):
    def change(message):
        message.header.frame_id = frame

    before = sensors.quiet()['samples']
    with refused(sensors, 'imu/data', 20, reason):
        sensors.fly(20, spoiling('imu/data', change))
    assert sensors.report['samples'] - before <= 1


def test_F10_a_turned_imu_is_turned_back_as_the_description_says(sensors):
    def change(message):
        rates = array_from_vector3(message.angular_velocity)
        message.angular_velocity = vector3_from_array(R_BASE_IMU.T @ rates)
        message.header.frame_id = 'imu'

    before, rejected = sensors.quiet()['samples'], sensors.rejected('imu/data')
    sensors.fly(100, spoiling('imu/data', change))
    assert sensors.rejected('imu/data') == rejected
    assert sensors.settle()['samples'] - before >= 95


@pytest.mark.parametrize('frame', ['', 'map', 'left'])
def test_F11_a_twist_in_an_unknown_frame_is_refused_by_name(sensors, frame):
    def change(message):
        message.header.frame_id = frame

    reason = f"frame '{frame}' is neither the base 'base' nor the frame of the pose 'world'"
    before = sensors.quiet()['samples']
    with refused(sensors, 'base_twist', 20, reason):
        sensors.fly(20, spoiling('base_twist', change))
    assert sensors.report['samples'] - before <= 1


def in_world(said):
    """Return the messages with the twist in the axes that the pose is given in."""
    turned = said['base_pose'].pose.orientation
    turn = rotation(turned)
    linear = array_from_vector3(said['base_twist'].twist.linear)
    said['base_twist'].twist.linear = vector3_from_array(turn @ linear)
    said['base_twist'].header.frame_id = 'world'
    return said


def rotation(turned):
    x, y, z, w = turned.x, turned.y, turned.z, turned.w
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def test_F11_a_twist_in_the_frame_of_the_pose_is_turned_to_the_base(sensors):
    before, rejected = sensors.quiet()['samples'], sensors.rejected('base_twist')
    sensors.fly(100, in_world)
    assert sensors.rejected('base_twist') - rejected <= 2
    assert sensors.settle()['samples'] - before >= 90


def test_F20_a_twist_in_the_frame_of_the_pose_needs_a_pose_of_its_time(sensors):
    """Without poses it is refused, and not turned with an old one."""

    def without_pose(said):
        said = in_world(said)
        del said['base_pose']
        return said

    before, rejected = sensors.quiet()['samples'], sensors.rejected('base_twist')
    sensors.fly(100, without_pose)
    assert sensors.rejected('base_twist') - rejected >= 85
    assert sensors.counts('base_twist')[
        'rejected: no pose within 0.025 s to turn it to base axes with'
    ]
    assert sensors.report['samples'] - before <= 15


def test_F13_duplicate_stamps_are_dropped(sensors):
    """Every message twice on every topic: as many samples as without that."""
    before = sensors.quiet()['samples']
    rejected = {topic: sensors.rejected(topic) for topic in EVERY_TOPIC}
    sensors.fly(100, lambda said: {topic: [message] * 2 for topic, message in said.items()})
    for topic in EVERY_TOPIC:
        assert sensors.rejected(topic) - rejected[topic] == 100
        assert int(sensors.counts(topic)['rejected: has the stamp of the sample before']) >= 100
    assert 95 <= sensors.settle()['samples'] - before <= 100


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F14_stamps_out_of_order_are_dropped_and_counted_per_topic(sensors, topic):
    held = []

    def swap(said):
        """Let every second message be overtaken by the one after it."""
        held.append(said.pop(topic))
        if len(held) == 2:
            said[topic] = held[::-1]
            held.clear()
        return said

    rejected = sensors.rejected(topic)
    sensors.fly(50, swap)
    assert sensors.rejected(topic) - rejected == 25
    assert int(sensors.counts(topic)['rejected: is older than the sample before']) == 25


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F15_zero_stamps_are_refused(sensors, topic):
    def change(message):
        message.header.stamp = stamp_from_seconds(0.0)

    with refused(sensors, topic, 20, 'has no stamp'):
        sensors.fly(20, spoiling(topic, change))


@pytest.mark.parametrize('shift', [-900.0, 1e6])
@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F16_single_stamps_far_in_the_past_or_future_are_refused(sensors, topic, shift):
    """Every fifth stamp of a topic is wrong by far."""
    count = iter(range(50))

    def change(message):
        if next(count) % 5 == 2:
            message.header.stamp = stamp_from_seconds(sensors.stamp + shift)

    rejected, jumps = sensors.rejected(topic), sensors.report['clock_jumps']
    sensors.fly(50, spoiling(topic, change))
    assert sensors.rejected(topic) - rejected == 10
    assert sensors.settle()['clock_jumps'] == jumps


def shifted(topic, shift):
    """Return a function that gives a topic a clock of its own."""

    def change(message):
        stamp = message.header.stamp
        message.header.stamp = stamp_from_seconds(stamp.sec + 1e-9 * stamp.nanosec + shift)

    return spoiling(topic, change)


@pytest.mark.parametrize('skew', [-500.0, 500.0])
def test_F16_a_sensor_with_a_clock_of_its_own_is_named_and_not_used(sensors, skew):
    """No update while it lasts; when it is over, work is resumed."""
    before = sensors.quiet()['samples']
    sensors.fly(50, shifted('imu/data', skew))
    assert sensors.status().level == DiagnosticStatus.STALE
    assert sensors.status().message == 'waiting for imu'
    assert sensors.report['samples'] - before <= 2
    sensors.fly(30)
    assert sensors.settle()['samples'] - before >= 20


@pytest.mark.parametrize('jump', [-300.0, -0.5, 2000.0])
def test_F17_after_a_jump_of_the_clock_the_estimate_is_kept_and_work_resumed(sensors, jump):
    """Within ten samples, back and forward; the gap is never part of a sample."""
    before = sensors.report
    sensors.fly(40, pause=jump)
    after = sensors.settle()
    assert after['clock_jumps'] == before['clock_jumps'] + 1
    assert after['samples'] - before['samples'] >= 29
    assert after['resets'] == before['resets']
    assert 'the clock has jumped; buffers cleared' in sensors.node.output()


@pytest.mark.parametrize(
    ('topic', 'name'),
    [('joint_states', 'joint_states'), ('imu/data', 'imu'), ('base_twist', 'base_twist')],
)
def test_F22_a_stream_that_stops_is_named_and_work_resumed_when_it_returns(sensors, topic, name):
    """Nothing is forgotten meanwhile."""
    before = sensors.report
    sensors.fly(150, topics=[each for each in EVERY_TOPIC if each != topic])
    assert sensors.status().level == DiagnosticStatus.STALE
    assert sensors.status().message == f'waiting for {name}'
    sensors.client.wait_until(lambda: sensors.status(topic).message in ('silent', '0 new'))
    assert sensors.report['samples'] - before['samples'] <= 2
    assert sensors.report['std'] == pytest.approx(before['std'], rel=0.02)
    sensors.fly(40)
    assert sensors.settle()['samples'] - before['samples'] >= 29


def test_F5_a_second_publisher_is_warned_of(sensors):
    """Said once, and in the diagnostics as long as it is there."""
    other = sensors.client.publisher(JointState, 'joint_states', qos.stream_output())
    sensors.client.wait_until(lambda: sensors.status('joint_states').message == '2 publishers')
    assert sensors.status('joint_states').level == DiagnosticStatus.WARN
    sensors.client.node.destroy_publisher(other)
    sensors.client.wait_until(lambda: sensors.status('joint_states').message != '2 publishers')
    assert sensors.node.output().count('joint_states has 2 publishers') == 1


def test_a_robot_at_rest_adds_nothing(sensors):
    """Samples in which nothing moves are left out, however many come."""

    def stand_still(said):
        joints = said['joint_states']
        joints.velocity = [0.0] * len(NAMES)
        said['imu/data'].angular_velocity = vector3_from_array(np.zeros(3))
        said['base_twist'].twist.linear = vector3_from_array(np.zeros(3))
        return said

    before = sensors.quiet()['samples']
    sensors.fly(60, stand_still)
    assert sensors.settle()['samples'] - before <= 1


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('robot', 'other.urdf', 'read-only'),
        ('save_file', '/etc/passwd', 'read-only'),
        ('update_period', 1.0, 'read-only'),
        ('gain', 1.0, 'declared'),
    ],
)
def test_F39_F40_what_must_not_change_at_run_time_does_not(flight, name, value, reason):
    result = flight.client.set_parameter('estimator', name, value)
    assert not result.successful
    assert reason in result.reason


def test_F34_a_reset_during_a_run_is_atomic(flight):
    """Every report has either the old samples and the old counter, or the new ones of both."""
    before = flight.settle()
    del flight.reports[:-1]
    assert flight.call('refine').success
    assert flight.call('reset').message == 'reset 1'
    flight.client.wait_until(lambda: flight.report['resets'] == 1)
    flight.fly(600)
    report = flight.settle()
    for heard in (json.loads(each.data) for each in flight.reports):
        if heard['resets']:
            assert heard['samples'] <= 600
        else:
            assert heard['samples'] == before['samples']
    empty = next(
        heard
        for heard in map(json.loads, (each.data for each in flight.reports))
        if heard['resets'] == 1
    )
    assert (empty['samples'], empty['valid']) == (0, False)
    assert empty['defects'] == ['no samples yet']
    assert_good(report, 550)


# Without a base velocity.


@pytest.fixture(scope='module', name='poses')
def sensors_without_base_twist(folder):
    """Return the sensors of an estimator that gets no base velocity, and cannot save."""
    (folder / 'file').write_text('no folder')
    topics = ('joint_states', 'imu/data', 'base_pose')
    settings = {'save_file': str(folder / 'file' / 'estimate.json'), 'velocity_window': 11}
    with estimator(folder, 'poses', topics, failing, **settings) as sensors:
        yield sensors


def test_F33_before_the_first_sample_nothing_is_identified(poses):
    """The report is the prior's, and is not valid."""
    poses.client.wait_until(lambda: poses.reports)
    report = poses.report
    assert (report['samples'], report['rank'], report['valid']) == (0, 0, False)
    assert report['not_identified'] == report['names']
    assert report['condition_number'] is None
    prior = minimal_parameters(ROBOT).values(small_robot_prior())
    assert_allclose(report['values'], prior, rtol=1e-6, atol=1e-9)
    assert poses.status().message == 'waiting for base_twist'


def test_without_base_twist_the_velocity_is_taken_from_the_pose(poses):
    """Said in the log and in the report; what was heard before is used."""
    poses.fly(100)
    poses.client.wait_until(lambda: poses.report['velocity_source'] == 'base_pose')
    poses.node.wait_for_output('no base_twist: ')
    assert 'by a local polynomial over 11 samples' in poses.node.output()
    poses.fly(600)
    poses.client.wait_until(lambda: poses.report['samples'] >= 650)
    report = poses.report
    assert report['rank'] == len(TRUE)
    assert np.median(np.abs(np.array(report['values']) / TRUE - 1.0)) < 0.02
    assert report['mass'] == pytest.approx(39.0, rel=0.05)


def test_F26_an_exception_in_a_callback_is_counted_and_survived(poses):
    """The file to save to cannot be written."""
    answer = poses.call('save')
    assert not answer.success
    assert answer.message
    poses.client.wait_until(lambda: poses.counts()['callback errors'] == '1')
    samples = poses.report['samples']
    poses.fly(50)
    poses.client.wait_until(lambda: poses.report['samples'] > samples)


def test_a_base_twist_that_comes_late_is_used(poses):
    """With another noise the estimate begins anew."""
    poses.topics = EVERY_TOPIC
    poses.publishers['base_twist'] = poses.client.publisher(
        TYPES['base_twist'], 'base_twist', qos.stream_output(1000)
    )
    poses.meet(['base_twist'])
    poses.fly(200)
    assert poses.settle()['velocity_source'] == 'base_twist'
    assert poses.report['samples'] <= 250
    poses.node.wait_for_output('base_twist has come')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_F27_signals_end_it_while_it_works(folder, number):
    """In the middle of a stream and a refinement: exit code 0, no traceback."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST}
    namespace = ('-r', '__ns:=/ended')
    with (
        running('estimator', parameters, namespace) as node,
        Client(namespace='ended') as client,
    ):
        sensors = Sensors(client)
        sensors.fly(100)
        assert sensors.call('refine').success
        sensors.publish(messages(sensors.row, sensors.stamp, sensors.rng))
        node.send(number)


def test_F27_F35_a_restart_goes_on_from_the_checkpoint(folder, tmp_path):
    """Written at the end, taken by the next process, refused aloud with other settings."""
    file = tmp_path / 'kept' / 'checkpoint.json'
    with estimator(folder, 'kept', checkpoint_file=str(file)) as sensors:
        sensors.fly(300)
        sensors.settle()
    kept = json.loads(file.read_text())
    with estimator(folder, 'kept', checkpoint_file=str(file)) as sensors:
        report = sensors.report  # with what came since
        assert 100 < kept['samples'] <= report['samples'] <= kept['samples'] + 50
        values = np.linalg.solve(kept['factor'], kept['target'])
        assert np.all(np.abs(values - report['values']) <= 0.5 * np.array(report['std']))
        assert sensors.report['valid']
        assert sensors.call('reset').success
        assert not file.exists()
        sensors.fly(100)
    with running(
        'estimator',
        {
            'robot': str(folder / 'prior.urdf'),
            **FAST,
            'checkpoint_file': str(file),
            'prior_mass_std': 0.4,
        },
    ) as node:
        node.wait_for_output('cold start: it is of another description or other settings')


def test_F27_an_impatient_user_changes_no_exit_code(folder):
    """One signal after the other until it is gone: still 0."""
    node = NodeProcess('estimator', {'robot': str(folder / 'prior.urdf'), **FAST})
    node.wait_for_output('effective configuration')
    while node.process.poll() is None:
        node.send(signal.SIGINT)
        time.sleep(0.005)
    assert node.exit_code() == 0, node.final_output


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        ({}, 'robot: the path of a URDF is needed'),
        ({'robot': '/nowhere.urdf'}, '/nowhere.urdf: file: cannot be read'),
        ({'velocity_window': 20}, 'velocity_window: must be odd'),
        (
            {'base_velocity': 'guess'},
            "base_velocity: 'guess' is none of auto, base_twist, base_pose",
        ),
    ],
)
def test_F39_settings_it_cannot_start_with_are_said_without_a_traceback(settings, reason):
    node = NodeProcess('estimator', settings)
    assert node.exit_code() == 1, node.final_output
    assert reason in node.final_output
    assert 'Traceback' not in node.final_output

"""What all nodes have in common: settings, guarded callbacks, lifecycle, exit codes."""

from dataclasses import dataclass

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState
import pytest
from rcl_interfaces.srv import DescribeParameters
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter
from ros_harness import Client
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.settings import NodeSettings, parameter


@dataclass(frozen=True)
class ProbeSettings(NodeSettings):
    """Parameters of every kind."""

    period: float = parameter(0.01, 'Period; s.', minimum=0.001, maximum=1.0)
    weight: float = parameter(1.0, 'Weight without an upper limit; no unit.', minimum=0.0)
    count: int = parameter(3, 'Count; no unit.', minimum=1)
    mode: str = parameter('slow', 'Mode; no unit.', choices=('slow', 'fast'))
    path: str = parameter('', 'Path; no unit.', read_only=True)
    angles: tuple[float, ...] = parameter((), 'Angles; rad.')
    names: tuple[str, ...] = parameter((), 'Names; no unit.')


class Probe(ManagedNode):
    """A node whose callbacks fail on demand."""

    settings_type = ProbeSettings

    def __init__(self, **keywords):
        self.calls = []
        self.ticks = 0
        super().__init__('probe', **keywords)

    def check_settings(self, settings):
        if settings.count == 13:
            raise ConfigurationError('count: 13 brings bad luck')

    def apply_settings(self):
        self.calls.append(('applied', self.settings.count))

    def configure(self):
        if self.settings.path == 'bad':
            self.create_publisher(String, 'leftover', 1)
            raise ConfigurationError('path: is bad')
        if self.settings.path == 'worse':
            raise ZeroDivisionError
        self.echo = self.create_publisher(String, 'echo', qos.latched())
        self.create_subscription(String, 'say', self.on_say, qos.command())
        self.create_service(Trigger, '~/fail', self.on_fail)
        self.create_timer(0.01, self.on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.calls.append('configured')

    def activate(self):
        self.calls.append('activated')

    def deactivate(self):
        self.calls.append('deactivated')

    def close(self):
        self.calls.append('closed')

    def on_say(self, message):
        if message.data == 'fail':
            raise ValueError('told to')
        self.echo.publish(message)

    def on_fail(self, _request, _response):
        raise ValueError('told to')

    def on_tick(self):
        self.ticks += 1
        if self.ticks % 2:
            raise ValueError('every second time')


@pytest.fixture
def client():
    with Client() as client:
        yield client


@pytest.fixture
def probe(client):
    """Return a function that makes a node with parameters, spun by the client's executor."""
    made = []

    def make(**parameters):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = Probe(context=client.context, parameter_overrides=overrides)
        made.append(node)
        client.executor.add_node(node)
        return node

    yield make
    for node in made:
        node.destroy_node()


@pytest.fixture
def running(probe):
    node = probe()
    assert node.start()
    return node


def test_settings_are_the_parameters(probe):
    node = probe(period=0.5, angles=[1.0, 2.5], names=['a'], path='here')
    assert node.settings == ProbeSettings(period=0.5, angles=(1.0, 2.5), names=('a',), path='here')


@pytest.mark.parametrize('value', ['', '[]', 'null'])
def test_lists_without_elements_are_typed_and_a_dump_is_read_back(client, tmp_path, value):
    """Also one that was written where they had no type: ros2 param dump has null for it then."""
    file = tmp_path / 'dump.yaml'
    written = f'    angles: {value}\n    names: {value}\n' if value else ''
    file.write_text(f'/**:\n  ros__parameters:\n    count: 5\n{written}')
    arguments = ['--ros-args', '--params-file', str(file)]
    node = Probe(context=client.context, cli_args=arguments)
    try:
        assert (node.settings.angles, node.settings.names, node.settings.count) == ((), (), 5)
        angles, names = node.get_parameters(['angles', 'names'])
        assert (angles.type_, list(angles.value)) == (Parameter.Type.DOUBLE_ARRAY, [])
        assert (names.type_, list(names.value)) == (Parameter.Type.STRING_ARRAY, [])
        (result,) = node.set_parameters([Parameter('names', value=['a'])])
        assert result.successful
        assert node.settings.names == ('a',)
    finally:
        node.destroy_node()


def test_parameters_describe_themselves(client, running):
    request = DescribeParameters.Request(names=['period', 'weight', 'count', 'path', 'mode'])
    answer = client.call(DescribeParameters, 'probe/describe_parameters', request)
    period, weight, count, path, mode = answer.descriptors
    assert period.description == 'Period; s.'
    assert period.floating_point_range[0].to_value == 1.0
    assert weight.floating_point_range[0].from_value == 0.0
    assert count.integer_range[0].from_value == 1
    assert path.read_only
    assert mode.additional_constraints == 'slow, fast'


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('period', 2.0, 'out of range'),
        ('weight', float('nan'), 'weight: must be finite|out of range'),
        ('weight', float('inf'), 'weight: must be finite|out of range'),
        ('count', 0, 'out of range'),
        ('count', 13, 'bad luck'),
        ('mode', 'lazy', "mode: must be one of slow, fast, got 'lazy'"),
        ('angles', ['a'], "angles[0]: must be a number, got 'a'"),
        ('angles', [float('nan')], 'angles[0]: must be finite'),
        ('angles', 'a', 'angles: must be a list'),
        ('angles', 1.0, 'angles: must be a list'),
        ('names', [1.0], 'names[0]: must be a string'),
        ('path', 'x', 'read-only'),
    ],
)
def test_F39_bad_set_is_refused_with_its_reason_and_changes_nothing(
    client, running, name, value, reason
):
    before = running.settings
    result = client.set_parameter('probe', name, value)
    assert not result.successful
    assert any(part in result.reason for part in reason.split('|')), result.reason
    assert running.settings == before
    assert ('applied', before.count) not in running.calls


def test_good_set_is_applied_once_it_is_made(client, running):
    assert client.set_parameter('probe', 'count', 5).successful
    assert running.settings.count == 5
    assert ('applied', 5) in running.calls


@pytest.mark.parametrize(
    ('name', 'value'),
    [('count', 13), ('period', 7.0), ('period', 1), ('mode', 'x'), ('angles', 's')],
)
def test_F39_settings_to_start_with_are_checked_as_well(probe, name, value):
    with pytest.raises(ConfigurationError, match=name):
        probe(**{name: value})


def test_F26_node_survives_exceptions_in_callbacks(client, running):
    """They are counted; what comes after is handled."""
    received = client.record(String, 'echo', qos.latched())
    say = client.publisher(String, 'say', qos.command())
    before = running.callback_errors
    for text in ('fail', 'fail', 'good'):
        say.publish(String(data=text))
    client.wait_for(received)
    assert received.last.data == 'good'
    assert running.callback_errors >= before + 2
    ticks = running.ticks
    client.wait_until(lambda: running.ticks > ticks + 10)


def test_F26_failing_service_answers_with_the_reason(client, running):
    before = running.callback_errors
    response = client.call(Trigger, 'probe/fail')
    assert not response.success
    assert response.message == 'ValueError: told to'
    assert running.callback_errors > before


def test_F26_errors_are_logged_once_a_second_not_each_time(client, running, capfd):
    client.wait_until(lambda: running.callback_errors > 20)
    errors = capfd.readouterr().err
    assert 1 <= errors.count('Probe.on_tick failed') <= 3
    assert 'every second time' in errors


def state_of(node):
    return node._state_machine.current_state[0]


def test_lifecycle_calls_what_the_node_fills_in(probe):
    node = probe()
    assert state_of(node) == State.PRIMARY_STATE_UNCONFIGURED
    assert node.start()
    assert node.is_active
    node.trigger_deactivate()
    assert not node.is_active
    node.trigger_cleanup()
    node.trigger_configure()
    assert state_of(node) == State.PRIMARY_STATE_INACTIVE
    lifecycle = ['configured', 'activated', 'deactivated', 'closed', 'configured']
    assert node.calls == lifecycle


@pytest.mark.parametrize(
    ('asked', 'state'),
    [
        (Transition(id=Transition.TRANSITION_ACTIVATE), 'unconfigured'),
        (Transition(id=Transition.TRANSITION_CLEANUP), 'unconfigured'),
        (Transition(id=Transition.TRANSITION_CONFIGURE), 'active'),
        (Transition(id=Transition.TRANSITION_CLEANUP), 'active'),
        (Transition(id=250), 'active'),
        (Transition(label='nonsense'), 'active'),
    ],
)
def test_a_transition_that_is_not_allowed_is_refused_and_changes_nothing(
    client, probe, capfd, asked, state
):
    """Rclpy raises, which would end the process without an answer."""
    node = probe()
    if state == 'active':
        assert node.start()
    calls = list(node.calls)
    request = ChangeState.Request(transition=asked)
    assert not client.call(ChangeState, 'probe/change_state', request).success
    assert (node._state_machine.current_state[1], node.calls) == (state, calls)
    if not asked.label:
        assert f'transition {asked.id}: not allowed while {state}' in capfd.readouterr().err
    node.trigger_shutdown()


def test_without_autostart_it_waits(probe):
    node = probe(autostart=False)
    assert node.start()
    assert node.calls == []


def test_inactive_node_does_not_tick_and_does_not_listen(client, running):
    say = client.publisher(String, 'say', qos.command())
    running.trigger_deactivate()
    ticks, errors = running.ticks, running.callback_errors
    say.publish(String(data='fail'))
    assert not client.call(Trigger, 'probe/fail').success  # services answer
    for _ in range(10):
        client.spin()
    assert running.ticks == ticks
    assert running.callback_errors == errors + 1


def test_cleanup_destroys_what_configure_made(probe):
    node = probe()
    timers = list(node.timers)
    assert node.clock_watch.timer in timers
    assert node.start()
    assert '/echo' in {publisher.topic_name for publisher in node.publishers}
    assert len(list(node.timers)) == len(timers) + 1
    node.trigger_deactivate()
    node.trigger_cleanup()
    assert '/echo' not in {publisher.topic_name for publisher in node.publishers}
    assert '/say' not in {subscription.topic_name for subscription in node.subscriptions}
    assert list(node.timers) == timers


def test_cleanup_leaves_nothing_behind_in_the_callback_group(probe):
    """However often a node is configured."""
    node, counts = probe(), []
    for _ in range(3):
        node.trigger_configure()
        node.trigger_cleanup()
        counts.append(len(node.default_callback_group.entities))
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize(('path', 'message'), [('bad', 'path: is bad'), ('worse', 'ZeroDivision')])
def test_failing_configuration_is_said_and_leaves_nothing_behind(probe, capfd, path, message):
    """Rclpy itself would swallow the exception silently."""
    node = probe(path=path)
    assert not node.start()
    assert state_of(node) == State.PRIMARY_STATE_UNCONFIGURED
    assert f'cannot configure: {"" if path == "worse" else message}' in capfd.readouterr().err
    assert '/leftover' not in {publisher.topic_name for publisher in node.publishers}


def test_qos_can_be_overridden(probe):
    """The profiles of ``qos`` are not spoilt by that for others."""
    name = 'qos_overrides./say.subscription.depth'
    node = probe(**{name: 77})
    assert node.start()
    assert node.get_parameter(name).value == 77
    assert qos.command().depth == 10


def test_profiles_are_what_the_conventions_say():
    assert qos.sensor_input().reliability == rclpy.qos.ReliabilityPolicy.BEST_EFFORT
    for output in (qos.stream_output(), qos.command(), qos.latched()):
        assert output.reliability == rclpy.qos.ReliabilityPolicy.RELIABLE
    assert qos.latched().durability == rclpy.qos.DurabilityPolicy.TRANSIENT_LOCAL
    assert qos.latched().depth == 1

"""``~/apply``: refused until the estimate has been valid for a while, then in the right fields."""

from dataclasses import replace

from diagnostic_msgs.srv import AddDiagnostics
from estimator_sensors import estimator, robots_folder
from geometry_msgs.msg import InertiaStamped
from loaded_arm import PRIOR, result_of
import pytest
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import parameter_value_to_python
from ros_harness import Client
import yaml

from spacerobot_id.estimation.verdict import Defect
from spacerobot_id.estimation.write_back.output_yaml import load_output, parse_output
from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.estimator import applying as output_writers
from spacerobot_id.nodes.estimator.applying import output_writer, SteadyValidity
from spacerobot_id.nodes.estimator.live_result import LiveResult

RESULT = result_of()
WHOLE = RESULT.robot
SERVICE = """
service: monitor/add
type: diagnostic_msgs/srv/AddDiagnostics
fields: {load_namespace: frame}
"""


@pytest.fixture(name='client')
def client_in_this_process():
    with Client(namespace='writers') as client:
        yield client


def written(client, output, file=''):
    """Write the result in this process; return the message."""
    writer = output_writer(client.node, output, file, ReentrantCallbackGroup())

    async def write():
        try:
            return await writer.write(RESULT, 2.5)
        except ConfigurationError as error:
            return error

    if hasattr(writer, '_client'):
        client.wait_until(writer._client.service_is_ready)
    task = client.executor.create_task(write())
    client.wait_until(task.done)
    return task.result()


def report_of(defects=(), resets=0, changes=0):
    result = replace(RESULT, defects=defects, changes=changes)
    return LiveResult(result, 2.5, resets, 0, '', 'base_twist')


def test_an_estimate_has_to_be_valid_for_a_while():
    """Without a defect, a reset or a change of the robot in between; chatter never gets there."""
    now = [0.0]
    validity = SteadyValidity(5.0, lambda: now[0])
    bad = report_of((Defect('noise', 'too noisy'),))
    assert validity.refusal(bad) == 'the estimate is not valid: too noisy'
    for _ in range(10):
        assert 'valid for 0.0 s, apply_after is 5 s' in validity.refusal(report_of())
        now[0] += 4.0
        assert 'valid for 4.0 s' in validity.refusal(report_of())
        assert 'not valid' in validity.refusal(bad)
    validity.refusal(report_of())
    now[0] += 5.0
    assert validity.refusal(report_of()) == ''
    for other in (report_of(resets=1), report_of(resets=1, changes=1)):
        assert 'valid for 0.0 s' in validity.refusal(other)
        now[0] += 5.0
        assert validity.refusal(other) == ''


def test_a_topic_gets_the_values_latched(client):
    received = client.record(InertiaStamped, 'mob/inertia', qos.latched())
    assert 'published on /writers/mob/inertia' in written(client, load_output('astrobee'))
    client.wait_until(lambda: received)
    assert received.last.header.frame_id == PRIOR.links[0].name
    assert received.last.header.stamp.nanosec == 500_000_000
    assert received.last.inertia.m == WHOLE.mass
    assert received.last.inertia.com.y == WHOLE.com[1]
    assert received.last.inertia.ixz == WHOLE.inertia_about_com[0, 2]


@pytest.mark.parametrize('accepts', [True, False])
def test_a_service_is_called_and_its_answer_is_said(client, accepts):
    asked = []

    def answer(request, response):
        asked.append(request.load_namespace)
        response.success, response.message = accepts, 'as asked' if accepts else 'not today'
        return response

    client.node.create_service(AddDiagnostics, 'monitor/add', answer)
    text = str(written(client, parse_output(SERVICE, 'out.yaml')))
    assert (
        text == f'/writers/monitor/add {"answers: as asked" if accepts else "refuses: not today"}'
    )
    assert asked == [PRIOR.links[0].name]


def test_a_service_that_does_not_answer_is_given_up(client, monkeypatch):
    monkeypatch.setattr(output_writers, '_PATIENCE', 0.2)
    with Client('silent', 'writers') as silent:  # never spins
        silent.node.create_service(AddDiagnostics, 'monitor/add', lambda _, answer: answer)
        message = str(written(client, parse_output(SERVICE, 'out.yaml')))
    assert message == '/writers/monitor/add: no answer within 0.2 s'


def test_a_file_is_written(client, tmp_path):
    path = tmp_path / 'new' / 'model.yaml'
    assert written(client, load_output('px4_spacecraft'), str(path)) == str(path)
    assert yaml.safe_load(path.read_text())['mass'] == WHOLE.mass


def test_what_cannot_be_written_is_said_before_anything_flies(client):
    """Types that are not installed, fields that these have not, files without a path."""
    group = ReentrantCallbackGroup()
    for name, package in (('ur_payload', 'ur_msgs'), ('basilisk_bridge', 'bsk_msgs')):
        with pytest.raises(ConfigurationError, match=f'needs the package {package}, which is not'):
            output_writer(client.node, load_output(name), '', group)
    wrong = parse_output(SERVICE.replace('load_name', 'name'), 'out.yaml')
    with pytest.raises(DescriptionError, match=r'fields\.namespace: namespace: .* has no field'):
        output_writer(client.node, wrong, '', group)
    with pytest.raises(
        ConfigurationError, match=r'apply_file: .*px4_spacecraft\.yaml writes a file'
    ):
        output_writer(client.node, load_output('px4_spacecraft'), '', group)


def test_parameters_of_another_node_are_set_once_the_estimate_is_valid(tmp_path_factory):
    """The node as a whole: too early, no such node, refused by it, set, and not after a reset."""
    settings = {'apply': 'stanford_freeflyer', 'apply_after': 1.0}
    with estimator(robots_folder(tmp_path_factory), 'applied', **settings) as sensors:
        assert not sensors.call('apply').success
        sensors.fly(600)
        mass = sensors.settle()['mass']
        client, applications = sensors.client, []

        def applied(text):
            applications.append(sensors.call('apply'))
            return text in applications[-1].message

        client.wait_until(lambda: applied('no such service is there now'))
        assert not applications[-1].success
        answers, received = [SetParametersResult(successful=False, reason='locked')], []

        def answer(request, response):
            received.append({each.name: each.value for each in request.parameters})
            response.result = answers[-1]
            return response

        name = 'robot_params_node/set_parameters_atomically'
        client.node.create_service(SetParametersAtomically, name, answer)
        client.wait_until(lambda: applied('robot_params_node refuses: locked'))
        assert not applications[-1].success
        answers.append(SetParametersResult(successful=True))
        assert applied('robot_params_node: set dynamics.mass, dynamics.inertia')
        assert applications[-1].success
        values = {key: parameter_value_to_python(each) for key, each in received[-1].items()}
        assert values['dynamics.mass'] == pytest.approx(mass, rel=1e-9)
        assert len(values['dynamics.CoM_offset']) == 2
        sensors.node.wait_for_output('applied: robot_params_node: set')
        assert sensors.call('reset').success
        assert sensors.call('apply').message == 'the estimate is not valid: no samples yet'

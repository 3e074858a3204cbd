"""What the estimator publishes of a flight, and the services that it answers."""

from diagnostic_msgs.msg import DiagnosticStatus
from estimator_sensors import (
    assert_good,
    CHUNK,
    EVERY_TOPIC,
    long_flight,
    robots_folder,
    TRUE,
)
from geometry_msgs.msg import InertiaStamped
from live_report import live_report
import numpy as np
from numpy.testing import assert_allclose
import pytest
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import String
from streams import messages, ROBOT
from visualization_msgs.msg import MarkerArray

from spacerobot_id.model import robot_from_urdf_string
from spacerobot_id.multibody import whole_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.estimator.estimate_outputs import inertial_from_message
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='flight')
def flight_to_ask_about(folder):
    with long_flight(folder, 'flight', save_file=str(folder / 'out' / 'estimate.json')) as sensors:
        yield sensors


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
    for name, received in links.items():
        for message in received:
            assert message.header.frame_id == name
            assert inertial_from_message(message).is_physical()


def test_prior_and_estimate_can_be_looked_at(flight):
    """URDFs that read as robots; ellipsoids of every link and of the whole in known frames."""
    client = flight.client
    topics = ('estimator/prior/robot_description', 'estimator/robot_description')
    prior, estimate = (client.record(String, topic, qos.latched()) for topic in topics)
    markers = client.record(MarkerArray, 'estimator/markers', qos.latched())
    client.wait_until(lambda: prior and estimate and markers)
    for received in (prior, estimate):
        read = robot_from_urdf_string(received.last.data)
        assert (read.link_names, read.joint_names) == (ROBOT.link_names, ROBOT.joint_names)
    mass = sum(link.inertial.mass for link in robot_from_urdf_string(estimate.last.data).links)
    truth = sum(link.inertial.mass for link in ROBOT.links)
    assert mass == pytest.approx(truth, rel=0.01)
    client.wait_until(lambda: any(m.ns.endswith('estimate/outer') for m in markers.last.markers))
    shown = {(each.ns, each.header.frame_id): each for each in markers.last.markers}
    for kind in ('prior', 'estimate'):
        for name in ROBOT.link_names:
            inner, outer = (shown[f'links/{kind}/{side}', name] for side in ('inner', 'outer'))
            assert 0.0 < inner.scale.x < outer.scale.x
        assert ('whole/' + kind + '/centre', 'base') in shown
    widths = [
        shown[f'whole/{kind}/outer', 'base'].scale.x - shown[f'whole/{kind}/inner', 'base'].scale.x
        for kind in ('estimate', 'prior')
    ]
    assert widths[0] < 0.1 * widths[1]


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
    saved = live_report((folder / 'out' / 'estimate.json').read_text())
    assert saved['values'] == flight.report['values']


def test_the_page_of_the_estimate_follows(flight, folder):
    """While the node goes on: whole when it is there, with the tables beside it."""
    page = folder / 'out' / 'estimate.html'
    assert flight.call('save').success
    flight.client.wait_until(page.exists)
    text = page.read_text()
    assert text.rstrip().endswith('</html>')
    for name in flight.report['names']:
        assert f'<th scope="row">{name}</th>' in text
    for section in ('bodies', 'convergence', 'residuals', 'streams'):
        assert f'<section id="{section}">' in text
    flight.client.wait_until(lambda: (folder / 'out' / 'estimate.covariance.csv').exists())


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
    counts = flight.counts('imu/data')
    assert (
        int(counts['accepted']) + int(counts['rejected: has no stamp']) == flight.sent['imu/data']
    )


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('robot', 'other.urdf', 'read-only'),
        ('save_file', '/etc/passwd', 'read-only'),
        ('checkpoint_file', '/etc/passwd', 'read-only'),
        ('gate', 0.0, 'read-only'),
        ('frozen_samples', 0, 'read-only'),
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
    for earlier in (live_report(each.data) for each in flight.reports):
        if earlier['resets']:
            assert earlier['samples'] <= 600
        else:
            assert earlier['samples'] == before['samples']
    empty = next(
        earlier
        for earlier in map(live_report, (each.data for each in flight.reports))
        if earlier['resets'] == 1
    )
    assert (empty['samples'], empty['valid']) == (0, False)
    assert empty['defects'] == ['no samples yet']
    assert_good(report, 550)

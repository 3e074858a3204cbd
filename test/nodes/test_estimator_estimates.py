"""Estimates under hard conditions: no base velocity, a changed robot, wrong data, a flood."""

from dataclasses import replace

from diagnostic_msgs.msg import DiagnosticStatus
from estimator_sensors import (
    assert_good,
    CHUNK,
    estimator,
    EVERY_TOPIC,
    failing,
    robots_folder,
    standing_still,
    TRUE,
)
from geometry_msgs.msg import InertiaStamped
from live_report import live_report
import numpy as np
from numpy.testing import assert_allclose
import pytest
from rcl_interfaces.srv import GetParameters
from rosgraph_msgs.msg import Clock
from small_robot import small_robot_prior
from streams import flight, messages, ROBOT, STEP, TYPES

from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.estimator.estimate_outputs import inertial_from_message
from spacerobot_id.nodes.messages import array_from_vector3, clock_message, vector3_from_array
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


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
    """Reported in the log and in the report; what was received before is used."""
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


def test_F26_a_file_that_cannot_be_saved_is_answered_and_survived(poses):
    """With the reason, which is no error of the node; samples are taken as before."""
    answer = poses.call('save')
    assert not answer.success
    assert 'not written: ' in answer.message
    samples = poses.report['samples']
    poses.fly(50)
    poses.client.wait_until(lambda: poses.report['samples'] > samples)
    assert poses.counts()['callback errors'] == '0'


def test_a_stray_base_twist_changes_nothing(poses):
    """Two messages are no stream: the poses give the velocity on, and no sample is lost."""
    samples, topics = poses.report['samples'], poses.topics
    poses.publishers['base_twist'] = poses.client.publisher(
        TYPES['base_twist'], 'base_twist', qos.stream_output(1000)
    )
    poses.meet(['base_twist'])  # with a good one at its end
    poses.topics = EVERY_TOPIC
    poses.fly(2)
    poses.topics = topics
    poses.fly(100)
    poses.client.wait_until(lambda: poses.report['samples'] >= samples + 90)
    assert poses.report['velocity_source'] == 'base_pose'


def test_a_base_twist_that_comes_late_is_used(poses):
    """With another noise the estimate starts again."""
    poses.topics = EVERY_TOPIC
    poses.fly(200)
    assert poses.settle()['velocity_source'] == 'base_twist'
    assert poses.report['samples'] <= 250
    poses.node.wait_for_output('base_twist has come')


# Data of another robot than there can be.


def can_be(inertia, mass=1.0):
    """Return whether a body can have a mass and moments about its centre of mass."""
    moments = np.linalg.eigvalsh(np.reshape(inertia, (3, 3)))
    return mass > 0.0 and moments[0] > 0.0 and moments[2] <= (moments[0] + moments[1]) * 1.001


def reversed_base(messages):
    """Return messages of a base that goes along with its arms: its mass is negative."""
    rates = array_from_vector3(messages['imu/data'].angular_velocity)
    messages['imu/data'].angular_velocity = vector3_from_array(-rates)
    linear = array_from_vector3(messages['base_twist'].twist.linear)
    messages['base_twist'].twist.linear = vector3_from_array(-linear)
    return messages


@pytest.mark.parametrize('method', ['least_squares', 'momentum'])
def test_F32_an_impossible_estimate_is_never_published_as_valid(folder, method):
    """Neither by topic nor by service; what goes to a controller is always a body."""
    topics = ('joint_states', 'imu/data', 'base_twist')
    with estimator(folder, f'impossible_{method}', topics, method=method) as sensors:
        inertia = sensors.client.record(InertiaStamped, 'estimator/inertia', qos.latched())
        sensors.fly(400, reversed_base)
        report = sensors.settle()
        if method == 'least_squares':
            assert report['mass'] < 0.0
            assert 'is not positive' in ' '.join(report['defects'])
            request = GetParameters.Request(names=['valid'])
            answer = sensors.client.call(GetParameters, 'estimator/get_estimate', request)
            assert answer.values[0].bool_value is False
            assert sensors.status().level == DiagnosticStatus.WARN
        reports = [live_report(each.data) for each in sensors.reports]
        assert len(reports) > 5
        for each in reports:
            assert not each['valid'] or can_be(each['inertia'], each['mass'])
        for message in inertia:
            body = inertial_from_message(message)
            assert can_be(body.inertia_about_com, body.mass)


def test_F11_a_gyro_in_other_axes_than_the_pose_is_an_error_that_says_so(folder):
    """Forward, right, down instead of forward, left, up: the estimate is not valid."""

    def flipped(messages):
        x, y, z = array_from_vector3(messages['imu/data'].angular_velocity)
        messages['imu/data'].angular_velocity = vector3_from_array([x, -y, -z])
        return messages

    with estimator(folder, 'flipped') as sensors:
        text = 'imu/data and base_pose disagree about the motion of the base'
        for _ in range(30):
            sensors.fly(CHUNK, flipped)
            if text in sensors.status().message:
                break
        assert text in sensors.status().message
        assert sensors.status().level == DiagnosticStatus.ERROR
        sensors.client.wait_until(lambda: text in ' '.join(sensors.report['defects']))
        assert not sensors.report['valid']
        sensors.node.wait_for_output(text)


PAYLOAD = InertialParameters.from_com(2.0, np.array([0.5, 0.1, 0.0]), 0.02 * np.eye(3))


def with_payload(robot):
    """Return the robot with a body at the end of its left arm."""
    base, left, right = robot.links
    held = InertialParameters.from_vector(left.inertial.vector + PAYLOAD.vector)
    return replace(robot, links=[base, replace(left, inertial=held), right])


def test_F30_F31_outliers_are_refused_and_a_payload_is_announced_and_learnt(folder):
    """Single samples under a thruster's kick first, then another robot for good."""
    seen = flight()
    heavier = base_twist_from_momentum(
        with_payload(ROBOT), seen.positions[:, :2], seen.velocities[:, :2], seen.velocities[:, 2:]
    )

    def kicked(messages):
        if sensors.row % 20 == 0:
            messages['imu/data'].angular_velocity.x += 0.05
        return messages

    def loaded(messages):
        noise = ROBOT.noise.base_linear_velocity * sensors.rng.normal(size=6)
        twist = heavier[sensors.row % len(heavier)] + noise
        messages['base_twist'].twist.linear = vector3_from_array(twist[:3])
        messages['imu/data'].angular_velocity = vector3_from_array(twist[3:])
        return messages

    with estimator(folder, 'payload', settle_time=2.0, update_period=0.1) as sensors:
        sensors.fly(700)
        sensors.settle()
        sensors.fly(200, kicked)
        report = sensors.settle()
        assert_good(report)
        assert 8 <= report['rejected'] <= 12
        assert report['changes'] == 0
        sensors.client.wait_until(
            lambda: sensors.counts()['samples that did not fit'] == str(report['rejected'])
        )
        sensors.fly(400, loaded)
        sensors.client.wait_until(lambda: sensors.report['changes'])
        sensors.client.wait_until(lambda: not sensors.report['updates_waiting'])
        report = sensors.report
        assert report['changes'] == 1
        sensors.node.wait_for_output('the robot has changed')
        place = report['changed_links'].index('left')
        error = report['changed_mass'][place] - PAYLOAD.mass
        assert abs(error) < 5.0 * report['changed_mass_std'][place]
        assert abs(error) < 0.1


def test_noise_that_is_stated_too_small_is_warned_of(folder):
    """Twice as much as the description says: a residual of four."""

    def noisier(sent):
        extra = np.sqrt(3.0) * ROBOT.noise.joint_rate * sensors.rng.normal(size=(3, 3))
        linear, turning = (
            sent['base_twist'].twist.linear,
            sent['imu/data'].angular_velocity,
        )
        sent['base_twist'].twist.linear = vector3_from_array(array_from_vector3(linear) + extra[0])
        sent['imu/data'].angular_velocity = vector3_from_array(
            array_from_vector3(turning) + extra[1]
        )
        rates = sent['joint_states'].velocity
        sent['joint_states'].velocity = [*(rates[:2] + extra[2, :2]), *rates[2:]]
        return sent

    with estimator(folder, 'noisier') as sensors:
        sensors.fly(400, noisier)
        report = sensors.settle()
        assert report['chi_square'] == pytest.approx(4.0, rel=0.15)
        assert report['valid'], report['defects']
        scores = (np.array(report['values']) - TRUE) / report['std']
        assert np.sqrt(np.mean(scores**2)) < 2.0
        assert sensors.status().level == DiagnosticStatus.WARN
        assert 'noise stated too small: residual ' in sensors.status().message


# Without excitation, without a clock, with too much.


def test_F28_hours_at_rest_with_forgetting_change_nothing(folder):
    """An hour by the stamps: neither values nor deviations drift."""
    settings = {'forgetting_time': 2.0, 'most_samples': 1000, 'longest_gap': 5.0}
    with estimator(folder, 'rest', **settings) as sensors:
        sensors.fly(1300)
        sensors.fly(150, standing_still)  # at rest all samples are fitted once more
        sensors.call('refine')
        before = sensors.quiet()
        sensors.fly(1200, standing_still, step_time=3.0)
        after = sensors.quiet()
        assert after['stamp'] - before['stamp'] > 3500.0
        assert after['values'] == before['values']
        assert after['std'] == before['std']


def test_F18_watchdogs_keep_running_when_the_clock_is_set_back(folder):
    """The node's clock goes back by an hour and stands still: all goes on, on a steady one."""
    arguments = ('-r', '/clock:=clock', '-p', 'use_sim_time:=true')
    with estimator(folder, 'back', arguments=arguments) as sensors:
        clock = sensors.client.publisher(Clock, 'clock', qos.stream_output())

        def is_at(instant):
            clock.publish(clock_message(instant))  # again: what comes too early is not received
            return sensors.diagnostics.header.stamp.sec == int(instant)

        for instant in (5000.0, 1400.0):
            sensors.client.wait_until(lambda instant=instant: is_at(instant))
        sensors.fly(100)
        assert sensors.settle()['samples'] > 50
        sensors.client.wait_for(sensors.reports, 3)
        sensors.node.wait_for_output('time stands still')


def accepted(sensors):
    return [sensors.counts(topic)['accepted'] for topic in EVERY_TOPIC]


def test_F25_a_flood_is_bounded_counted_and_worked_off(folder):
    """Eight thousand messages at once: what found no room is counted, the rest worked off."""
    with estimator(folder, 'flood', longest_gap=60.0) as sensors:
        sensors.fly(100)
        rows = range(sensors.row, sensors.row + 2000)
        flood = [
            messages(row, sensors.stamp + STEP * k, sensors.rng) for k, row in enumerate(rows)
        ]
        for sent in flood:
            sensors.publish(sent)
        assert sensors.client.call(GetParameters, 'estimator/get_estimate').values == []
        sensors.row, sensors.stamp = rows[-1] + 1, sensors.stamp + STEP * len(rows)
        sensors.quiet()  # the newest, too, may have found no room
        last = [None]

        def all_received():
            """Return whether three reports more have brought no message more."""
            count = len(sensors.reports)
            if last[0] is None or last[0][1] != accepted(sensors):
                last[0] = count, accepted(sensors)
            return count >= last[0][0] + 3

        sensors.client.wait_until(all_received)
        for topic in EVERY_TOPIC:
            counts = sensors.counts(topic)
            sensors.sent[topic] = int(counts['accepted']) + int(counts['rejected'])
        sensors.fly(CHUNK)
        assert sensors.settle()['stamp'] == pytest.approx(sensors.stamp - STEP)
        for topic in EVERY_TOPIC:
            counts = sensors.counts(topic)
            counted = int(counts['accepted']) + int(counts['missing'])
            assert counted == pytest.approx(2101 + CHUNK, abs=5)
        assert sensors.counts()['updates dropped'] == '0'

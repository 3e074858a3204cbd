"""``identify`` of free-flyers: poses of the base and wrenches on it, from a log."""

from dataclasses import replace
import json

from free_flyer_flights import flight, LOADED, PERIOD, record, ROBOT
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import FREE_FLYER
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.methods.harmonic_least_squares import harmonic_least_squares, periodic_samples
from spacerobot_id.model import shipped_file

WHOLE = record(flight(), noise=0.1)
BASE = ROBOT.links[0].name
URDF = str(shipped_file('config/robots/space_cobot.urdf'))


def streams(name='applied_wrench', frame=BASE):
    times, commands = 10.0 + WHOLE.times, 10.0 + WHOLE.wrench.times
    pose = PoseStream(times, times, 'world', WHOLE.position, WHOLE.attitude)
    wrench = WrenchStream(commands, commands, frame, WHOLE.wrench.values)
    return BagStreams(pose=pose, **{name: wrench})


def flight_record(log):
    return record_from_log(ROBOT, log, needs=FREE_FLYER).measurement


@pytest.fixture(name='bag', scope='module')
def written_bag(tmp_path_factory):
    folder = tmp_path_factory.mktemp('log') / 'bag'
    write_bag(folder, streams())
    return str(folder)


def identified(capsys, bag, *arguments):
    code = main(['identify', bag, '--robot', URDF, '--json', *arguments])
    out = capsys.readouterr().out
    assert code == 0
    return json.loads(out)


def test_wrenches_are_written_and_read(bag):
    """The record of the bag is that of the flight."""
    found = flight_record(read_bag(bag, needed=('pose',)))
    np.testing.assert_allclose(found.times, 10.0 + WHOLE.times, atol=1e-6)
    np.testing.assert_allclose(found.position, WHOLE.position)
    np.testing.assert_allclose(found.wrench.values, WHOLE.wrench.values)


def test_maximum_likelihood_finds_the_body(capsys, bag):
    result = identified(capsys, bag, '--method', 'free_flyer')
    values, std = (np.array(result['parameters'][key]) for key in ('values', 'std'))
    assert (np.abs(values - LOADED.vector) < 4.0 * std).all()
    mass = result['parameters']['names'].index('m')
    assert values[mass] == pytest.approx(LOADED.mass, rel=0.02)
    assert result['intervals_hold'] is True


@pytest.mark.parametrize('method', ['harmonic_least_squares', 'recursive_harmonic_least_squares'])
def test_cycles_are_averaged(capsys, bag, method):
    """The same as from the flight itself, and near the truth; it is said that it is biased."""
    result = identified(capsys, bag, '--method', method, '--period', str(PERIOD))
    values = np.array(result['parameters']['values'])
    mass = result['parameters']['names'].index('m')
    assert values[mass] == pytest.approx(LOADED.mass, rel=0.1)
    if method == 'harmonic_least_squares':
        samples = round(PERIOD / np.median(np.diff(WHOLE.times)))
        direct = harmonic_least_squares(periodic_samples(WHOLE, PERIOD, samples))
        np.testing.assert_allclose(values, direct.values, rtol=1e-4, atol=1e-6)
    assert result['intervals_hold'] is False
    arguments = ['identify', bag, '--robot', URDF, '--method', method, '--all']
    assert main([*arguments, '--period', '10']) == 0
    assert 'WARNING' in capsys.readouterr().out


def test_what_is_held_out_is_predicted(capsys, bag):
    """The last quarter of the poses, to their noise, by the body found in the others."""
    result = identified(capsys, bag, '--method', 'free_flyer', '--holdout', '0.25')
    assert result['validation']['samples'] == 200
    assert result['validation']['units'] == ['m'] * 3 + ['rad'] * 3
    assert result['quality']['is_white']


def test_what_was_asked_for_is_cut_down_to_the_propellers():
    """Without reports of the drives; what these give counts as it is."""
    large = 1e3 * np.ones_like(WHOLE.wrench.values)
    log = streams('wrench')
    asked = replace(log, wrench=replace(log.wrench, wrenches=large))
    given = flight_record(asked).wrench.values
    assert np.abs(given).max() < 100.0
    log = streams()
    applied = replace(log, applied_wrench=replace(log.applied_wrench, wrenches=large))
    np.testing.assert_array_equal(flight_record(applied).wrench.values, large)


def test_what_cannot_be_done_is_said(capsys, bag):
    arguments = ['identify', bag, '--robot', URDF, '--method']
    assert main([*arguments, 'harmonic_least_squares']) != 0
    assert 'needs the period' in capsys.readouterr().err
    assert main([*arguments, 'free_flyer', '--out-urdf', 'body.urdf']) != 0
    assert (
        'it does not show how the parameters divide between the links' in capsys.readouterr().err
    )
    with pytest.raises(MeasurementError, match='not the base'):
        flight_record(streams(frame='world'))
    with pytest.raises(MeasurementError, match='base_wrench or applied_wrench is not in the log'):
        flight_record(BagStreams(pose=streams().pose))
    late = streams()
    wrench = replace(late.applied_wrench, stamps=late.applied_wrench.stamps + 1e3)
    with pytest.raises(MeasurementError, match='no sample comes after the first wrench'):
        flight_record(replace(late, applied_wrench=wrench))


def test_F12_a_pose_that_freezes_while_wrenches_act_is_refused():
    """With the message of the node; the poses before are good."""
    log = streams()
    positions, attitudes = log.pose.positions.copy(), log.pose.attitudes.copy()
    positions[400:], attitudes[400:] = positions[400], attitudes[400]
    held = replace(log, pose=replace(log.pose, positions=positions, attitudes=attitudes))
    found = record_from_log(ROBOT, held, needs=FREE_FLYER)
    reason = 'base_pose: value is frozen: the same in 25 samples, while the robot moves'
    assert set(found.rejected) == {reason}
    assert found.rejected[reason] == len(positions) - len(found.measurement)
    assert 400 < len(found.measurement) < 500
    assert found.warnings() == (
        f'{reason}: {found.rejected[reason]} of {len(positions)} messages were not used',
    )


def test_quaternions_that_are_none_are_counted_with_the_words_of_the_node():
    log = streams()
    attitudes = log.pose.attitudes.copy()
    attitudes[::50] *= 0.5
    found = record_from_log(
        ROBOT, replace(log, pose=replace(log.pose, attitudes=attitudes)), needs=FREE_FLYER
    )
    assert found.rejected == {'base_pose: quaternion is not of unit length': 16}
    assert found.messages['base_pose'] == len(attitudes)

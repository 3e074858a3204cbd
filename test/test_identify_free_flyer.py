"""``identify`` of free-flyers: poses of the base and wrenches on it, from a log."""

from dataclasses import replace
import json

from free_flyer_flights import flight, LOADED, PERIOD, record, ROBOT
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.data import BagStreams, PoseStream, WrenchStream
from spacerobot_id.data.bag_reader import read_bag
from spacerobot_id.data.bag_writer import write_bag
from spacerobot_id.estimation import harmonic_least_squares, periodic_samples
from spacerobot_id.estimation.free_flyer_identification import free_flyer_record
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import shipped_file

WHOLE = record(flight(), noise=0.1)
BASE = ROBOT.links[0].name
URDF = str(shipped_file('config/robots/space_cobot.urdf'))


def streams(name='applied_wrench', frame=BASE):
    times, commands = 10.0 + WHOLE.times, 10.0 + WHOLE.command_times
    pose = PoseStream(times, times, 'world', WHOLE.position, WHOLE.attitude)
    wrench = WrenchStream(commands, commands, frame, WHOLE.wrenches)
    return BagStreams(pose=pose, **{name: wrench})


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
    found = free_flyer_record(ROBOT, read_bag(bag, needed=('pose',)))
    np.testing.assert_allclose(found.times, 10.0 + WHOLE.times, atol=1e-6)
    np.testing.assert_allclose(found.position, WHOLE.position)
    np.testing.assert_allclose(found.wrenches, WHOLE.wrenches)


def test_maximum_likelihood_finds_the_body(capsys, bag):
    result = identified(capsys, bag, '--method', 'free_flyer')
    values, std = (np.array(result['body'][key]) for key in ('values', 'std'))
    assert (np.abs(values - LOADED.vector) < 4.0 * std).all()
    mass = result['body']['names'].index('m')
    assert values[mass] == pytest.approx(LOADED.mass, rel=0.02)
    assert result['intervals_hold'] is True


@pytest.mark.parametrize('method', ['harmonic_least_squares', 'recursive_harmonic_least_squares'])
def test_cycles_are_averaged(capsys, bag, method):
    """The same as from the flight itself, and near the truth; it is said that it is biased."""
    result = identified(capsys, bag, '--method', method, '--period', str(PERIOD))
    values = np.array(result['body']['values'])
    mass = result['body']['names'].index('m')
    assert values[mass] == pytest.approx(LOADED.mass, rel=0.1)
    if method == 'harmonic_least_squares':
        samples = round(PERIOD / np.median(np.diff(WHOLE.times)))
        direct = harmonic_least_squares(periodic_samples(WHOLE, PERIOD, samples))
        np.testing.assert_allclose(values, direct.values, rtol=1e-4, atol=1e-6)
    assert result['intervals_hold'] is False
    assert main(['identify', bag, '--robot', URDF, '--method', method, '--period', '10']) == 0
    assert 'WARNING' in capsys.readouterr().out


def test_what_was_asked_for_is_cut_down_to_the_propellers():
    """Without a word of the drives; what these say counts as it is."""
    large = 1e3 * np.ones_like(WHOLE.wrenches)
    log = streams('wrench')
    asked = replace(log, wrench=replace(log.wrench, wrenches=large))
    given = free_flyer_record(ROBOT, asked).wrenches
    assert np.abs(given).max() < 100.0
    log = streams()
    applied = replace(log, applied_wrench=replace(log.applied_wrench, wrenches=large))
    np.testing.assert_array_equal(free_flyer_record(ROBOT, applied).wrenches, large)


def test_what_cannot_be_done_is_said(capsys, bag):
    arguments = ['identify', bag, '--robot', URDF, '--method']
    assert main([*arguments, 'harmonic_least_squares']) != 0
    assert 'needs the period' in capsys.readouterr().err
    assert main([*arguments, 'free_flyer', '--out-urdf', 'body.urdf']) != 0
    assert 'one body' in capsys.readouterr().err
    with pytest.raises(MeasurementError, match='not the base'):
        free_flyer_record(ROBOT, streams(frame='world'))
    with pytest.raises(MeasurementError, match='need base_pose and base_wrench'):
        free_flyer_record(ROBOT, BagStreams(pose=streams().pose))
    late = streams()
    wrench = replace(late.applied_wrench, stamps=late.applied_wrench.stamps + 1e3)
    with pytest.raises(MeasurementError, match='no pose comes after'):
        free_flyer_record(ROBOT, replace(late, applied_wrench=wrench))

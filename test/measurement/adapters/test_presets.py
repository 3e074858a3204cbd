"""Presets: what each bed publishes is read as if it had come on our own topics."""

from dataclasses import fields, replace
from functools import cache
import json
from types import SimpleNamespace

from air_bearing import air_bearing
from bed_logs import bare, bare_stanford, BEDS
from beds import write_messages
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.batch.identify import identify
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter, preset_names
from spacerobot_id.measurement.adapters.conversion import conversion
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.streams.log_streams import LOG_STREAMS
from spacerobot_id.model import Frame, write_robot
from spacerobot_id.regressor import minimal_parameters

ROUNDED = {('px4_spacecraft', 'attitudes'), ('basilisk_bridge', 'attitudes')}
"""What is not bit for bit: roots of one half, and squares of parameters."""


@cache
def bed(name):
    return BEDS[name]()


@pytest.fixture(scope='module', name='logs')
def logs_of_beds(tmp_path_factory):
    """Return a function that writes the log of a bed once."""
    folder = tmp_path_factory.mktemp('beds')

    def log(name):
        path = folder / name
        if not path.exists():
            write_messages(path, bed(name).types, bed(name).messages)
        return path

    return log


def adapter_of(name):
    return load_adapter(name).for_robot(air_bearing())


def test_every_preset_has_a_bed():
    assert set(preset_names()) == set(BEDS)


@pytest.mark.parametrize('name', BEDS)
def test_a_log_is_read_as_our_own_topics(logs, name):
    """Bit for bit where nothing is rounded; stamps too."""
    read, own = read_bag(logs(name), (), adapter_of(name)), bed(name).own
    assert not read.notes
    for kind in LOG_STREAMS:
        given, wanted = getattr(read, kind), getattr(own, kind)
        assert (given is None) == (wanted is None), kind
        for column in fields(wanted) if wanted is not None else ():
            value, expected = getattr(given, column.name), getattr(wanted, column.name)
            if not isinstance(expected, np.ndarray):
                assert value == expected
            elif (name, column.name) in ROUNDED:
                assert_allclose(value, expected, rtol=0, atol=1e-15)
            elif column.name == 'arrivals':
                assert_allclose(value, expected, rtol=0, atol=1e-9)
            else:
                assert_array_equal(value, expected, err_msg=f'{kind}.{column.name}')


def plain(message):
    """Return a message as rclpy has it: attributes of plain classes, sequences as lists."""
    if hasattr(message, '__dataclass_fields__'):
        names = (name for name in message.__dataclass_fields__ if not name.startswith('_'))
        return SimpleNamespace(**{name: plain(getattr(message, name)) for name in names})
    if isinstance(message, np.ndarray) and message.dtype == bool:
        return message.tolist()
    return message


@pytest.mark.parametrize('name', BEDS)
def test_live_messages_are_read_as_those_of_the_log(logs, name):
    """The same conversion, compiled from the first message, takes them one by one."""
    adapter = adapter_of(name)
    read = read_bag(logs(name), (), adapter)
    sources, convert, found = {each.topic: each for each in adapter.sources}, {}, {}
    for arrival, topic, message in sorted(bed(name).messages, key=lambda each: each[0]):
        source, kind = sources[topic.strip('/')], bed(name).types[topic]
        if topic not in convert:
            convert[topic] = conversion(adapter, source, plain(message), kind)
        for quantity, reading in zip(
            source.quantities, convert[topic](plain(message), arrival), strict=True
        ):
            found.setdefault(quantity.kind, []).append(reading)
    for kind, stream, attribute, column in (
        ('base_pose', read.pose, 'attitude', 'attitudes'),
        ('base_pose', read.pose, 'position', 'positions'),
        ('base_twist', read.twist, 'twist', 'twists'),
        ('imu', read.imu, 'angular_velocity', 'angular_velocity'),
        ('base_wrench', read.wrench, 'wrench', 'wrenches'),
        ('thruster_commands', read.thrust, 'shares', 'shares'),
    ):
        assert (kind in found) == (stream is not None)
        if stream is not None:
            values = np.array([getattr(each, attribute) for each in found[kind]])
            assert_array_equal(values, getattr(stream, column))
            stamps = [each.stamp for each in found[kind]]
            assert_allclose(stamps, stream.stamps, rtol=0, atol=1e-9)


OF_TABLE = sorted(set(BEDS) - {'basilisk_bridge'})
"""Beds with the robot of the table; Basilisk's has wheels and a panel."""

SETTINGS = settings_from_mapping(
    {'method': 'momentum_balance', 'planar': True, 'known_mass': 15.4, 'strength': 0.3}
)


def record_of(streams):
    """Return the aligned samples that a fit would be of; markers are at the base's origin."""
    prior = air_bearing(prior=True)
    markers = Frame(0, np.eye(3), np.zeros(3))
    robot = replace(prior, frames={**prior.frames, 'markers': markers})
    method = SETTINGS.method_for(robot)
    return record_from_log(robot, streams, SETTINGS.alignment, method.needs).measurement


@pytest.mark.slow
@pytest.mark.parametrize('name', ['astrobee', 'luxembourg_zero_g'])
def test_the_robot_of_a_bed_is_identified(logs, name):
    """From what the bed publishes, within the intervals that its sensors leave."""
    method = SETTINGS.method_for(air_bearing(prior=True))
    record = record_of(read_bag(logs(name), (), adapter_of(name)))
    result = identify(record, method, SETTINGS.recursion, with_links=False)
    estimate = result.estimate
    seen = np.array([name not in estimate.not_identified() for name in estimate.names])
    errors = estimate.values - minimal_parameters(air_bearing()).values(air_bearing())
    assert seen.sum() >= 8
    assert np.abs(errors / estimate.std)[seen].max() < 5.0


@pytest.mark.parametrize('name', OF_TABLE)
def test_samples_are_those_of_our_own_topics(logs, name):
    """Every column bit for bit, and what acts; PX4's attitudes have a root of one half in them."""
    of_bed = record_of(read_bag(logs(name), (), adapter_of(name)))
    own = record_of(bed(name).own)
    assert len(of_bed) > 1000
    for each in fields(own):
        given, wanted = getattr(of_bed, each.name), getattr(own, each.name)
        if isinstance(wanted, HeldSignal):
            assert_array_equal(given.times, wanted.times)
            assert_array_equal(given.values, wanted.values)
        elif each.name in ('attitude', 'base_twist') and name == 'px4_spacecraft':
            assert_allclose(given, wanted, rtol=0, atol=1e-15)
        else:
            assert_array_equal(given, wanted)


@pytest.mark.slow
def test_a_free_flyer_without_joints_is_identified_as_from_our_own_topics(tmp_path, capsys):
    """By the command, from poses and switches alone; bit for bit, and right."""
    bed = bare_stanford()
    write_messages(tmp_path / 'bed', bed.types, bed.messages)
    write_bag(tmp_path / 'own', bed.own)
    write_robot(bare(prior=True), tmp_path / 'prior.urdf')
    settings = 'method: momentum_balance\nplanar: true\nknown_mass: 12.0\n'
    (tmp_path / 'settings.yaml').write_text(settings)
    found = []
    for name, adapter in (('bed', ['--adapter', 'stanford_freeflyer']), ('own', [])):
        robot, given = str(tmp_path / 'prior.urdf'), str(tmp_path / 'settings.yaml')
        command = ['identify', str(tmp_path / name), '--robot', robot, '--config', given]
        assert main([*command, '--json', *adapter]) == 0
        found.append(json.loads(capsys.readouterr().out)['parameters'])
    of_bed, own = found
    assert of_bed == own
    seen = [own['names'].index(name) for name in ('base.Izz', 'base.mx', 'base.my')]
    values, std = np.array(own['values']), np.array(own['std'])
    errors = values - minimal_parameters(bare()).values(bare())
    assert np.abs(errors / std)[seen].max() < 5.0
    assert (std[seen] < 1e-3).all()

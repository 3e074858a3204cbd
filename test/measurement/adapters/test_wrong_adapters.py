"""A wrong adapter is named by the first contradiction that the sensors of a bed show."""

from functools import cache

from air_bearing import air_bearing
from bed_logs import BEDS
from beds import write_messages
import pytest

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter_yaml import parse_adapter, preset_path
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.monitors.frames import FrameMonitor

SETTINGS = settings_from_mapping({'method': 'momentum_balance', 'planar': True})
ROBOT = air_bearing(prior=True)


@cache
def written(folder, name):
    bed = BEDS[name]()
    write_messages(folder / name, bed.types, bed.messages)
    return folder / name


@pytest.fixture(scope='module', name='folder')
def folder_of_logs(tmp_path_factory):
    return tmp_path_factory.mktemp('wrong')


def record(folder, name, right, wrong):
    """Return the samples of a bed, read by its preset with a mistake."""
    text = preset_path(name).read_text()
    assert right in text
    adapter = parse_adapter(text.replace(right, wrong, 1), 'wrong.yaml').for_robot(ROBOT)
    streams = read_bag(written(folder, name), (), adapter)
    method = SETTINGS.method_for(ROBOT)
    return record_from_log(ROBOT, streams, SETTINGS.alignment, method.needs).measurement


@pytest.mark.parametrize(
    ('name', 'right', 'wrong', 'message'),
    [
        (
            'px4_spacecraft',
            'order: wxyz',
            'order: xyzw',
            'imu/data and base_pose disagree.*quaternion looks like w x y z taken for x y z w',
        ),
        (
            'astrobee',
            'order: xyzw',
            'order: wxyz',
            'imu/data and base_pose disagree.*quaternion looks like x y z w taken for w x y z',
        ),
        (
            'px4_spacecraft',
            'order: wxyz',
            'order: wxyz, inverse: true',
            'imu/data and base_pose disagree.*negated in y and z .NED axes',
        ),
        (
            'px4_spacecraft',
            'angular_velocity: angular_velocity',
            'angular_velocity: {fields: angular_velocity, unit: deg/s}',
            'the gyro is 0.0174 times what it should be: another unit',
        ),
        (
            'px4_spacecraft',
            'position: position',
            'position: {fields: position, unit: mm}',
            r'base_twist and base_pose disagree.*1e\+03 times what it should be: another unit',
        ),
        ('px4_spacecraft', '1: world, 3: body', '1: body, 3: body', 'base_twist and base_pose'),
        ('astrobee', 'in: world', 'in: body', 'the twist looks as if in inertial axes'),
        (
            'ros2_control_arm',
            '  type: sensor_msgs/msg/Imu\n',
            '  type: sensor_msgs/msg/Imu\n  axes: {body: frd}\n',
            'imu/data and base_pose disagree.*negated in',
        ),
    ],
)
def test_a_mistake_is_named(folder, name, right, wrong, message):
    with pytest.raises(MeasurementError, match=message):
        record(folder, name, right, wrong)


@pytest.mark.parametrize('name', ['px4_spacecraft', 'astrobee'])
def test_live_it_is_named_block_by_block(folder, name):
    """Samples of sensors with times of their own, some at once, as the node has them."""
    good = record(folder, name, 'topics:', 'topics:')
    for turned in (False, True):
        monitor = FrameMonitor(ROBOT.noise)
        for begin in range(0, len(good), 37):
            block = good[begin : begin + 37]
            if turned:
                block.base_twist[:, 5] *= -1.0
            monitor.take(block)
        assert bool(monitor.disagreements()) == turned
        if turned:
            assert 'imu/data and base_pose disagree' in monitor.disagreements()[0]

"""A log that is taken in blocks gives what its messages give one by one, whatever they are."""

from dataclasses import fields, replace

from logs import servicer_log_with_poses
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import log_record
from spacerobot_id.measurement.bag.streams import taken

ROBOT = replace(servicer(), noise=replace(servicer().noise, base_position=1e-5))
COUNT = 1200


def changed(stream, field, row, value):
    """Return a log with one message, or all from one on, changed."""

    def change(log):
        values = getattr(getattr(log, stream), field).copy()
        values[row] = value(values[row]) if callable(value) else value
        return replace(log, **{stream: replace(getattr(log, stream), **{field: values})})

    return change


def slower(stream, step):
    """Return a log with every so many messages of a stream."""
    return lambda log: replace(
        log, **{stream: taken(getattr(log, stream), np.arange(0, COUNT, step))}
    )


GOOD = {
    'as it is': lambda log: log,
    'no poses': lambda log: replace(log, pose=None),
    'no twists': lambda log: replace(log, twist=None),
    'slow gyro': slower('imu', 5),
    'slow poses': slower('pose', 10),
    'other sign of quaternions': changed('pose', 'attitudes', slice(400, 700), np.negative),
    'quaternions not quite of unit length': changed('pose', 'attitudes', 5, lambda q: 1.01 * q),
    'torques': lambda log: replace(
        log, joints=replace(log.joints, efforts=np.ones_like(log.joints.positions))
    ),
    'late arrivals': lambda log: replace(
        log, pose=replace(log.pose, arrivals=log.pose.arrivals + 0.3)
    ),
}
BAD = {
    'no number': changed('imu', 'angular_velocity', 300, np.nan),
    'no position of a joint': changed('joints', 'positions', (300, 1), np.nan),
    'an encoder glitch': changed('joints', 'positions', (300, 1), 1.5),
    'too large': changed('twist', 'twists', 20, 1e20),
    'a stamp twice': changed('joints', 'stamps', 301, lambda _: 1000.0 + 300 * 0.02),
    'a gap': changed('imu', 'stamps', slice(600, None), lambda stamps: stamps + 3.0),
    'no unit quaternion': changed('pose', 'attitudes', 40, lambda q: 1.5 * q),
    'a pose far away': changed('pose', 'positions', 500, lambda p: p + 3.0),
    'another origin': changed('pose', 'positions', slice(500, None), lambda p: p + 3.0),
    'frozen': changed('imu', 'angular_velocity', slice(300, 500), [0.1, 0.2, 0.3]),
    'an unknown frame': lambda log: replace(log, imu=replace(log.imu, frame_id='nowhere')),
    'twists in inertial axes': lambda log: replace(
        log,
        twist=replace(
            log.twist,
            frame_id='world',
            twists=np.hstack(
                [
                    Rotation.from_quat(log.pose.attitudes).apply(log.twist.twists[:, :3]),
                    log.twist.twists[:, 3:],
                ]
            ),
        ),
    ),
}


def text_of(log):
    """Return what is made of a log, or why nothing is."""
    try:
        return record_from_log(ROBOT, log)
    except MeasurementError as error:
        return str(error)


@pytest.mark.parametrize('change', [*GOOD, *BAD])
def test_blocks_give_what_single_messages_give(monkeypatch, change):
    """Samples, and what was refused, reordered and noted; good ones are taken in blocks."""
    log = (GOOD | BAD)[change](servicer_log_with_poses(COUNT))
    in_blocks, taken_so = [], log_record.taken_in_blocks

    def noted(*arguments):
        in_blocks.append(True)
        return taken_so(*arguments)

    monkeypatch.setattr(log_record, 'taken_in_blocks', noted)
    found = text_of(log)
    assert bool(in_blocks) == (change in GOOD)
    monkeypatch.setattr(log_record, 'good_streams', lambda *_: None)
    expected = text_of(log)
    if isinstance(expected, str):
        assert found == expected
        return
    for name in ('rejected', 'source', 'reordered', 'messages', 'notes'):
        assert getattr(found, name) == getattr(expected, name)
    for field in fields(expected.measurement):
        value, wanted = (getattr(each.measurement, field.name) for each in (found, expected))
        if isinstance(wanted, np.ndarray):
            assert_allclose(value, wanted, rtol=1e-13, atol=1e-15)
    assert_array_equal(found.measurement.times, expected.measurement.times)

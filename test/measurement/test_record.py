"""Records: rows stay together when they are taken apart and put together."""

from dataclasses import fields, replace

from motions import measure, paper_plan
import numpy as np
import pytest
from robots import dual_arm

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import HeldSignal, Record

COLUMNS = [each.name for each in fields(Record) if each.name not in ('wrench', 'thrust')]
ABSENT = (
    *('attitude', 'qdd', 'wheel_acceleration', 'angular_acceleration', 'variance', 'smoothed'),
    *('changed', 'derived', 'slope_times', 'slope_weights'),
)


@pytest.fixture(name='measured', scope='module')
def measured_dual_arm():
    measured = measure(dual_arm(), paper_plan(3), 10.0)
    return replace(
        measured,
        position=measured.base_twist[:, :3] + 1.0,
        joint_torque=2.0 * measured.q,
        wrench=HeldSignal(measured.times, np.outer(measured.times, np.arange(6))),
    )


def flight(count=3):
    """Return a record of poses and wrenches alone."""
    times = np.arange(float(count))
    wrench = HeldSignal(times, np.outer(times, np.ones(6)))
    return Record(
        times, position=np.zeros((count, 3)), attitude=np.ones((count, 4)), wrench=wrench
    )


def assert_same(first, second):
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.wrench.times, second.wrench.times)
    np.testing.assert_array_equal(first.wrench.values, second.wrench.values)


def test_its_length_is_the_number_of_samples(measured):
    """Three seconds at 10 Hz."""
    assert len(measured) == 30


def test_what_is_not_known_is_none(measured):
    """Not a column of NaN; such columns are not there in any part of it either."""
    for record in (measured, measured[3:9], Record.concatenate([measured[:3], measured[3:]])):
        assert [name for name in COLUMNS if getattr(record, name) is None] == list(ABSENT)
        assert not record.has('position', 'attitude').any()
    assert flight().q is flight().base_twist is None
    assert flight().has('position', 'attitude').all()


@pytest.mark.parametrize(
    'rows', [slice(3, 9), np.arange(30) % 2 == 0, np.array([5, 1, 1]), slice(0, 0)]
)
def test_some_samples_are_the_same_rows_of_everything(measured, rows):
    """A slice, a mask and indices take the same rows of every column, and every wrench."""
    some = measured[rows]
    for name in set(COLUMNS) - set(ABSENT):
        np.testing.assert_array_equal(getattr(some, name), getattr(measured, name)[rows])
    assert some.wrench is measured.wrench


def test_parts_make_the_whole_again(measured):
    """Consecutive parts, an empty one among them, come together in their order."""
    parts = [measured[:7], measured[7:7], measured[7:20], measured[20:]]
    assert_same(Record.concatenate(parts), measured)


def test_poses_of_one_part_are_kept(measured):
    """As a robot's first block may come before the first pose: the others have theirs."""
    whole = Record.concatenate([replace(measured[:7], position=None), measured[7:]])
    assert np.isnan(whole.position[:7]).all()
    np.testing.assert_array_equal(whole.position[7:], measured.position[7:])


def test_what_a_part_lacks_the_whole_has_not(measured):
    """Other columns and wrenches that one of the parts does not know are None."""
    whole = Record.concatenate([measured[:7], replace(measured[7:], joint_torque=None)])
    assert whole.joint_torque is None
    whole = Record.concatenate([measured[:7], replace(measured[7:], wrench=None)])
    assert whole.wrench is None
    np.testing.assert_array_equal(whole.q, measured.q)


def test_a_wrench_is_held_until_the_next():
    """Zero-order hold; just at its time it acts."""
    held = flight().wrench
    np.testing.assert_array_equal(held.at(np.array([0.0, 0.5, 1.0, 9.0]))[:, 0], [0, 0, 1, 2])
    np.testing.assert_array_equal(held.since(1.5).times, [1.0, 2.0])


def test_wrenches_of_parts_are_one_history():
    """Each part knows the wrenches of its own time; of two for the same time the later holds."""
    first = HeldSignal(np.array([0.0, 1.0, 2.0]), np.ones((3, 6)))
    second = HeldSignal(np.array([1.0, 3.0]), 2.0 * np.ones((2, 6)))
    joined = HeldSignal.concatenate([first, second])
    np.testing.assert_array_equal(joined.times, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(joined.values[:, 0], [1.0, 2.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'times': np.zeros(3)}, 'times of poses do not increase'),
        ({'times': np.zeros((3, 1))}, 'times'),
        ({'position': np.full((3, 3), np.nan)}, 'poses are not finite'),
        ({'attitude': None}, 'poses are not finite'),
        ({'position': np.zeros((2, 3))}, r'position: \(2, 3\) for 3 times'),
        ({'attitude': np.zeros((3, 3))}, 'attitude: 3 columns, not 4'),
        ({'joint_torque': np.zeros(3)}, 'joint_torque'),
        ({'wrench': HeldSignal(np.array([0.5]), np.zeros((1, 6)))}, 'at the first sample'),
        ({'wrench': HeldSignal(np.zeros(0), np.zeros((0, 6)))}, 'at the first sample'),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(MeasurementError, match=message):
        replace(flight(), **change)


@pytest.mark.parametrize(
    ('times', 'values', 'message'),
    [
        (np.zeros(2), np.zeros((2, 6)), 'do not increase'),
        (np.zeros(1), np.zeros((2, 6)), 'for 1 times'),
        (np.zeros(1), np.zeros(1), r'\(1,\)'),
        (np.zeros(1), np.full((1, 6), np.inf), 'not finite'),
        (np.full(1, np.nan), np.zeros((1, 6)), 'not finite'),
    ],
)
def test_wrenches_that_make_no_sense_are_refused(times, values, message):
    with pytest.raises(MeasurementError, match=message):
        HeldSignal(times, values)


def test_a_wrench_has_six_numbers():
    with pytest.raises(MeasurementError, match='3 columns, not 6'):
        replace(flight(), wrench=HeldSignal(np.zeros(1), np.zeros((1, 3))))


def test_before_the_first_command_thrusters_are_closed():
    """Commands come when there is something to do: what came before them is part of the log."""
    times = np.arange(10.0, 13.0)
    fired = HeldSignal(np.array([13.5, 14.0]), np.array([[1.0, 0.0], [0.0, 0.5]]))
    before, after = Record(times), Record(times + 3.0, thrust=fired)
    whole = Record.concatenate([before, before.shifted(0.5)[:0], after])
    np.testing.assert_allclose(
        whole.thrust.at(np.array([10.0, 13.4, 13.6, 14.1])), [[0, 0], [0, 0], [1, 0], [0, 0.5]]
    )
    assert Record.concatenate([before, before.shifted(3.0)]).thrust is None
    assert Record.concatenate([after]).thrust is not None

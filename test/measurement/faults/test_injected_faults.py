"""Faults are put into messages from a time on, the same for the same seed, and nothing else is."""

from pathlib import Path
import re

from logs import dual_arm_log
import numpy as np
import pytest
from reference_logs import streams
from robots import dual_arm_prior
from scipy.spatial.transform import Rotation

from spacerobot_id.lab.faults import BY_KEY, Fault, FAULTS, faults_of, injected
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.log_record import readings_in_order
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import Arrived
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream

MODEL = dual_arm_prior()
LOG = streams('dual_arm')
MESSAGES = tuple(readings_in_order(MODEL, LOG))
MIDDLE = MESSAGES[len(MESSAGES) // 2].arrival
FAULTS_MD = Path(__file__).parents[3] / 'docs' / 'faults.md'


def same(one: Arrived, other: Arrived) -> bool:
    """Return whether two messages have the same values at the same time."""
    if type(one.reading) is not type(other.reading) or one.arrival != other.arrival:
        return False
    pairs = zip(vars(one.reading).values(), vars(other.reading).values(), strict=True)
    return all(np.array_equal(a, b, equal_nan=False) or repr(a) == repr(b) for a, b in pairs)


def found(key: str) -> Fault:
    return BY_KEY[key]


def spoilt(key, strength, begin=-np.inf, seed=0, kind=object):
    """Return the readings of a kind with a fault."""
    changed = injected(MODEL, MESSAGES, found(key).occurrence(strength, begin), seed)
    return [each.reading for each in changed if isinstance(each.reading, kind)]


def clean(kind):
    """Return the readings of a kind without."""
    return [each.reading for each in MESSAGES if isinstance(each.reading, kind)]


@pytest.mark.parametrize('fault', faults_of(MESSAGES), ids=lambda each: each.key)
def test_a_fault_hits_nothing_before_it_begins(fault):
    """The same seed gives the same messages, in the order of arrival; those given are kept."""
    before = [repr(each) for each in MESSAGES[:40]]
    strong = fault.strengths[-1]
    one, other = (
        injected(MODEL, MESSAGES, fault.occurrence(strong, MIDDLE), seed=3) for _ in range(2)
    )
    assert len(one) == len(other)
    assert all(same(a, b) for a, b in zip(one, other, strict=True))
    early = [each for each in MESSAGES if each.arrival < MIDDLE]
    assert all(same(a, b) for a, b in zip(early, one, strict=False))
    arrivals = [each.arrival for each in one]
    assert arrivals == sorted(arrivals)
    assert [repr(each) for each in MESSAGES[:40]] == before


@pytest.mark.parametrize('fault', faults_of(MESSAGES), ids=lambda each: each.key)
def test_a_fault_changes_something(fault):
    changed = injected(MODEL, MESSAGES, fault.occurrence(fault.strengths[-1]))
    alike = len(changed) == len(MESSAGES)
    assert not alike or not all(same(a, b) for a, b in zip(changed, MESSAGES, strict=True))


def test_every_number_is_one_of_the_list():
    listed = set(re.findall(r'^\| (F\d+) \|', FAULTS_MD.read_text(encoding='utf-8'), re.MULTILINE))
    assert {each.key.split()[0] for each in FAULTS} <= listed
    assert len({each.key for each in FAULTS}) == len(FAULTS)


def test_readings_become_the_streams_that_they_came_from():
    """The way from streams to readings and back changes no number."""
    log = dual_arm_log()
    again = streams_of_readings('log', readings_in_order(dual_arm_prior(), log))
    np.testing.assert_array_equal(again.joints.positions, log.joints.positions)
    np.testing.assert_array_equal(again.joints.velocities, log.joints.velocities)
    np.testing.assert_array_equal(again.imu.angular_velocity, log.imu.angular_velocity)
    assert again.imu.noise == pytest.approx(log.imu.noise, rel=1e-12)
    np.testing.assert_array_equal(again.twist.twists, log.twist.twists)
    np.testing.assert_array_equal(again.twist.stamps, log.twist.stamps)


def test_F1_joints_keep_their_values_in_another_order():
    shuffled = spoilt('F1 order', 1.0, kind=JointStream)
    for one, other in zip(clean(JointStream), shuffled, strict=True):
        assert sorted(one.names) == sorted(other.names)
        np.testing.assert_array_equal(other.of(one.names).positions, one.positions)


def test_F8_wrapped_angles_are_the_same_turns():
    wrapped = spoilt('F8 wrap', 99, kind=JointStream)
    for one, other in zip(clean(JointStream), wrapped, strict=True):
        turns = (one.positions[:6] - other.positions[:6]) / (2.0 * np.pi)
        np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)


def test_F16_F17_stamps_move_and_arrivals_stay():
    late = spoilt('F16 skew imu/data', 0.02, kind=ImuStream)
    for one, other in zip(clean(ImuStream), late, strict=True):
        assert other.stamp - one.stamp == pytest.approx(0.02)
    back = injected(MODEL, MESSAGES, found('F17 back').occurrence(5.0, MIDDLE))
    assert all(
        a.reading.stamp - b.reading.stamp == pytest.approx(5.0 * (a.arrival >= MIDDLE))
        for a, b in zip(MESSAGES, back, strict=True)
    )


def test_F21_the_share_is_lost():
    assert len(spoilt('F21 loss', 0.3)) == pytest.approx(0.7 * len(MESSAGES), rel=0.1)


def test_F30_a_push_moves_poses_as_its_velocity_says():
    """Poses and twists are moved by one constant velocity of the world."""
    poses = zip(clean(PoseStream), spoilt('F30 push', 0.01, kind=PoseStream), strict=True)
    begin = clean(PoseStream)[0].stamp
    velocity = 0.01 * np.ones(3) / np.sqrt(3.0)
    attitudes = {}
    for one, other in poses:
        way = other.position - one.position
        np.testing.assert_allclose(way, velocity * (one.stamp - begin), atol=1e-3)
        attitudes[one.stamp] = Rotation.from_quat(one.attitude)
    twists = zip(clean(TwistStream), spoilt('F30 push', 0.01, kind=TwistStream), strict=True)
    for one, other in twists:
        if one.stamp in attitudes:
            gained = attitudes[one.stamp].apply((other.twist - one.twist)[:3])
            np.testing.assert_allclose(gained, velocity, rtol=1e-2, atol=1e-6)

"""Frozen topics are found where something else has moved, and nothing at rest is called frozen."""

from dataclasses import replace

import numpy as np
import pytest
from streams import flight, ROBOT, STEP

from spacerobot_id.estimation.sensor_intake import frozen_monitor
from spacerobot_id.measurement import FREE_FLYER, StreamNeeds
from spacerobot_id.measurement.monitors.frozen import Change
from spacerobot_id.model import SensorNoise

MOST = 25
TOPICS = ('joint_states', 'imu/data', 'base_pose', 'base_twist')


def by_joints(robot=ROBOT, most=MOST, **keywords):
    return frozen_monitor(robot, StreamNeeds(), most, **keywords)


def by_wrenches(wrench):
    return frozen_monitor(QUIET, FREE_FLYER, MOST, acting=lambda: wrench)


def values(row):
    """Return the values of perfect sensors, by topic."""
    seen = flight()
    joints = [seen.positions[row, :2], seen.velocities[row]]
    pose = [seen.position[row], seen.attitude[row]]
    twist = seen.twist[row]
    return dict(zip(TOPICS, map(np.hstack, (joints, twist[3:], pose, twist[:3])), strict=True))


def frozen_samples(watch, rows, spoil=lambda row, sample: sample, step=STEP):
    """Return how many samples of each topic are frozen."""
    found = dict.fromkeys(TOPICS, 0)
    for count, row in enumerate(rows):
        for topic, value in spoil(row, values(row)).items():
            found[topic] += watch.change(topic, 100.0 + step * count, value) is Change.FROZEN
    return found


def holding(*topics, since):
    held = values(since)

    def spoil(row, sample):
        return sample | {topic: held[topic] for topic in topics if row >= since}

    return spoil


@pytest.mark.parametrize('since', [100, 130, 150])
@pytest.mark.parametrize('topic', TOPICS)
def test_F12_a_frozen_topic_is_found_and_no_other(topic, since):
    """Whether it freezes in the middle of a motion or where the joints change their direction."""
    found = frozen_samples(by_joints(), range(300), holding(topic, since=since))
    assert 300 - since - 3 * MOST <= found.pop(topic) <= 300 - since - MOST + 1
    assert set(found.values()) == {0}


def test_F12_nothing_is_frozen_in_a_flight_without_noise():
    quiet = replace(ROBOT, noise=SensorNoise())
    assert set(frozen_samples(by_joints(quiet), range(500)).values()) == {0}


@pytest.mark.slow
def test_F12_a_robot_at_rest_says_the_same_for_ever():
    """Encoders and noiseless sensors, for a minute."""
    still = dict.fromkeys(range(6000), 0)
    assert set(frozen_samples(by_joints(), still.values()).values()) == {0}
    standing = [0] * 6000
    assert set(frozen_samples(by_joints(), standing).values()) == {0}


def test_F12_a_robot_that_coasts_with_its_joints_at_rest_is_not_frozen():
    """Wheels and base turn evenly: rates without noise are the same for ever, the pose is not."""

    def coasting(row, sample):
        even = values(50)
        even['joint_states'][2:4] = 0.0
        even['base_pose'] = sample['base_pose']
        return even

    assert set(frozen_samples(by_joints(), range(300), coasting).values()) == {0}


def test_F12_coarse_steps_are_no_freezing():
    """A gyro whose step is a few times its noise, while the joints hardly move."""

    def coarse(_, sample):
        slow = 1e-3
        sample['joint_states'][2:] *= slow
        sample['imu/data'] = 5e-5 * np.round(slow * sample['imu/data'] / 5e-5)
        return sample

    found = frozen_samples(by_joints(), range(300), coarse)
    assert found['imu/data'] == 0


@pytest.mark.parametrize(('tumbling', 'expected'), [(False, True), (True, False)])
def test_F12_joints_at_rest_are_frozen_only_if_the_base_cannot_turn_by_itself(tumbling, expected):
    watch = by_joints(turns_by_itself=tumbling)

    def locked(row, sample):
        return sample | {'joint_states': values(0)['joint_states']}

    assert (frozen_samples(watch, range(200), locked)['joint_states'] > 0) is expected


def test_F12_repeated_stamps_do_not_count():
    found = frozen_samples(by_joints(), range(100, 200), holding('imu/data', since=100), step=0.0)
    assert found['imu/data'] == 0


def test_F12_zero_turns_it_off():
    watch = by_joints(most=0)
    assert frozen_samples(watch, range(200), holding('imu/data', since=100))['imu/data'] == 0


POSE = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])
QUIET = replace(ROBOT, noise=replace(ROBOT.noise, base_position=1e-4, base_attitude=1e-4))


@pytest.mark.parametrize('axis', range(6))
def test_F12_a_pose_that_stays_under_a_wrench_is_frozen(axis):
    watch = by_wrenches(np.eye(6)[axis])
    found = [watch.change('base_pose', 100.0 + STEP * k, POSE) for k in range(200)]
    assert Change.FROZEN not in found[: MOST - 1]
    assert set(found[100:]) == {Change.FROZEN}
    assert watch.change('base_pose', 103.0, POSE + 1e-9) is Change.POSSIBLE


def test_F12_a_pose_that_stays_without_a_wrench_is_at_rest():
    watch = by_wrenches(np.zeros(6))
    found = {watch.change('base_pose', 100.0 + STEP * k, POSE) for k in range(500)}
    assert found == {Change.POSSIBLE}


def test_F12_before_a_topic_is_frozen_it_lacks_a_change():
    watch = by_wrenches(100.0 * np.eye(6)[0])
    found = [watch.change('base_pose', 100.0 + STEP * k, POSE) for k in range(100)]
    first = found.index(Change.LACKING)
    assert found[:first] == [Change.POSSIBLE] * first
    assert 0 < first < MOST - 1
    assert found[first : MOST - 1] == [Change.LACKING] * (MOST - 1 - first)
    assert set(found[MOST - 1 :]) == {Change.FROZEN}

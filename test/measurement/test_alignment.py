"""Streams of different sensors brought to the times of the joint states."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import (
    Alignment,
    AlignmentSettings,
    Need,
    Record,
    StreamNeeds,
    VelocitySource,
    Verdict,
)

STEP = 0.01
TWIST, POSE = VelocitySource.TWIST, VelocitySource.POSE
SENSORS = ('joint_states', 'imu', 'base_pose', 'base_twist')


@dataclass(frozen=True)
class Motion:
    """Two joints, a wheel and a base that move at constant rates and accelerations."""

    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    acceleration: float = 0.3

    def joints(self, time):
        """Return positions, rates and wheel rates, linear in time."""
        return np.array([time, -2.0 * time]), np.array([1.0 + time, 3.0 * time]), [5.0 - time]

    def gyro(self, time):
        """Return the base's rates; constant ones turn it as ``attitude`` says."""
        return np.array(self.spin) + (0.0 if any(self.spin) else time)

    def attitude(self, time):
        return Rotation.from_rotvec(np.array(self.spin) * time).as_quat()

    def position(self, time):
        return np.array([1.0, -1.0, 0.5]) * (time + 0.5 * self.acceleration * time**2)

    def inertial_velocity(self, time):
        return np.array([1.0, -1.0, 0.5]) * (1.0 + self.acceleration * time)

    def velocity(self, time):
        """Return the linear velocity in base axes."""
        turn = Rotation.from_quat(self.attitude(time))
        return turn.apply(self.inertial_velocity(time), inverse=True)

    def push(self, alignment, sensor, time, stamp=None):
        """Push what a sensor sees at a time, under that stamp or another; return the verdict."""
        stamp = time if stamp is None else stamp
        match sensor:
            case 'joint_states':
                return alignment.push_joints(stamp, *self.joints(time))
            case 'imu':
                return alignment.push_gyro(stamp, self.gyro(time))
            case 'base_pose':
                return alignment.push_pose(stamp, self.position(time), self.attitude(time))
            case 'base_twist':
                return alignment.push_linear_velocity(stamp, self.velocity(time))


def steady(begin, count):
    return begin + STEP * np.arange(count)


def fed(alignment, times, motion=Motion(), sensors=SENSORS, shift=0.0):
    """Push all sensors' samples at times, stamped with a shift, and take what comes of it."""
    parts = []
    for time in times:
        for sensor in sensors:
            motion.push(alignment, sensor, time, time + shift)
        taken = alignment.take()
        if taken is not None:
            parts.append(taken)
    return Record.concatenate(parts) if parts else None


def assert_true(measurement, motion=Motion(), shift=0.0, atol=1e-9):
    """Hold every sample of a measurement to the motion; a velocity may be unknown, not wrong."""
    for row, time in enumerate(measurement.times - shift):
        q, qd, wheel_rates = motion.joints(time)
        assert_allclose(measurement.q[row], q, atol=atol)
        assert_allclose(measurement.qd[row], qd, atol=atol)
        assert_allclose(measurement.wheel_rates[row], wheel_rates, atol=atol)
        known = 3 * bool(np.isnan(measurement.base_twist[row, 0]))
        twist = [*motion.velocity(time), *motion.gyro(time)]
        assert_allclose(measurement.base_twist[row, known:], twist[known:], atol=atol)


def alignment_of(source=TWIST, **bounds):
    bounds = {'longest_bracket': 0.1} | bounds
    return Alignment(2, 1, source, AlignmentSettings(**bounds))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_linear_signals_are_interpolated_exactly(seed):
    """Every sensor at times of its own, in any order of arrival between them."""
    rng = np.random.default_rng(seed)
    begins = rng.uniform(1.0, 1.02, 4)
    arrivals = sorted(
        (begin + STEP * (count + rng.uniform(0.0, 0.9)), sensor)
        for begin, sensor in zip(begins, SENSORS, strict=True)
        for count in range(40)
    )
    alignment, taken = alignment_of(), []
    for time, sensor in arrivals:
        assert Motion().push(alignment, sensor, time) is Verdict.ACCEPTED
        taken.append(alignment.take())
    measurement = Record.concatenate([part for part in taken if part is not None])
    assert len(measurement) >= 34
    assert (np.diff(measurement.times) > 0.0).all()
    assert_true(measurement)
    assert len(measurement) + alignment.unaligned + alignment.pending == 40


def test_samples_of_the_same_time_go_through_as_they_are():
    measurement = fed(alignment_of(), steady(1.0, 50))
    assert_allclose(measurement.times, steady(1.0, 50), atol=0)
    assert_true(measurement, atol=0)
    assert_allclose(measurement.position, [Motion().position(t) for t in steady(1.0, 50)])


@pytest.mark.parametrize('missing', ['joint_states', 'imu', 'base_twist'])
def test_nothing_comes_without_a_needed_stream(missing):
    others = [sensor for sensor in SENSORS if sensor != missing]
    alignment = alignment_of(capacity=30)
    assert fed(alignment, steady(1.0, 100), sensors=others) is None
    assert all(len(stream) <= 30 for stream in alignment.streams.values())
    assert alignment.waiting_for() == (missing,)


def test_before_the_first_sample_it_waits_for_all_that_is_needed():
    assert alignment_of().waiting_for() == ('joint_states', 'imu', 'base_twist')
    assert alignment_of(POSE).waiting_for() == ('joint_states', 'imu', 'base_pose')


def test_the_pose_is_not_needed_beside_a_base_velocity():
    """Position and attitude are not there then."""
    measurement = fed(
        alignment_of(), steady(1.0, 20), sensors=['joint_states', 'imu', 'base_twist']
    )
    assert len(measurement) == 20
    assert measurement.position is None
    assert measurement.attitude is None


def test_a_sample_waits_for_a_pose_that_keeps_coming():
    """What a sample has does not hang on the order in which messages of one time arrive."""
    motion, needs = Motion(), StreamNeeds(velocity=Need.UNUSED, pose=Need.USED)
    alignment = Alignment(2, 1, TWIST, AlignmentSettings(longest_gap=0.5), needs)
    records = []
    for time in STEP * np.arange(100):
        for sensor in ('joint_states', 'imu'):
            motion.push(alignment, sensor, time)
        records.append(alignment.take())
        if time < 0.5:
            motion.push(alignment, 'base_pose', time)
    early = Record.concatenate([each for each in records[:50] if each is not None])
    assert len(early) >= 48
    assert early.has('attitude')[1:].all()  # the first came before any pose
    assert not any(records[51:])  # it may come yet
    rest = alignment.take(is_last=True)
    assert rest.times[-1] == pytest.approx(0.99)
    assert not rest.has('attitude')[1:].any()


@pytest.mark.parametrize('spin', [(0.0, 0.0, 0.0), (0.3, -0.5, 0.8)])
def test_velocity_from_the_pose_is_exact_for_constant_acceleration(spin):
    """Fitted in inertial axes, then turned to base axes; no base velocity is received."""
    motion = Motion(spin)
    measurement = fed(alignment_of(POSE), steady(1.0, 60), motion, SENSORS[:3])
    assert_allclose(measurement.times, steady(1.0, 50), atol=1e-9)  # before, positions alone
    measurement = measurement[np.isfinite(measurement.base_twist).all(axis=1)]
    assert_allclose(measurement.times, steady(1.1, 40), atol=1e-9)
    assert_true(measurement, motion, atol=1e-8)
    assert_allclose(np.linalg.norm(measurement.attitude, axis=1), 1.0)


@given(st.lists(st.booleans(), min_size=60, max_size=60))
@settings(max_examples=20)
def test_F8_a_quaternion_and_its_negative_are_the_same_attitude(flips):
    """Signs at random: interpolated attitudes and velocities are those without flips."""
    motion, alignment, parts = Motion((0.3, -0.5, 0.8)), alignment_of(POSE), []
    for time, flip in zip(steady(1.0, 60), flips, strict=True):
        sign = -1.0 if flip else 1.0
        alignment.push_pose(time, motion.position(time), sign * motion.attitude(time))
        motion.push(alignment, 'imu', time)
        motion.push(alignment, 'joint_states', time + 0.3 * STEP)
        parts.append(alignment.take())
    measurement = Record.concatenate([part for part in parts if part is not None])
    assert len(measurement) == 49
    measurement = measurement[np.isfinite(measurement.base_twist).all(axis=1)]
    assert len(measurement) == 39
    for row, time in enumerate(measurement.times):
        assert abs(measurement.attitude[row] @ motion.attitude(time)) > 1.0 - 1e-9
        assert_allclose(measurement.base_twist[row, :3], motion.velocity(time), atol=1e-5)


def test_F16_skew_of_one_sensor_delays_and_nothing_else():
    """A gyro whose messages come half a second late: all samples come, with the right values."""
    alignment, parts = alignment_of(), []
    for time in steady(2.0, 200):
        for sensor in ('joint_states', 'base_twist'):
            Motion().push(alignment, sensor, time)
        Motion().push(alignment, 'imu', time - 0.5)
        parts.append(alignment.take())
    measurement = Record.concatenate([part for part in parts if part is not None])
    assert len(measurement) == 150
    assert_true(measurement)


@pytest.mark.parametrize('skew', [-500.0, 500.0])
def test_F16_a_sensor_with_another_clock_gives_nothing_and_is_named(skew):
    """Its stamps far from the others': no sample is wrong, buffers stay bounded, it is logged."""
    alignment, parts = alignment_of(capacity=100), []
    for time in steady(1000.0, 300):
        for sensor in ('joint_states', 'base_twist'):
            Motion().push(alignment, sensor, time)
        Motion().push(alignment, 'imu', time, time + skew)
        parts.append(alignment.take())
    assert sum(len(part) for part in parts if part is not None) == 0
    assert alignment.waiting_for() == ('imu',)
    assert all(len(stream) <= 100 for stream in alignment.streams.values())


@pytest.mark.parametrize('source', [TWIST, POSE])
@pytest.mark.parametrize('jump', [-900.0, -30.0, -1.0, -0.5, -0.1, 3.0, 1e6])
def test_F17_after_a_jump_of_the_clock_work_is_resumed(source, jump):
    """Nothing of before is mixed with what comes after; ten samples later it goes on.

    With a velocity from the pose, ten samples and a window. Times go on, after a pause where the
    clock was put back.
    """
    alignment, motion = alignment_of(source), Motion()
    sensors = SENSORS if source is TWIST else SENSORS[:3]
    before = fed(alignment, steady(1000.0, 100), motion, sensors)
    after = fed(alignment, steady(2000.0, 100), motion, sensors, shift=jump - 999.0)
    assert_true(before, atol=1e-6)
    assert_true(after.shifted(-alignment.ahead), shift=jump - 999.0, atol=1e-6)
    assert alignment.jumps == 1
    if jump < 0.0:
        assert after.times[0] == pytest.approx(before.times[-1] + 10.0)
    else:
        assert alignment.ahead == 0.0
        assert after.times[0] > before.times[-1]
    lost = 10 if source is TWIST else 30
    assert len(after) >= 100 - lost
    assert np.diff(after.times).max() < 1.5 * STEP


@pytest.mark.parametrize('order', [SENSORS, SENSORS[::-1]])
def test_F17_a_late_message_from_before_the_jump_does_no_harm(order):
    """The gyro's last messages of the old time come after the others' first of the new time."""
    alignment = alignment_of()
    fed(alignment, steady(1000.0, 50), sensors=order)
    late = [sensor for sensor in order if sensor != 'imu']
    fed(alignment, steady(10.0, 3), sensors=late)
    for time in steady(1000.5, 3):
        Motion().push(alignment, 'imu', time)
    after = fed(alignment, steady(10.03, 50), sensors=order)
    assert len(after) >= 40
    assert_true(after.shifted(-alignment.ahead))


@pytest.mark.parametrize('stopped', ['joint_states', 'imu', 'base_twist'])
@pytest.mark.parametrize('pause', [30, 500])
def test_F22_a_stream_that_stops_and_returns(stopped, pause):
    """While it is away nothing comes; when it returns work is resumed within 10 samples."""
    alignment, motion = alignment_of(capacity=200), Motion()
    others = [sensor for sensor in SENSORS if sensor != stopped]
    fed(alignment, steady(1.0, 50), motion)
    away = fed(alignment, steady(1.5, pause), motion, others)
    assert away is None or len(away) == 0
    after = fed(alignment, steady(1.5 + pause * STEP, 50), motion)
    assert len(after) >= 40
    assert_true(after)


def test_F22_no_velocity_is_made_up_across_a_pause_of_the_pose():
    """A parabola over a hole of 0.8 s, in which the base turned back, would be wrong."""
    alignment, motion = alignment_of(POSE), Motion()
    sensors = SENSORS[:3]
    fed(alignment, steady(1.0, 50), motion, sensors)
    fed(alignment, steady(1.5, 80), motion, ['joint_states', 'imu'])
    after = fed(alignment, steady(2.3, 60), Motion(acceleration=-20.0), sensors)
    assert len(after) >= 40
    assert_true(after, Motion(acceleration=-20.0), atol=1e-7)


@pytest.mark.parametrize('source', [TWIST, POSE])
@pytest.mark.parametrize('loss', [0.1, 0.5])
def test_F21_random_loss_gives_fewer_samples_and_no_bias(source, loss):
    """Each message lost by chance: what is left is right."""
    rng = np.random.default_rng(1)
    alignment, motion, parts = alignment_of(source), Motion(), []
    for time in steady(1.0, 400):
        for sensor in SENSORS:
            if rng.random() >= loss:
                motion.push(alignment, sensor, time)
        parts.append(alignment.take())
    measurement = Record.concatenate([part for part in parts if part is not None])
    assert len(measurement) > 0.8 * 400 * (1.0 - loss)
    assert_true(measurement, atol=1e-6)


def test_F13_F14_F15_bad_stamps_of_any_stream_change_nothing():
    """Every sample twice, one before it and one without a stamp in between."""
    alignment, parts = alignment_of(), []
    for time in steady(1.0, 50):
        for sensor in SENSORS:
            for stamp in (time, time, time - 0.5 * STEP, 0.0):
                Motion().push(alignment, sensor, time, stamp)
        parts.append(alignment.take())
    measurement = Record.concatenate([part for part in parts if part is not None])
    assert_allclose(measurement.times, steady(1.0, 50), atol=0)
    assert_true(measurement)


def test_F25_a_backlog_is_bounded_and_drops_are_counted():
    """Nobody takes: every buffer keeps its newest, and counts how many are gone."""
    alignment = alignment_of(capacity=50)
    for time in steady(1.0, 200):
        for sensor in SENSORS:
            Motion().push(alignment, sensor, time)
    assert {len(stream) for stream in alignment.streams.values()} == {50}
    assert {stream.dropped for stream in alignment.streams.values()} == {150}
    assert_true(alignment.take())


def test_samples_too_far_apart_are_not_interpolated_between():
    """A gyro that pauses for 0.2 s where brackets may be 0.1 s long."""
    alignment = alignment_of()
    for count, time in enumerate(steady(1.0, 101)):
        pauses = 40 < count < 60
        for sensor in ('joint_states', 'base_twist', *([] if pauses else ['imu'])):
            Motion().push(alignment, sensor, time)
    measurement = alignment.take()
    assert_allclose(measurement.times, np.append(steady(1.0, 41), steady(1.6, 41)))
    assert alignment.unaligned == 19


def test_every_message_of_a_slow_gyro_counts_once():
    """At 5 Hz beside joints at 100 Hz: a sample for each, with the noise of 20 joint states."""
    alignment = alignment_of()
    for count, time in enumerate(steady(1.0, 401)):
        for sensor in ('joint_states', 'base_twist', *(['imu'] if count % 20 == 0 else [])):
            Motion().push(alignment, sensor, time)
    measurement = alignment.take()
    assert 17 <= len(measurement) <= 21
    assert_true(measurement)
    joints, gyro, velocity, _ = measurement.variance.T
    assert_allclose(gyro, 1.0)
    for averaged in (joints, velocity):
        assert_allclose(averaged[2:], 1.0 / 20.0, rtol=0.05)  # little before the first two


def test_a_slow_stream_gives_the_pace_from_its_first_messages_on():
    """Joints at 1 kHz taken as they come: not even at first a sample between two twists."""
    alignment, motion, taken = alignment_of(longest_bracket=0.025), Motion(), []
    for tick in range(3000):
        time = 1.0 + 1e-3 * tick
        motion.push(alignment, 'joint_states', time)
        if tick % 10 == 0:
            motion.push(alignment, 'imu', time)
        if tick % 100 == 0:
            motion.push(alignment, 'base_twist', time + 3e-4)
        taken.append(alignment.take())
    record = Record.concatenate([part for part in taken if part is not None])
    assert np.diff(record.times).min() > 0.08
    assert len(record) <= 30


def test_slow_poses_count_at_their_own_stamps():
    """Motion capture at 10 Hz between joints at 100 Hz: rows of its own, counted there alone."""
    alignment = alignment_of()
    for count, time in enumerate(steady(1.0, 301)):
        for sensor in ('joint_states', 'base_twist', 'imu'):
            Motion().push(alignment, sensor, time)
        if count % 10 == 0:
            Motion().push(alignment, 'base_pose', time + 0.4 * STEP)
    measurement = alignment.take()
    own = np.isfinite(measurement.variance[:, 3])
    assert_allclose(np.round(np.diff(measurement.times[own]), 9), 0.1)
    assert np.isinf(measurement.variance[own, 1:3]).all()
    assert_allclose(measurement.variance[own, 0][2:], 0.1, rtol=0.2)
    assert np.isfinite(measurement.variance[~own, :3]).all()
    assert_true(measurement[own])
    expected = [Motion().position(time) for time in measurement.times[own]]
    assert_allclose(measurement.position[own], expected, atol=1e-9)


@pytest.mark.parametrize('faster', [['imu'], ['joint_states'], ['imu', 'base_twist']])
def test_messages_that_come_faster_are_averaged(faster):
    """Ten times as often: their noise is that of ten, its mean over samples as well."""
    rng, alignment, std, parts = np.random.default_rng(0), alignment_of(), 0.1, []
    for count in range(20001):
        time = 1.0 + 0.1 * STEP * count
        for sensor in ('joint_states', 'base_twist', 'imu'):
            if sensor in faster or count % 10 == 0:
                noise = std * rng.normal(size=3)
                match sensor:
                    case 'joint_states':
                        alignment.push_joints(time, noise[:2], noise[1:], np.zeros(1))
                    case 'imu':
                        alignment.push_gyro(time, noise)
                    case 'base_twist':
                        alignment.push_linear_velocity(time, noise)
        if count % 200 == 0:
            parts.append(alignment.take())
    measurement = Record.concatenate([part for part in parts if part is not None])
    assert 1900 < len(measurement) <= 2001
    columns = {'joint_states': measurement.q, 'imu': measurement.base_twist[:, 3:]}
    columns['base_twist'] = measurement.base_twist[:, :3]
    for name, column in columns.items():
        stated = {'joint_states': 'joints', 'imu': 'gyro', 'base_twist': 'velocity'}[name]
        expected = std**2 * np.mean(measurement.noise_of(stated))
        assert_allclose(expected, std**2 * (0.1 if name in faster else 1.0), rtol=0.15)
        assert_allclose(np.var(column), expected, rtol=0.15)
        blocks = column[: len(column) // 20 * 20].reshape(-1, 20, column.shape[1]).mean(axis=1)
        assert_allclose(20.0 * np.var(blocks), expected, rtol=0.3)


def test_encoders_that_step_are_told_where_they_are_averaged():
    """At 0.1 rad/s and with steps of 1 mrad 100 of 1000 readings a second are new."""
    needs = StreamNeeds(rates=Need.USED)
    alignment, parts = Alignment(2, 1, TWIST, AlignmentSettings(), needs), []
    for count in range(3000):
        time = 1.0 + 1e-3 * count
        q = np.array([1e-3 * np.round(100.0 * time), np.sin(time)])
        alignment.push_joints(time, q, np.full(2, np.nan), np.zeros(1))
        if count % 10 == 0:
            alignment.push_gyro(time, np.zeros(3))
            alignment.push_linear_velocity(time, np.zeros(3))
        if count % 100 == 0:
            parts.append(alignment.take())
    record = Record.concatenate([part for part in parts if part is not None])
    known = np.isfinite(record.changed).all(axis=1)
    assert known.mean() > 0.9
    assert_allclose(record.changed[known].mean(axis=0), [0.1, 1.0], atol=0.02)


def test_clearing_drops_what_is_buffered_and_keeps_counters():
    alignment = alignment_of()
    fed(alignment, steady(1.0, 20), sensors=('joint_states', 'imu'))
    alignment.clear()
    assert not any(len(stream) for stream in alignment.streams.values())
    assert alignment.streams['imu'].counts[Verdict.ACCEPTED] == 20
    assert len(fed(alignment, steady(0.5, 20))) == 20

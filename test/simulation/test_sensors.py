"""Noise of the simulated sensors."""

from dataclasses import fields, replace
from functools import cache, reduce

from flights import flight, sample_times
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.model import Frame, SensorNoise, Sensors, StreamSettings
from spacerobot_id.simulation import MotionSamples, SensorSet, stream_deliveries
from spacerobot_id.simulation.sensor_set import measure

COUNT = 20_000
NOISE = SensorNoise(1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3)


@pytest.fixture(scope='module')
def truth():
    rng = np.random.default_rng(0)
    sizes = {'q': 3, 'qd': 3, 'qdd': 3, 'wheel_angles': 2, 'wheel_rates': 2}
    sizes |= {'base_twist': 6, 'position': 3}
    values = {name: rng.normal(size=(COUNT, count)) for name, count in sizes.items()}
    attitude = Rotation.random(COUNT, rng=rng).as_quat()
    return MotionSamples(times=np.arange(COUNT) * 0.01, attitude=attitude, **values)


def columns(samples):
    """Return what the samples have, by name."""
    return {name: values for name, values in vars(samples).items() if values is not None}


def rows(samples, chosen):
    return MotionSamples(**{name: values[chosen] for name, values in columns(samples).items()})


def test_standard_deviations_are_those_of_the_settings(truth):
    """Each component's spread is what was asked for, within four of its standard errors."""
    measured = measure(truth, NOISE, np.random.default_rng(1))
    turned = Rotation.from_quat(truth.attitude).inv() * Rotation.from_quat(measured.attitude)
    errors = {
        'joint_position': measured.q - truth.q,
        'joint_rate': measured.qd - truth.qd,
        'base_linear_velocity': (measured.base_twist - truth.base_twist)[:, :3],
        'base_angular_velocity': (measured.base_twist - truth.base_twist)[:, 3:],
        'base_position': measured.position - truth.position,
        'base_attitude': turned.as_rotvec(),
    }
    for name, error in errors.items():
        wanted = getattr(NOISE, name)
        assert_allclose(error.std(axis=0), wanted, rtol=4 / np.sqrt(2 * COUNT), err_msg=name)
        assert (abs(error.mean(axis=0)) < 4 * wanted / np.sqrt(COUNT)).all(), name
    together = np.concatenate(list(errors.values()), axis=1)
    correlation = np.corrcoef(together.T) - np.eye(together.shape[1])
    assert abs(correlation).max() < 5 / np.sqrt(COUNT)


def test_wheels_and_times_are_known(truth):
    measured = measure(truth, NOISE, np.random.default_rng(1))
    for name in ('times', 'wheel_angles', 'wheel_rates', 'qdd'):
        assert_array_equal(getattr(measured, name), getattr(truth, name))


def test_F7_F8_attitudes_stay_unit_and_keep_their_sign(truth):
    measured = measure(truth, NOISE, np.random.default_rng(1))
    assert_allclose(np.linalg.norm(measured.attitude, axis=1), 1.0, rtol=1e-14)
    assert (np.einsum('ni,ni->n', measured.attitude, truth.attitude) > 0.9).all()


def test_no_noise_gives_the_truth(truth):
    measured = measure(truth, SensorNoise(), np.random.default_rng(1))
    for name, values in columns(truth).items():
        assert_allclose(getattr(measured, name), values, atol=1e-15)


def test_seed_fixes_the_noise_however_samples_are_cut(truth):
    """All samples at once or some at a time: the same noise; another seed: another."""
    part = rows(truth, slice(0, 100))
    whole = measure(part, NOISE, np.random.default_rng(7))
    generator = np.random.default_rng(7)
    pieces = [
        measure(rows(part, cut), NOISE, generator) for cut in np.split(np.arange(100), [1, 40])
    ]
    joined = reduce(MotionSamples.followed_by, pieces)
    for name, values in columns(whole).items():
        assert_array_equal(getattr(joined, name), values)
    other = measure(part, NOISE, np.random.default_rng(8))
    assert abs(other.q - whole.q).min() > 0.0


def test_measurement_has_what_was_measured(truth):
    measured = measure(replace(truth), NOISE, np.random.default_rng(1))
    given = measured.measurement()
    absent = {each.name for each in fields(given) if getattr(given, each.name) is None}
    derived = {'qdd', 'wheel_acceleration', 'angular_acceleration', 'variance', 'smoothed'}
    derived |= {'derived', 'slope_times', 'slope_weights', 'changed'}
    assert absent == derived | {'joint_torque', 'wrench', 'thrust'}
    for each in fields(given):
        if each.name not in absent:
            assert_array_equal(getattr(given, each.name), getattr(measured, each.name))


# What a robot's YAML file adds to white noise.


def equipped(**settings):
    """Return the dual-arm robot with sensors that are worse than white noise."""
    return replace(dual_arm(), sensors=Sensors(**settings))


@cache
def short_flight():
    """Return two seconds of dynamic motion."""
    return flight(intervals=3).advanced_to(sample_times(2.0))[1]


def test_defaults_give_exactly_the_white_noise_alone():
    """A robot without more in its YAML file: bit by bit what ``measure`` gives."""
    truth, model = short_flight(), dual_arm()
    readings = SensorSet(model, 5).measure(truth)
    expected = measure(truth, model.noise, np.random.default_rng(5))
    for each in fields(expected):
        assert_array_equal(getattr(readings.motion, each.name), getattr(expected, each.name))
    assert_array_equal(readings.gyro, expected.base_twist[:, 3:])
    assert_array_equal(readings.attitude, expected.attitude)
    assert readings.specific_force is None


def test_encoders_have_steps():
    """Positions are whole numbers of steps, no further than half a step from the noisy ones."""
    truth = short_flight()
    readings = SensorSet(equipped(encoder_resolution=1e-3)).measure(truth)
    steps = readings.motion.q / 1e-3
    assert_allclose(steps, np.round(steps), atol=1e-9)
    plain = SensorSet(dual_arm()).measure(truth)
    assert abs(readings.motion.q - plain.motion.q).max() <= 0.5e-3 + 1e-12


def test_gyro_bias_starts_where_it_should_and_walks():
    """Eqs. 24, 25 of [Christidi 2017]: its variance grows by the walk's square times time."""
    times = np.arange(1, 20_001) * 0.01
    still = MotionSamples(
        times,
        *(np.zeros((len(times), size)) for size in (6, 6, 6, 3, 3, 6, 3)),
        np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1)),
    )
    walk, start = 1e-3, 0.5
    model = replace(equipped(gyro_bias=start, gyro_bias_walk=walk), noise=SensorNoise())
    gyro = SensorSet(model, 3).measure(still).gyro
    assert_allclose(gyro[0], start, atol=1e-3)
    steps = np.diff(gyro, axis=0)
    assert steps.std() == pytest.approx(walk * np.sqrt(0.01), rel=0.02)
    assert abs(np.corrcoef(steps[1:, 0], steps[:-1, 0])[0, 1]) < 0.03


def test_seed_fixes_everything_however_samples_are_cut():
    model = equipped(gyro_bias_walk=1e-3, accelerometer=1e-3, encoder_resolution=1e-4)
    truth = short_flight()
    whole = SensorSet(model, 7).measure(truth)
    sensors = SensorSet(model, 7)
    parts = [sensors.measure(rows_of(truth, cut)) for cut in (slice(0, 1), slice(1, 60))]
    gyro = np.concatenate([part.gyro for part in parts])
    force = np.concatenate([part.specific_force for part in parts])
    assert_allclose(gyro, whole.gyro[:60], atol=1e-15)
    assert_array_equal(force, whole.specific_force[:60])
    assert abs(SensorSet(model, 8).measure(truth).gyro - whole.gyro).min() > 0.0


def rows_of(samples, chosen):
    values = {each.name: getattr(samples, each.name)[chosen] for each in fields(samples)}
    return type(samples)(**values)


def test_accelerometer_gives_the_specific_force_where_it_is():
    """Against the second difference of the IMU's position, in the IMU's turned axes."""
    R, lever = Rotation.from_rotvec([0.3, -0.5, 0.9]).as_matrix(), np.array([0.4, -0.3, 0.6])
    model = equipped(accelerometer=0.0, imu_frame='imu')
    model = replace(model, noise=SensorNoise(), frames={**model.frames, 'imu': Frame(0, R, lever)})
    times = sample_times(2.0, 1000.0)
    _, truth = flight(intervals=3).advanced_to(times)
    readings = SensorSet(model).measure(truth)
    turned = Rotation.from_quat(truth.attitude)
    place = truth.position + turned.apply(lever)
    acceleration = (place[2:] - 2 * place[1:-1] + place[:-2]) / 1e-6
    expected = turned[1:-1].inv().apply(acceleration) @ R
    assert abs(expected).max() > 1e-3
    force = readings.specific_force  # held through a step: a difference sees two of them
    assert_allclose(0.5 * (force[1:-1] + force[2:]), expected, atol=1e-5)
    assert_allclose(readings.gyro, truth.base_twist[:, 3:] @ R, atol=1e-15)
    own = (turned * Rotation.from_matrix(R)).as_matrix()
    assert_allclose(Rotation.from_quat(readings.attitude).as_matrix(), own, atol=1e-14)


def test_without_noise_the_sensors_give_the_truth():
    model = equipped(gyro_bias=1.0, accelerometer=1.0, encoder_resolution=0.1)
    truth = short_flight()
    readings = SensorSet(model, noisy=False).measure(truth)
    assert_allclose(readings.gyro, truth.base_twist[:, 3:])
    assert_allclose(readings.motion.q, truth.q)
    assert_allclose(readings.specific_force, truth.base_acceleration[:, :3])


def test_streams_by_default_bring_every_sample_at_once():
    for way in stream_deliveries(dual_arm(), 0).values():
        on_way = way.deliver(np.array([1.0, 1.01, 1.02]))
        assert_array_equal(on_way.rows, [0, 1, 2])
        assert_array_equal(on_way.arrivals, [1.0, 1.01, 1.02])


@pytest.mark.parametrize('rate', [100.0, 50.0, 30.0, 1.0])
def test_streams_have_their_rate_however_samples_are_cut(rate):
    times = np.arange(1, 1001) / 100
    model = equipped(streams={'base_pose': StreamSettings(rate=rate)})
    whole = stream_deliveries(model, 0)['base_pose'].deliver(times).rows
    assert len(whole) == pytest.approx(10 * rate, abs=1)
    assert np.ptp(np.diff(whole)) <= 1
    way, rows = stream_deliveries(model, 0)['base_pose'], []
    for cut in np.array_split(np.arange(1000), 7):
        rows.extend(cut[way.deliver(times[cut]).rows])
    assert_array_equal(rows, whole)


def test_streams_are_late_and_lossy_as_their_seed_says():
    times = np.arange(1, 10_001) / 100
    settings = StreamSettings(latency=0.03, dropout=0.2)
    model = equipped(streams={'imu/data': settings, 'joint_states': settings})
    ways = stream_deliveries(model, 1)
    imu, joints = (ways[name].deliver(times) for name in ('imu/data', 'joint_states'))
    assert len(imu.rows) == pytest.approx(8000, abs=150)
    assert_allclose(imu.arrivals - times[imu.rows], 0.03)
    assert set(imu.rows) != set(joints.rows)
    again = stream_deliveries(model, 1)['imu/data'].deliver(times)
    assert_array_equal(again.rows, imu.rows)
    ideal = stream_deliveries(model, 1, ideal=True)['imu/data'].deliver(times)
    assert_array_equal(ideal.arrivals, times)

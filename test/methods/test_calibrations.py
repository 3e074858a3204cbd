"""Calibrations: what wrong sensors and geometry read is predicted, found, with its uncertainty."""

from dataclasses import replace

from good_hardware import GOOD_HARDWARE
from moving_dual_arm import turned_as_measured, world
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import absorb, begin_identification, identify, refine
from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.methods.calibrations.active import CALIBRATIONS
from spacerobot_id.methods.calibrations.calibration import CALIBRATION_KEYS, CalibrationSettings
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import load_robot, write_robot
from spacerobot_id.model.description.robot_writer import yaml_from_robot
from spacerobot_id.model.description.robot_yaml import read_robot_yaml
from spacerobot_id.model.inertial_parameters import CALIBRATED, TOLERANCES
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.settings import own_parameters

N = len(dual_arm().joints)


def settings_of(*keys):
    fields = own_parameters(CalibrationSettings)
    return CalibrationSettings(**{fields[key].name: GOOD_HARDWARE[key] for key in keys})


def method_of(*keys, from_pose=False, gyro_bias=0.0):
    nuisance = NuisanceSettings(gyro_bias=gyro_bias)
    settings = settings_of(*keys)
    return Momentum.from_model(
        dual_arm_prior(), nuisance, from_pose=from_pose, calibration=settings
    )


def drawn(keys, seed):
    """Return an error for every number of some calibrations, as large as its tolerance."""
    rng = np.random.default_rng(seed)
    return {
        each.key: GOOD_HARDWARE[each.key] * rng.normal(size=len(each(1.0).names(dual_arm())))
        for each in CALIBRATIONS
        if each.key in keys
    }


def later(times, values, delay):
    """Return what was a delay before, shape (N, d)."""
    return CubicSpline(times, values)(times - delay)


def robot_with(errors):
    """Return the robot with its joints askew."""
    robot = dual_arm()
    for kind in (JointAxis, JointOrigin):
        if kind.key in errors:
            robot = kind(1.0).robot(robot, errors[kind.key])
    return robot


def sensed(errors, samples=6600):
    """Return what sensors with errors see of a robot with errors, without noise."""
    robot, clean = robot_with(errors), world(samples=samples)
    twist = base_twist_from_momentum(robot, clean.q, clean.qd, clean.wheel_rates)
    clean = replace(clean, base_twist=twist)
    gyro = later(clean.times, twist[:, 3:], errors.get('delay.imu', [0.0])[0])
    mounted = Rotation.from_rotvec(errors.get('gyro_mounting', np.zeros(3)))
    gyro = mounted.apply(gyro, inverse=True) * (1.0 + errors.get('gyro_scale', 0.0))
    at = later(clean.times, twist, errors.get('delay.base_twist', [0.0])[0])
    velocity = at[:, :3] + np.cross(at[:, 3:], errors.get('twist_point', np.zeros(3)))
    mounted = Rotation.from_rotvec(errors.get('twist_mounting', np.zeros(3)))
    velocity = mounted.apply(velocity, inverse=True) * (1.0 + errors.get('twist_scale', 0.0))
    q = clean.q + errors.get('encoder_offset', 0.0)
    return replace(clean, q=q, base_twist=np.hstack([velocity, gyro]))


def truth_of(method, errors):
    """Return all unknowns as they are."""
    robot = robot_with(errors)
    values = np.zeros(len(method.unknowns))
    values[: len(method.minimal)] = minimal_parameters(robot).values(robot)
    for key, error in errors.items():
        values[method.unknowns.places[key]] = error
    return values


OF_TWIST = [each.key for each in CALIBRATIONS if each.stream != 'pose']


@pytest.mark.parametrize('key', OF_TWIST)
def test_what_a_wrong_sensor_reads_is_predicted(key):
    """At the true errors nothing is left; without them much is."""
    errors = drawn([key], 1)
    method = method_of(key)
    record = method.prepared(sensed(errors))[100:-100]
    values = truth_of(method, errors)
    left = method.residuals(record, values).misfit
    blind = values.copy()
    blind[method.unknowns.places[key]] = 0.0
    without = np.std(method.residuals(record, blind).misfit)
    late = key.startswith('delay')  # of accelerations that are derived
    assert np.std(left) <= (3e-2 if late else 1e-9) * without


def test_several_errors_are_predicted_together():
    """Sensors that are turned, scaled, elsewhere and late on a robot with joints askew."""
    errors = drawn(OF_TWIST, 2)
    method = method_of(*OF_TWIST)
    record = method.prepared(sensed(errors))[100:-100]
    values = truth_of(method, errors)
    blind = np.append(values[: len(method.minimal)], np.zeros(len(method.unknowns.std)))
    left, without = (np.std(method.residuals(record, each).misfit) for each in (values, blind))
    assert left <= 3e-2 * without


@pytest.mark.parametrize('from_pose', [False, True])
def test_slopes_are_those_of_the_prediction(from_pose):
    """Every column is the central difference of the misfit, but for its sign."""
    keys = GOOD_HARDWARE
    method = method_of(*keys, from_pose=from_pose, gyro_bias=1e-3)
    record = turned_as_measured(world(samples=6600))
    record = method.prepared(record)[500:520]
    values = method.prior().mean.copy()
    for key in method.unknowns.places:
        if key in keys:
            values[method.unknowns.places[key]] = 0.5 * keys[key]
    slope = method.predict(record, values).slope
    count = len(method.minimal)
    for column, size in enumerate(method.unknowns.std, count):
        step = np.zeros(len(values))
        step[column] = min(1e-2 * size, 1e-3)
        high, low = (method.residuals(record, values + s * step).misfit for s in (1, -1))
        numeric = -(high - low) / (2.0 * step[column])
        scale = np.abs(numeric).max() + 1e-9
        assert np.abs(slope[:, :, column] - numeric).max() <= 2e-2 * scale, column


def test_slopes_of_displaced_joints_are_exact():
    """No differences of the prediction to one side: the momentum of displaced links says them."""
    keys = ('joint_axis', 'joint_origin', 'encoder_offset')
    method = method_of(*keys)
    record = method.prepared(turned_as_measured(world(samples=6600)))[500:520]
    record = replace(record, smoothed=None)  # slopes where the differences are
    values = method.prior().mean.copy()
    values[len(method.minimal) :] = 0.5 * method.unknowns.std
    slope = method.predict(record, values).slope
    for column, size in enumerate(method.unknowns.std, len(method.minimal)):
        step = np.zeros(len(values))
        step[column] = 0.05 * size
        high, low = (method.residuals(record, values + s * step).misfit for s in (1, -1))
        numeric = -(high - low) / (2.0 * step[column])
        error = np.abs(slope[:, :, column] - numeric).max()
        assert error <= 1e-6 * np.abs(slope[:, :, column]).max(), column


def test_marker_and_its_frame_are_found_without_a_velocity():
    """Place and attitude of the measured pose, and its delay, from positions and the gyro."""
    keys = ('pose_point', 'pose_mounting')
    errors = drawn(keys, 3)
    method = method_of(*keys, from_pose=True)
    clean = turned_as_measured(world(samples=6600))
    turned = Rotation.from_quat(clean.attitude)
    seen = replace(
        clean,
        position=clean.position + turned.apply(errors['pose_point']),
        attitude=(turned * Rotation.from_rotvec(errors['pose_mounting'])).as_quat(),
    )
    values = truth_of(method, errors)
    centre = method.unknowns.places['center_of_mass']
    first = method.residuals(clean, np.where(np.arange(len(values)) < 52, values, 0.0)).misfit
    values[centre] = first[:, 3:].mean(axis=0)
    left = method.residuals(seen, values).misfit[:, 3:]
    assert np.abs(left).max() <= 1e-9 + np.abs(first[:, 3:] - first[:, 3:].mean(axis=0)).max()
    assert np.abs(method.residuals(seen, method.prior().mean).misfit[:, 3:]).max() > 1e-3


@pytest.mark.slow
def test_errors_of_good_hardware_are_found_with_true_intervals():
    """All at once, a bias of the gyro too; without the calibrations the data are not explained."""
    keys = [*OF_TWIST]
    method = method_of(*keys, gyro_bias=1e-4)
    bias = np.array([1e-4, -0.5e-4, 0.7e-4])
    squares, sizes, inside = [], [], []
    for seed in range(2):
        errors = drawn(keys, seed)
        record = noisy(sensed(errors, 2600), method, seed)
        twist = record.base_twist + np.append(np.zeros(3), bias)
        record = replace(record, base_twist=twist)[50:-50]
        result = identify(record, method, with_links=False)
        estimate, true = result.estimate, truth_of(method, errors)
        true[method.unknowns.places['gyro_bias']] = bias
        values = np.append(estimate.values, [each.value for each in estimate.others])
        std = np.append(estimate.std, [each.std for each in estimate.others])
        assert estimate.chi_square == pytest.approx(1.0, abs=0.05)
        inside.append(np.abs(values - true) <= 1.96 * std)
        squares.append(((values - true) / std) ** 2)
        sizes.append(std / np.append(estimate.prior_std, method.unknowns.std))
    assert 0.9 <= np.mean(inside) <= 0.99
    assert 0.8 <= np.sqrt(np.mean(squares)) <= 1.2
    places = method.unknowns.places
    for key in ('gyro_mounting', 'twist_mounting', 'delay.imu', 'delay.base_twist'):
        assert np.mean(sizes, axis=0)[places[key]].max() < 0.2
    blind = identify(record[:800], method_of(gyro_bias=1e-4), with_links=False)
    assert blind.estimate.chi_square > 1.5


def noisy(clean, method, seed):
    """Return a record with the noise that the description states."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(clean), len(method.rate_std))) * method.rate_std
    return replace(clean, qd=clean.qd + noise[:, 6:], base_twist=clean.base_twist + noise[:, :6])


def test_the_recursion_ends_where_the_batch_fit_does():
    """A delay needs neighbours of a sample, at the edges of blocks too."""
    keys = ('delay.imu', 'gyro_mounting', 'encoder_offset')
    errors = drawn(keys, 4)
    method = method_of(*keys)
    record = noisy(sensed(errors, 2200), method, 0)[50:-50]
    state = begin_identification(method)
    for start in range(0, len(record), 37):
        state = absorb(state, record[start : start + 37])
    live = refine(state)
    batch = identify(record, method, with_links=False).estimate
    assert live.estimate().samples == batch.samples
    apart = np.abs(live.estimate().values - batch.values) / batch.std
    assert apart.max() < 1e-2


def test_auto_takes_what_the_robot_has_tolerances_for():
    """What is given goes before; what a method has no use for is left out."""
    robot = replace(
        dual_arm_prior(),
        tolerances={'encoder_offset': 0.01, 'gyro_bias': 1e-4, 'delay.imu': 0.002},
    )
    given = settings_from_mapping({'calibrate': 'auto', 'delay.imu': 0.01})
    method = given.method_for(robot)
    assert set(method.calibrations.by_key) == {'encoder_offset', 'delay.imu'}
    assert method.calibrations.by_key['delay.imu'].std == 0.01
    assert 'gyro_bias' in method.unknowns.places
    assert not settings_from_mapping({}).method_for(robot).calibrations
    least = settings_from_mapping({'calibrate': 'auto', 'method': 'angular_momentum'})
    assert set(least.method_for(robot).calibrations.by_key) == {'encoder_offset', 'delay.imu'}


def test_auto_without_tolerances_is_refused():
    with pytest.raises(ConfigurationError, match='calibrate: auto needs tolerances in'):
        settings_from_mapping({'calibrate': 'auto'}).method_for(dual_arm_prior())


def test_every_calibration_has_a_setting_and_a_tolerance():
    keys = {each.key for each in CALIBRATIONS}
    assert keys == CALIBRATION_KEYS - {'calibrate'}
    assert set(TOLERANCES) - keys == {'gyro_bias', 'wheel_scale'}
    for each in CALIBRATIONS:
        units = set(each(1.0).units(dual_arm()))
        assert units <= set(TOLERANCES[each.key].split(' or '))


def test_tolerances_are_read_and_written():
    text = 'tolerances: {encoder_offset: 0.01, delay.imu: 0.002}'
    read = read_robot_yaml(text, 'robot.yaml').tolerances
    assert read == {'encoder_offset': 0.01, 'delay.imu': 0.002}
    written = yaml_from_robot(replace(dual_arm(), tolerances=read))
    assert read_robot_yaml(written, 'again').tolerances == read


def test_known_errors_are_read_and_written():
    text = 'calibration: {delay.imu: -0.002, gyro_scale: [0.1, 0, -0.1]}'
    read = read_robot_yaml(text, 'robot.yaml').calibration
    assert read == {'delay.imu': (-0.002,), 'gyro_scale': (0.1, 0.0, -0.1)}
    written = yaml_from_robot(replace(dual_arm(), calibration=read))
    assert read_robot_yaml(written, 'again').calibration == read
    sensors = {each.key: len(each(1.0).names(dual_arm())) for each in CALIBRATIONS if each.stream}
    assert sensors == CALIBRATED


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('tolerances: {encoder: 0.01}', 'encoder'),
        ('tolerances: {joint_axis: -0.01}', 'must not be negative'),
        ('calibration: {gyro_scale: 0.1}', 'calibration.gyro_scale: must be a list'),
        ('calibration: {joint_axis: 0.1}', 'joint_axis'),
    ],
)
def test_tolerances_that_cannot_be_are_refused(text, reason):
    with pytest.raises(DescriptionError, match=reason):
        read_robot_yaml(text, 'robot.yaml')


@pytest.mark.filterwarnings('ignore::spacerobot_id.exceptions.DescriptionWarning')
@pytest.mark.parametrize('key', OF_TWIST)
def test_a_description_with_what_was_found_explains_the_readings_as_they_come(key, tmp_path):
    """Written and loaded again, nothing is left to calibrate; and the same key stays at zero."""
    errors = drawn([key], 5)
    method = method_of(key)
    write_robot(method.described(truth_of(method, errors)), tmp_path / 'robot.urdf')
    robot = load_robot(tmp_path / 'robot.urdf')
    true = minimal_parameters(robot_with(errors)).values(dual_arm())
    record = method.prepared(sensed(errors))[100:-100]
    left = np.std(method.residuals(record, truth_of(method, errors)).misfit)
    blind = np.std(Momentum.from_model(dual_arm()).residuals(record, true).misfit)
    for plain in (
        Momentum.from_model(robot),
        Momentum.from_model(robot, calibration=settings_of(key)),
    ):
        values = np.append(true, np.zeros(len(plain.unknowns) - len(true)))
        misfit = np.std(plain.residuals(plain.prepared(record), values).misfit)
        assert misfit <= max(1.01 * left, 1e-9 * blind)


def test_scales_of_wheels_that_were_found_are_in_the_description():
    method = Momentum.from_model(dual_arm_prior(), NuisanceSettings(wheel_scale=0.1))
    values = method.prior().mean.copy()
    values[method.unknowns.places['wheel_scale']] = [0.01, -0.02, 0.03]
    found = [wheel.spin_inertia for wheel in method.described(values).wheels]
    before = np.array([wheel.spin_inertia for wheel in method.model.wheels])
    assert found == pytest.approx(before * [1.01, 0.98, 1.03])


def test_the_identified_robot_has_the_geometry_that_was_found():
    """Links that can exist are those of the calibrated geometry, limits where they were."""
    errors = drawn(('encoder_offset',), 6)
    method = method_of('encoder_offset')
    record = noisy(sensed(errors), method, 6)
    result = identify(record[::4], method)
    offsets = {each.name: each.value for each in result.estimate.others}
    for joint, before in zip(result.links.model.joints, method.model.joints, strict=True):
        offset = offsets[f'encoder_offset.{joint.name}']
        turn = Rotation.from_matrix(before.R_PC.T @ joint.R_PC).as_rotvec()
        assert turn == pytest.approx([0.0, 0.0, -offset], abs=1e-12)
        assert joint.limits.lower == pytest.approx(before.limits.lower + offset)

"""Momentum balance: MuJoCo as the plant, every slope by differences, what tables do is found."""

from dataclasses import replace
from functools import cache, partialmethod

from air_bearing import air_bearing
import numpy as np
import pytest
from reference_logs import recorded
from scipy.spatial.transform import Rotation
from space_flights import space_flight, thrusting_servicer
from table_flights import (
    AS_STATED,
    heavier,
    KNOWN_MASS,
    noise_sizes,
    on_table,
    scores,
    TABLE,
    table_flight,
    UNKNOWN,
    WEAK,
)
from thruster_flights import asked, fly, Motion, sensed, Sensing, STEP, Truth

from spacerobot_id.estimation import (
    absorb,
    begin_identification,
    identify,
    RecursionSettings,
    refine,
)
from spacerobot_id.estimation.batch.score_test import fully_extended, scores_of_fit
from spacerobot_id.estimation.states import elimination_kernels
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.estimation.states.solution import compile_kernels, solution
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.balance import flight
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.balance.actuators.commands import (
    ActuatorErrors,
    allocated,
    Commands,
    pulses,
)
from spacerobot_id.methods.balance.equations import balance_kernels
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.balance.equations.moving_robot import MovingRobot
from spacerobot_id.methods.balance.feedback import coupling
from spacerobot_id.methods.balance.flight import counting_joints, READINGS
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.methods.unknowns import NuisanceSettings


@pytest.mark.parametrize('planar', [True, False])
def test_slopes_are_those_of_the_prediction(planar):
    """Of states, pushes, scatter and all unknowns, by central differences of the misfit."""
    calibration = CalibrationSettings(
        encoder_offset=0.01,
        joint_origin=0.001,
        gyro_mounting=0.01,
        gyro_scale=0.01,
        pose_point=0.01,
        pose_mounting=0.01,
    )
    nuisance = NuisanceSettings(gyro_bias=1e-3, wheel_scale=0.0 if planar else 0.01)
    actuators = replace(UNKNOWN, drag=1e-3, disturbance_torque=1e-3, thrust_direction=0.02)
    if planar:
        actuators = replace(actuators, unevenness=0.01)
    record = table_flight(duration=3.0) if planar else space_flight(duration=1.5)
    robot = air_bearing(prior=True) if planar else thrusting_servicer()
    method = MomentumBalance(robot, nuisance, planar, calibration=calibration, actuators=actuators)
    flight, values = method.flight(record), method.prior().mean.copy()
    none = np.zeros(1)  # weights stay
    exact = replace(flight.joints, own_std=none, own_rate_std=none, density=none)
    flight = replace(flight, joints=exact)
    rng = np.random.default_rng(0)
    count = len(method.minimal)
    values[count:] += 0.1 * method.unknowns.std * rng.normal(size=len(values) - count)
    start = Balance(method, flight, values).start()
    segments, actuators = start.scatter.shape
    pushes = np.zeros((segments, 6))
    pushes[:, method.free] = (0.03 if planar else 3e-3) * rng.normal(
        size=(segments, len(method.free))
    )
    none = np.zeros((segments, 12))
    slow = 0.7 * pushes[::-1]
    there = start.moved(none, pushes, slow, 0.3 * rng.normal(size=start.scatter.shape))
    linear = Balance(method, flight, values).linear(there)
    free = len(method.free)
    own, size = 2 * free + actuators, 3 * free + actuators

    def misfit(values, trajectory):
        with pytest.MonkeyPatch.context() as patch:  # slopes take longest, and are not looked at
            for name, size in (('momentum_columns', 6), ('com_columns', 3)):
                patch.setattr(MovingRobot, name, partialmethod(_no_columns, size))
            return Balance(method, flight, values).linear(trajectory).rows[:, -1]

    def hold(column, high, low, step, near=2e-3 if planar else 4e-3, least=1e-9):
        numeric = -(high - low) / (2.0 * step)
        allowed = near * np.abs(numeric).max() + least
        assert np.abs(linear.rows[:, column] - numeric).max() <= allowed

    for unknown, name in list(enumerate(method.unknowns.names))[:: 1 if planar else 4]:
        if name in ('dead_time', 'delay.wrench'):
            continue  # steps of commands: slopes are means over steps
        scale = abs(values[unknown]) if unknown < count else method.unknowns.std[unknown - count]
        moved = np.zeros_like(values)
        moved[unknown] = 1e-4 * max(scale, 1e-3)
        high, low = (misfit(values + sign * moved, there) for sign in (1.0, -1.0))
        column, least = own + size + unknown, 0.02 / max(scale, 1e-3)
        hold(column, high, low, moved[unknown], near=2e-2, least=least)
    state = [k for k in range(12) if k % 6 in method.free]
    for place, component in enumerate(state):
        moved = none.copy()
        moved[:, component] = 1e-5
        sides = (there.moved(s * moved, 0.0, 0.0, 0.0) for s in (1.0, -1.0))
        hold(own + place, *(misfit(values, each) for each in sides), 1e-5)
    for place, component in enumerate(method.free):
        moved = np.zeros_like(pushes)
        moved[:, component] = 1e-4
        for column, changed in ((place, (1.0, 0.0)), (own + 2 * free + place, (0.0, 1.0))):
            parts = ([sign * part * moved for part in changed] for sign in (1.0, -1.0))
            sides = (there.moved(none, *each, 0.0) for each in parts)
            hold(column, *(misfit(values, each) for each in sides), 1e-4)
    for actuator in range(actuators):
        moved = np.zeros((segments, actuators))
        moved[:, actuator] = 1e-3
        sides = (there.moved(none, 0.0, 0.0, s * moved) for s in (1.0, -1.0))
        hold(own + size - actuators + actuator, *(misfit(values, each) for each in sides), 1e-3)


def _no_columns(robot, size, inputs, *_):
    return np.zeros((len(inputs.times), size, len(robot.method.unknowns)))


def test_with_thrusters_as_stated_the_robot_is_found():
    """Encoders are the noise that counts; no pushes are found where nothing pushes."""
    method = on_table(prior_settings=KNOWN_MASS)
    robot = method.prior()
    mean = robot.mean.copy()
    mean[method.minimal.masses] = 15.4
    fit = fit_flights(method, [method.flight(table_flight())], mean, _of_mass(method))
    truth = method.minimal.values(air_bearing())
    errors, seen = scores(fit, method, truth)
    assert fit.converged
    assert seen.sum() >= 12
    assert np.abs(errors[seen]).max() < 4.0
    assert np.mean(errors[seen] ** 2) < 2.0
    assert fit.sizes['scatter'] < 1e-3
    assert fit.sizes['force'] < 1e-4


def _of_mass(method):
    """Return the description's information with the true mass, to a thousandth."""
    prior = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS).prior()
    return prior.linearised(prior.mean)


@pytest.mark.slow
def test_what_tables_do_is_found_with_true_intervals():
    """Strengths, loss, dead time, delay, tilt and scatter, all at once, over three flights."""
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    flights = [
        method.flight(table_flight(TABLE, seed, 25.0, encoder_step=1.5e-3)) for seed in range(3)
    ]
    fit = fit_flights(method, flights)
    count, places = len(method.minimal), method.unknowns.places
    truth = np.zeros(len(method.unknowns))
    truth[:count] = method.minimal.values(air_bearing())
    truth[places['strength']] = TABLE.strength
    truth[places['strength_loss']] = TABLE.loss
    truth[places['dead_time']] = TABLE.dead_time
    truth[places['delay.wrench']] = TABLE.delay
    truth[places['disturbance']][:2] = TABLE.force[:2]
    errors, seen = scores(fit, method, truth)
    assert seen[count:-1].all()  # there is no torque
    assert seen[:count].sum() >= 12
    assert np.abs(errors[seen]).max() < 4.5
    assert np.mean(np.abs(errors[seen]) < 1.96) > 0.8
    assert fit.sizes['scatter'] == pytest.approx(TABLE.scatter, rel=0.25)


def test_data_that_show_nothing_leave_everything_not_identified():
    """All at rest: no number is called identified."""
    robot, rng = air_bearing(), np.random.default_rng(0)
    still = Motion(np.zeros((1, 3)), np.ones((1, 3)), np.zeros((1, 3)))
    thrust = HeldSignal(np.zeros(1), np.zeros((1, 8)))
    wheels = Motion.drawn(0, 1.0, rng)
    flown = fly(robot, Truth(), still, wheels, thrust, 10.0, rng, planar=True)
    record = sensed(robot, flown, Truth(), Sensing(), rng)
    method = on_table()
    fit = fit_flights(method, [method.flight(record)])
    assert not scores(fit, method, method.prior().mean)[1].any()
    with pytest.raises(EstimationError, match='0 samples in which something moves'):
        identify(record, method)


@cache
def shaken_flight(gain, seed=0, duration=40.0):
    """Return what is seen of a robot under a wrench and a disturbance that lasts two seconds.

    The wrench is a programme, and the answer of a controller of some gain.
    """
    robot, rng = replace(air_bearing(), thrusters=[]), np.random.default_rng(seed)
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    forces = np.zeros((round(duration / STEP) + 1, 3))
    fading = np.exp(-STEP / 2.0)
    for k in range(1, len(forces)):
        step = rng.normal(size=2) * np.sqrt(1.0 - fading**2)
        forces[k, :2] = fading * forces[k - 1, :2] + 0.05 * step
    phase, rate = rng.uniform(0.0, 7.0, (3, 3)), rng.uniform(0.05, 0.3, (3, 3))
    asked_for = {}

    def controller(time, pose, twist):
        tick = int(time / 0.1 + 1e-9)
        if tick not in asked_for:
            yaw = 2.0 * np.arctan2(pose[6], pose[3])
            wanted = np.sin(2.0 * np.pi * rate * time + phase).sum(axis=1) * [0.1, 0.1, 0.02]
            wanted[:2] -= gain * (2.0 * pose[:2] + 8.0 * twist[:2])
            wanted[2] -= gain * (0.1 * yaw + 0.4 * twist[5])
            asked_for[tick] = np.zeros(6)
            back = Rotation.from_rotvec([0.0, 0.0, -yaw])
            asked_for[tick][:3] = back.apply([*wanted[:2], 0.0])
            asked_for[tick][5] = wanted[2]
        return asked_for[tick]

    none, exact = HeldSignal(np.zeros(1), np.zeros((1, 8))), Truth()
    moved = {'controller': controller, 'shaken': forces}
    plant = air_bearing()
    flown = fly(plant, exact, joints, wheels, none, duration, rng, planar=True, **moved)
    record = sensed(robot, flown, exact, Sensing(joints=20.0, encoder_step=1.5e-3), rng)
    times = np.append(-1.0, 0.1 * np.array(list(asked_for)))
    wrench = HeldSignal(times, np.vstack([np.zeros(6), *asked_for.values()]))
    return replace(record, thrust=None, wrench=wrench)


def shaken_method():
    return MomentumBalance(
        replace(heavier(), thrusters=[]),
        planar=True,
        prior_settings=KNOWN_MASS,
        actuators=ActuatorSettings(wrench_scale=0.1, disturbance_force=0.02),
    )


def test_disturbances_that_last_leave_intervals_true():
    """Their size and the time in which they fade are found."""
    method = shaken_method()
    fit = fit_flights(method, [method.flight(shaken_flight(0.0))])
    truth = np.zeros(len(method.unknowns))
    truth[: len(method.minimal)] = method.minimal.values(air_bearing())
    errors, seen = scores(fit, method, truth)
    assert seen[: len(method.minimal)].sum() >= 10
    assert np.abs(errors[seen]).max() < 4.0
    assert np.mean(errors[seen] ** 2) < 2.0
    assert 0.7 < fit.sizes.memory < 6.0
    assert fit.sizes['slow_force'] * np.sqrt(0.5 * fit.sizes.memory) == pytest.approx(
        0.05 / 15.4, rel=0.4
    )
    assert coupling(method, fit.flights).sentences() == ()


def test_a_wrench_that_answers_disturbances_is_said_to():
    method = shaken_method()
    fit = fit_flights(method, [method.flight(shaken_flight(1.0))])
    (sentence,) = coupling(method, fit.flights).sentences()
    assert 'the wrench answers what disturbs the robot' in sentence


def test_a_wrench_that_acts_otherwise_than_stated_is_said_to():
    """All thrusters are weaker than stated, and their strengths are taken to be known."""
    record = table_flight(WEAK, duration=20.0)
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS)
    fit = fit_flights(method, [method.flight(record)])
    (sentence,) = coupling(method, fit.flights).sentences()
    assert 'it acts otherwise than stated' in sentence


def test_a_wrench_far_from_its_time_is_refused_and_named():
    """Its fit comes to no robot; one in which the delay is unknown is looked for all over."""
    record = shaken_flight(0.0)
    record = replace(record, wrench=replace(record.wrench, times=record.wrench.times - 0.8))
    result = identify(record, shaken_method())
    assert not result.is_usable
    found = result.causes[0].description.split()
    assert found[0] == 'delay.wrench'
    assert float(found[2]) == pytest.approx(0.8, abs=0.02)


def test_too_few_poses_are_refused():
    method = on_table()
    with pytest.raises(EstimationError, match='poses are too few'):
        method.flight(table_flight().between(0.0, 1.5))


def test_a_single_reading_of_a_gyro_is_taken():
    """There is no time between it and another."""
    record = table_flight(duration=8.0, gyro=10.0)
    read = np.isfinite(record.base_twist[:, 3:]).all(axis=1)
    alone = ~read
    alone[np.flatnonzero(read)[5]] = True
    method = on_table(prior_settings=KNOWN_MASS)
    fit = fit_flights(method, [method.flight(record[alone])])
    assert (fit.flights[0].blocks.kind == READINGS.index('gyro')).sum() == 1


@pytest.mark.parametrize(('joints', 'expected', 'tolerance'), [(1e-3, 1.0, 0.03), (1.0, 0.9, 0.1)])
def test_states_and_pushes_of_known_values_leave_the_noise(joints, expected, tolerance):
    """Of the true robot under the true wrenches, nothing but the noise of the sensors is left.

    That of joints counts for more than it is, as it lasts.
    """
    own = air_bearing().noise
    own = replace(
        own, joint_position=joints * own.joint_position, joint_rate=joints * own.joint_rate
    )
    robot = replace(air_bearing(), noise=own)
    method = MomentumBalance(robot, planar=True)
    record = table_flight(robot=robot)
    given = noise_sizes(*5 * [1e-6])
    start = method.prior().mean
    fit = begin_fit(method, [method.flight(record)], start, given=given, held=True).ended()
    white = fit.flights[0].whitened(fit.sizes)
    assert np.std(white) == pytest.approx(expected, abs=tolerance)
    np.testing.assert_array_equal(fit.values, start)


VALVE = Commands(
    np.array([0.0, 1.0, 2.0, 3.0]),
    np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
    np.eye(6)[:, :2],
    ('a', 'b'),
    are_valves=True,
)
EDGES = np.array([0.5, 1.25, 1.75, 2.5, 3.5])


def given(**errors):
    return VALVE.given(EDGES, ActuatorErrors(np.zeros(2), **errors))


def test_commands_are_held():
    np.testing.assert_allclose(given(), [[1 / 3, 0.0], [1.0, 0.0], [1.0, 2 / 3], [0.5, 0.5]])


def test_pulses_begin_late_by_the_dead_time_and_end_in_time():
    """The second valve's opening is no new pulse of the first."""
    found = given(dead_time=0.1)
    np.testing.assert_allclose(
        found, [[0.15 / 0.75, 0.0], [1.0, 0.0], [1.0, 0.4 / 0.75], [0.5, 0.5]]
    )


def test_everything_is_late_by_the_delay():
    np.testing.assert_allclose(
        given(delay=0.25), [[0.0, 0.0], [1.0, 0.0], [1.0, 0.25 / 0.75], [0.75, 0.75]]
    )


def test_further_valves_cost_strength():
    """Nothing where one is open alone."""
    np.testing.assert_allclose(
        given(loss=0.2),
        [[1 / 3, 0.0], [1.0, 0.0], [(0.25 + 0.8 * 0.5) / 0.75, 0.8 * 2 / 3], [0.4, 0.4]],
    )


def test_pulses_begin_where_valves_open():
    errors = ActuatorErrors(np.zeros(2), delay=0.1)
    begins = VALVE.begins(np.array([0.0, 1.05, 1.5, 2.0, 2.5]), errors)
    assert begins.tolist() == [[False, False], [True, False], [False, False], [False, True]]


def test_shares_of_slow_commands_are_pulses():
    """Each begins with its command; commands that come fast are means already."""
    shares = np.array([[0.25, 1.0], [1.0, 0.0], [0.0, 0.5]])
    times, values = pulses(np.array([0.0, 0.1, 0.2]), shares)
    np.testing.assert_allclose(times, [0.0, 0.025, 0.1, 0.2, 0.25])
    assert values.tolist() == [[1, 1], [0, 1], [1, 0], [0, 1], [0, 0]]
    np.testing.assert_array_equal(pulses(np.array([0.0, 0.01, 0.02]), shares)[1], shares)


def test_wrenches_are_allocated_as_by_the_clipped_pseudo_inverse():
    """Opposing pairs, as on a table: what saturates is given in part."""
    thrusters, rng = air_bearing().thrusters, np.random.default_rng(0)
    columns = np.stack([each.wrench for each in thrusters], axis=-1)[[0, 1, 5]]
    wrenches = np.zeros((20, 6))
    wrenches[:, [0, 1, 5]] = rng.uniform(-1.0, 1.0, (20, 3)) * [0.3, 0.3, 0.04]
    shares = 2.0 * np.maximum(wrenches[:, [0, 1, 5]] @ np.linalg.pinv(columns).T, 0.0)
    found = allocated(wrenches, thrusters, [0, 1, 5])
    np.testing.assert_allclose(found, np.minimum(shares, 1.0), atol=1e-6)
    np.testing.assert_allclose(allocated(40.0 * wrenches, thrusters, [0, 1, 5]).max(), 1.0)


def test_wrenches_that_thrusters_cannot_give_are_refused():
    wrenches = np.zeros((5, 6))
    wrenches[:, 1] = 0.1
    with pytest.raises(EstimationError, match='thrusters of the description cannot give such'):
        allocated(wrenches, air_bearing().thrusters[:4], [0, 1, 5])


def test_of_wrenches_alone_the_thrusters_behind_them_are_found():
    """In inertial axes at 10 Hz, the clock of the poses another, strengths unequal."""
    robot, rng = air_bearing(), np.random.default_rng(3)
    truth = replace(TABLE, clock=0.5, direction=0.02 * rng.normal(size=8))
    truth = replace(truth, table=np.array([5e-3, -2e-3, 3e-3]))
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    wrench, thrust = asked(robot, 40.0, rng)
    flown = fly(robot, truth, joints, wheels, thrust, 40.0, rng, planar=True)
    record = sensed(robot, flown, truth, Sensing(joints=20.0, encoder_step=1.5e-3), rng)
    turned = Rotation.from_quat(flown.attitude[np.searchsorted(flown.times, wrench.times - 1e-9)])
    values = np.hstack([turned.apply(half) for half in np.split(wrench.values, 2, axis=1)])
    held = HeldSignal(
        np.append(-1.0, wrench.times), np.vstack([np.zeros(6), values]), in_world=True
    )
    record = replace(record, thrust=None, wrench=held)
    method = MomentumBalance(
        heavier(),
        planar=True,
        prior_settings=KNOWN_MASS,
        actuators=replace(UNKNOWN, thrust_direction=0.02, unevenness=0.01, unevenness_order=2),
        calibration=CalibrationSettings(delay_base_pose=1.0),
    )
    fit = fit_flights(method, [method.flight(record)])
    count, places = len(method.minimal), method.unknowns.places
    errors, seen = scores(fit, method, _of_table(method, truth))
    assert seen[places['strength']].all()
    assert seen[places['thrust_direction']].any()
    assert seen[:count].sum() >= 10
    assert np.abs(errors[seen]).max() < 4.5
    assert np.mean(errors[seen] ** 2) < 2.0


def test_an_uneven_table_is_only_in_the_plane():
    with pytest.raises(ConfigurationError, match='unevenness: a table is only where planar'):
        MomentumBalance(air_bearing(), actuators=ActuatorSettings(unevenness=0.01))


@pytest.mark.slow
def test_the_clock_of_the_poses_may_be_another():
    """More than a second off, on receipt by coarse ticks: found, and the parameters with it."""
    truth = replace(AS_STATED, clock=1.03)
    method = MomentumBalance(
        heavier(),
        planar=True,
        prior_settings=KNOWN_MASS,
        calibration=CalibrationSettings(delay_base_pose=1.0),
    )
    fit = fit_flights(method, [method.flight(table_flight(truth))])
    place = method.unknowns.places['delay.base_pose'].start
    expected = np.append(method.minimal.values(air_bearing()), truth.clock)
    errors, seen = scores(fit, method, expected)
    assert seen[place]
    assert np.abs(errors[seen]).max() < 4.5
    assert fit.values[place] == pytest.approx(truth.clock, abs=5e-3)


@pytest.mark.slow
def test_stamps_of_receipt_live():
    """By ticks and late by up to 40 ms: what frames with stamps of their own show."""
    method = on_table(
        prior_settings=KNOWN_MASS,
        actuators=UNKNOWN,
        calibration=CalibrationSettings(delay_base_pose=1.0),
    )
    count, truth = len(method.minimal), replace(TABLE, clock=-0.3)
    found = []
    for received in ({}, {'on_receipt': 0.05, 'transport': 0.04}):
        record = table_flight(truth, 1, 25.0, encoder_step=1.5e-3, **received)
        state = begin_identification(method, RecursionSettings())
        for block in np.array_split(np.arange(len(record)), 25):
            state = absorb(state, record[block])
        assert not state.window.is_lost
        found.append(state.information)
    expected = method.minimal.values(air_bearing())
    own = found[0].values()[:count]
    for each in found:
        std = np.sqrt(np.diag(each.covariance()))[:count]
        assert np.abs((each.values()[:count] - expected) / std).max() < 3.0
        assert np.abs((each.values()[:count] - own) / std).max() < 0.7


def _of_table(method, truth):
    """Return the true unknowns of a robot on a table."""
    places, found = method.unknowns.places, np.zeros(len(method.unknowns))
    found[: len(method.minimal)] = method.minimal.values(air_bearing())
    injected = {
        'strength': truth.strength,
        'strength_loss': truth.loss,
        'dead_time': truth.dead_time,
        'delay.wrench': truth.delay,
        'delay.base_pose': truth.clock,
        'thrust_direction': truth.direction,
        'unevenness': truth.table,
    }
    for name in injected.keys() & places.keys():
        found[places[name]] = injected[name]
    found[places['disturbance']][:2] = truth.force[:2]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(('seed', 'seconds', 'transport'), [(6, 40.0, 0.005), (1, 60.0, 0.04)])
def test_stamps_that_cannot_be_mended_are_noise(seed, seconds, transport, monkeypatch):
    """A hundred times that stated and more: steps from side to side, or no motion at all."""
    monkeypatch.setattr(flight, 'restamped', lambda *_: None)
    truth = replace(TABLE, clock=0.6)
    record = table_flight(truth, seed, seconds, encoder_step=1.5e-3, transport=transport)
    method = on_table(
        prior_settings=KNOWN_MASS,
        actuators=UNKNOWN,
        calibration=CalibrationSettings(delay_base_pose=1.0),
    )
    fit = fit_flights(method, [method.flight(record)])
    later = replace(truth, clock=truth.clock + 0.5 * transport)
    errors, seen = scores(fit, method, _of_table(method, later))
    assert fit.converged
    assert seen[: len(method.minimal)].sum() >= 8
    assert np.abs(errors[seen]).max() < 4.5
    assert np.mean(errors[seen] ** 2) < 2.0


def test_flights_have_clocks_and_tilts_of_their_own():
    """Two tables tilted the opposite way: one robot, and neither tilt is that of both."""
    tilts = [np.array([5e-3, 0.0, 0.0]), np.array([-5e-3, 0.0, 0.0])]
    records = [
        table_flight(replace(AS_STATED, force=tilt), seed, 20.0) for seed, tilt in enumerate(tilts)
    ]
    method = MomentumBalance(
        heavier(),
        planar=True,
        prior_settings=KNOWN_MASS,
        actuators=ActuatorSettings(disturbance_force=0.02),
    )
    joined = Record.concatenate([records[0], records[1].shifted(100.0)])
    flights = method.flights(joined)
    assert len(flights) == 2
    fit = fit_flights(method, flights)
    place = method.unknowns.places['disturbance'].start
    for own, tilt in zip(fit.flights, tilts, strict=True):
        assert own.values[place] == pytest.approx(tilt[0], abs=1e-4)
    errors, seen = scores(fit, method, np.append(method.minimal.values(air_bearing()), tilts[0]))
    assert np.abs(errors[seen]).max() < 4.5


def test_a_flight_far_rougher_than_the_others_is_left_out_and_that_is_said():
    """Stamps that are not its own would spoil what all flights share."""
    records = [table_flight(AS_STATED, seed, 15.0) for seed in range(3)]
    off = 3e-4 * np.random.default_rng(5).normal(size=records[1].position.shape)
    records[1] = replace(records[1], position=records[1].position + off)
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS)
    joined = Record.concatenate([each.shifted(100.0 * k) for k, each in enumerate(records)])
    found = solution(method, joined, method.prior().mean)
    (note,) = [each for each in found.notes if 'left out' in each]
    assert note.startswith('flight 2 of 3 is left out')
    errors, seen = scores(found.fit, method, method.minimal.values(air_bearing()))
    assert np.abs(errors[seen]).max() < 4.5
    good = Record.concatenate([records[0], records[2].shifted(200.0)])
    alone = solution(method, good, method.prior().mean)
    std = np.sqrt(np.diag(alone.information.covariance()))
    assert np.abs((found.values - alone.values) / std).max() < 0.01
    assert not [each for each in alone.notes if 'left out' in each]


def test_where_joints_are_not_read_another_flight_begins():
    """No curve through what was not seen: of the same robot before and after, which is found."""
    record = table_flight(AS_STATED, 0, 20.0)
    lost = record.has('q') & (record.times > 9.0) & (record.times < 11.3)
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS)
    flights = method.flights(record[~lost])
    assert [len(each.edges) > 100 for each in flights] == [True, True]
    assert flights[0].edges[-1] < 9.1
    assert flights[1].edges[0] > 11.2
    errors, seen = scores(
        fit_flights(method, flights), method, method.minimal.values(air_bearing())
    )
    assert seen.sum() >= 10
    assert np.abs(errors[seen]).max() < 4.5


def test_F17_a_clock_put_forward_does_no_harm():
    """By half a second, within a flight: what base and arm did then is not known."""
    record = table_flight(AS_STATED, 0, 20.0)
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS)
    early, late = record[record.times < 9.0], record[record.times >= 9.0].shifted(0.5)
    thrust = record.thrust
    times = thrust.times + 0.5 * (thrust.times >= 9.0)
    jumped = replace(Record.concatenate([early, late]), thrust=replace(thrust, times=times))
    flights = method.flights(jumped)
    assert len(flights) == 1
    assert flights[0].silences.shape == (1, 2)
    silent = flights[0].edges[:-1][flights[0].is_silent]
    assert silent.min() > 8.8
    assert silent.max() < 9.5
    fit = fit_flights(method, flights)
    errors, seen = scores(fit, method, method.minimal.values(air_bearing()))
    assert seen.sum() >= 10
    assert np.abs(errors[seen]).max() < 4.5
    assert not method.flights(record)[0].is_silent.any()


@pytest.mark.parametrize('seconds', [0.1, 0.3])
def test_F12_joint_states_that_freeze_for_a_moment_do_not_count(seconds):
    """The first of them does; elsewhere all do."""
    record, robot = table_flight(AS_STATED, 0, 20.0), heavier()
    rows = np.flatnonzero(record.has('q') & (record.times > 9.0) & (record.times < 9.0 + seconds))
    frozen = replace(record, q=record.q.copy(), qd=record.qd.copy())
    frozen.q[rows], frozen.qd[rows] = record.q[rows[0]], record.qd[rows[0]]
    before, after = counting_joints(record, robot), counting_joints(frozen, robot)
    np.testing.assert_array_equal(np.flatnonzero(before & ~after), rows[1:])
    assert not (after & ~before).any()


def test_a_fit_with_all_calibrations_unknown_converges():
    """It went to and fro between two points: pulses had no slope in a dead time below zero."""
    recorded_log, own = recorded('air_bearing', 'momentum_balance')
    method = fully_extended(own, recorded_log.measurement)
    flights = method.flights(recorded_log.measurement)
    found = begin_fit(method, flights, method.prior().mean).ended()
    assert found.converged
    assert found.iterations < 20
    assert scores_of_fit(method, method, found) == []  # nothing is left to be tried


KERNELS = (
    balance_kernels.shoot,
    balance_kernels.accumulate,
    elimination_kernels.eliminate,
    elimination_kernels.spread_back,
)


@pytest.mark.parametrize('planar', [True, False])
def test_all_kernels_that_a_fit_calls_are_compiled_beforehand(planar):
    """A fit of data makes no other versions of the kernels."""
    method = on_table() if planar else MomentumBalance(thrusting_servicer())
    compile_kernels(method)
    compiled = [kernel.signatures for kernel in KERNELS]
    assert all(compiled)
    record = table_flight(duration=5.0) if planar else space_flight(duration=5.0)
    begin_fit(method, [method.flight(record)], method.prior().mean).further(2).fit()
    assert [kernel.signatures for kernel in KERNELS] == compiled


def test_a_mass_or_a_strength_may_be_known():
    """The scale comes from what is said to be known: of the mass, or of one thruster."""
    known = ActuatorSettings(strength=0.3, known_strengths=('thruster_1',))
    method = MomentumBalance(
        air_bearing(prior=True), planar=True, actuators=known, prior_settings=PriorSettings()
    )
    fit = fit_flights(method, [method.flight(table_flight())])
    truth = np.append(method.minimal.values(air_bearing()), np.zeros(7))
    errors, seen = scores(fit, method, truth)
    assert seen[method.minimal.masses].all()
    assert np.abs(errors[seen]).max() < 4.5
    weighed = MomentumBalance(
        air_bearing(prior=True), planar=True, prior_settings=PriorSettings(known_mass=15.4)
    ).prior()
    assert weighed.mean[6] == pytest.approx(15.4)
    assert np.sqrt(weighed.linearised(weighed.mean).covariance()[6, 6]) == pytest.approx(
        0.0154, rel=1e-6
    )


def test_data_say_nothing_of_a_scale_that_all_share():
    """Parameters and strengths have one in common: the mass stays where it is said to be."""
    method = on_table(prior_settings=PriorSettings(1.0, 0.01), actuators=UNKNOWN)
    fit = fit_flights(method, [method.flight(table_flight(TABLE, duration=20.0))])
    mass, known = fit.values[6], method.prior().mean[6]
    std = np.sqrt(fit.information.covariance()[6, 6])
    assert std == pytest.approx(0.01 * known, rel=0.02)
    assert abs(mass - known) < 0.1 * std


def test_strengths_of_what_is_not_there_are_refused():
    with pytest.raises(ConfigurationError, match=r'known_strengths: .* got thruster_9'):
        on_table(actuators=ActuatorSettings(known_strengths=('thruster_9',)))


@pytest.mark.slow
def test_old_samples_stay_in_the_estimate():
    """With room for a part of them: surer than by that part alone, and right."""
    record = table_flight(AS_STATED, 1, 30.0)
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS)
    few = len(record) // 2
    state = begin_identification(method, RecursionSettings(most_samples=few))
    for begin in range(0, len(record), 300):
        state = absorb(state, record[begin : begin + 300])
    found = refine(state).estimate()
    alone = fit_flights(method, [method.flight(Record.concatenate(state.recorded))])
    std = np.sqrt(np.diag(alone.information.covariance()))[: len(found.std)]
    seen = found.std < 0.5 * found.prior_std
    assert seen.sum() >= 12
    assert sum(len(block) for block in state.recorded) < 0.8 * len(record)
    assert np.all(found.std[seen] < std[seen])
    errors = (found.values - method.minimal.values(air_bearing())) / found.std
    assert np.abs(errors[seen]).max() < 4.5

"""Computed torque, wheel servo, drives: how well trajectories are followed, and with what."""

from dataclasses import replace

from flights import flight, kinetic_energy, largest_link_momentum, sample_times, total_momentum
from motions import paper_plan
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import dual_arm, dual_arm_prior, servicer

from spacerobot_id.exceptions import ConfigurationError, SimulationError
from spacerobot_id.model import Actuators, JointFriction, JointLimits, Thrusters
from spacerobot_id.multibody import inverse_dynamics
from spacerobot_id.simulation import Controller, DynamicSimulation, Gains


@pytest.fixture(scope='module')
def long_flight():
    """Return 100 s of floating motion under computed torque, and its samples."""
    free = [replace(joint, limits=JointLimits()) for joint in dual_arm().joints]
    simulation = flight(model=replace(dual_arm(), tree_joints=free), intervals=100)
    return simulation.advanced_to(sample_times(100.0))


def test_momentum_stays_constant_for_100_s(long_flight):
    """To 1e-9 of the largest momentum of a link."""
    simulation, samples = long_flight
    total = total_momentum(simulation.model, samples)
    assert abs(total).max() < 1e-9 * largest_link_momentum(simulation.model, samples)


def test_energy_is_the_work_of_joints_and_wheels(long_flight):
    """Over 100 s, to 1e-9 of the work that went in and out."""
    simulation, samples = long_flight
    energy = kinetic_energy(simulation.model, samples)
    worked = samples.work[:, :3].sum(axis=1)
    assert energy.max() > 100.0
    assert abs(energy - worked).max() < 1e-9 * energy.max()
    assert not samples.work[:, [0, 3]].any()


def test_trajectory_is_followed(long_flight):
    """With the true model: joints within 1e-6 rad, wheels within 1e-4 rad of the plan."""
    _, samples = long_flight
    wanted = paper_plan(100).sample(samples.times)
    assert abs(samples.q - wanted.position[:, :6]).max() < 1e-6
    assert abs(samples.wheel_angles - wanted.position[:, 6:]).max() < 1e-4
    assert_allclose(samples.qdd, wanted.acceleration[:, :6], atol=2e-3)


def test_torques_are_those_of_inverse_dynamics(long_flight):
    """Motion and torques recorded fit each other: the other road gives the same torques."""
    simulation, samples = long_flight
    part = slice(100, 9000, 100)
    motion = (samples.q, samples.qd, samples.qdd, samples.base_twist, samples.base_acceleration)
    rates = samples.wheel_rates[part]
    forces = inverse_dynamics(
        simulation.model, *(each[part] for each in motion), wheel_rates=rates
    )
    assert_allclose(forces.joint_torques, samples.joint_torque[part], atol=1e-8)


def test_wrong_model_costs_accuracy_and_nothing_else():
    """With the prior the joints stay within 0.01 rad; momentum does not care."""
    simulation = flight(controller=Controller(dual_arm_prior()), intervals=10)
    simulation, samples = simulation.advanced_to(sample_times(10.0))
    error = abs(samples.q - paper_plan(10).sample(samples.times).position[:, :6]).max()
    assert 1e-4 < error < 0.01
    assert abs(total_momentum(simulation.model, samples)).max() < 1e-9


def test_errors_die_out_as_the_gains_say():
    """Critically damped: an error e0 decays as e0 (1 + w t) exp(-w t)."""
    model = servicer()
    simulation = DynamicSimulation.at_rest(model, np.zeros(7))
    off = replace(simulation.state, q=np.full(7, 0.01))
    simulation = replace(simulation, state=off)
    times = sample_times(1.0)
    _, samples = simulation.advanced_to(times)
    natural = 10.0 * times[:, None]
    expected = np.tile(0.01 * (1.0 + natural) * np.exp(-natural), 7)
    assert_allclose(samples.q, expected, atol=1e-4)


def test_gains_are_those_of_the_equations():
    """Eqs. 113 and 114 of [Wilde 2018]."""
    gains = Gains.from_limits(2.0, 0.02)
    assert (gains.stiffness, gains.damping) == (pytest.approx(100.0), pytest.approx(20.0))


def test_controller_of_another_robot_is_refused():
    with pytest.raises(ConfigurationError, match=r'controller: joint names .* are not those of'):
        DynamicSimulation.at_rest(dual_arm(), np.zeros(6), controller=Controller(servicer()))


@pytest.mark.parametrize(
    ('spoil', 'reason'),
    [
        (lambda s: s.with_joint_torque([0.0] * 5 + [np.nan]), 'joint torque: value 5 is nan'),
        (lambda s: s.with_joint_torque([0.0] * 5), r'joint torque: expected 6 values'),
        (lambda s: s.with_base_wrench([np.inf] * 6), 'base wrench: value 0 is inf'),
        (lambda s: s.with_base_wrench([0.0] * 3), r'base wrench: expected 6 values'),
        (lambda s: s.with_mode('gliding'), "mode: must be one of .*, got 'gliding'"),
        (
            lambda s: s.with_state(replace(s.state, wheel_rates=np.array([0.0, 19.0, 0.0]))),
            'wheel_2: 19 rad/s is beyond its limit, 18.8496 rad/s',
        ),
        (lambda s: s.with_state(replace(s.state, qd=np.full(6, np.nan))), 'joint rates: value 0'),
        (lambda s: s.with_state(replace(s.state, q=np.zeros(7))), 'joint positions: expected 6'),
    ],
)
def test_bad_input_is_refused_by_name_and_nothing_changes(spoil, reason):
    simulation, _ = flight(intervals=3).advanced_to(sample_times(1.0))
    before = simulation.state
    with pytest.raises(SimulationError, match=reason):
        spoil(simulation)
    assert simulation.state is before


def test_a_motion_that_gets_lost_is_said():
    """Far too long a step: an error, no NaN."""
    simulation = replace(flight(intervals=3), step=0.4)
    with pytest.raises(SimulationError, match=r'not finite any more at|positive inertia at'):
        simulation.advanced_to(sample_times(400.0, 1.0))


def equipped(model=None, **settings):
    """Return a robot with drives that are not ideal."""
    return replace(dual_arm() if model is None else model, actuators=Actuators(**settings))


def test_torque_limits_cut_torques_only_when_switched_on():
    joints = [
        replace(joint, limits=replace(joint.limits, effort=5.0)) for joint in dual_arm().joints
    ]
    model = replace(dual_arm(), tree_joints=joints)
    for on, largest in ((False, 84.0), (True, 5.0)):
        simulation = flight(model=equipped(model, joint_limits=on), intervals=5)
        _, samples = simulation.advanced_to(sample_times(5.0))
        assert abs(samples.joint_torque).max() == pytest.approx(largest, rel=0.3 * (not on))


def test_rate_limits_stop_pushing():
    """A constant torque speeds a joint up to its limit and no further."""
    model = equipped(joint_limits=True)
    joints = [replace(joint, limits=JointLimits(velocity=0.05)) for joint in model.joints]
    simulation = DynamicSimulation.at_rest(replace(model, tree_joints=joints), np.zeros(6))
    simulation = simulation.with_joint_torque([0.0, 0.0, 30.0, 0.0, 0.0, 0.0])
    _, samples = simulation.advanced_to(sample_times(3.0))
    assert samples.qd[:, 2].max() == pytest.approx(0.05, rel=0.05)


def test_wheels_saturate():
    """Torque and momentum of the wheels stay within their limits when switched on."""
    wheels = [replace(each, max_torque=10.0, max_momentum=12.0) for each in dual_arm().wheels]
    model = replace(equipped(wheel_limits=True), wheels=wheels)
    simulation = flight(model=model, intervals=5, wheels=False)
    simulation = replace(simulation, wheels=flight(intervals=5).wheels)
    _, samples = simulation.advanced_to(sample_times(5.0))
    assert abs(samples.wheel_torque).max() == pytest.approx(10.0)
    assert 11.0 < abs(samples.wheel_rates).max() < 12.0 + 0.02


def test_friction_takes_energy():
    """Viscous friction of 2 and Coulomb friction of 0.5: work is what rates make of them."""
    friction = {name: JointFriction(2.0, 0.5) for name in dual_arm().joint_names}
    simulation = flight(model=equipped(friction=friction), intervals=5)
    simulation, samples = simulation.advanced_to(sample_times(5.0, 1000.0))
    power = (2.0 * samples.qd + 0.5 * np.tanh(samples.qd / 1e-3)) * samples.qd
    lost = -power.sum() / 1000.0
    assert samples.work[-1, 3] == pytest.approx(lost, rel=1e-3)
    energy = kinetic_energy(simulation.model, samples)
    assert_allclose(energy, samples.work.sum(axis=1), atol=1e-9 * energy.max())


def test_thrusters_saturate_and_pulse():
    """Pulses of at least the smallest impulse; on average what was asked for."""
    thrusters = Thrusters(max_force=10.0, max_torque=3.0, min_impulse=0.5)
    model = equipped(thrusters=thrusters)
    simulation = DynamicSimulation.at_rest(model, np.zeros(6), mode='flying')
    simulation = simulation.with_base_wrench([2.0, 0.0, -50.0, 0.0, 9.0, 0.0])
    _, samples = simulation.advanced_to(sample_times(10.0, 1000.0))
    wrench = samples.base_wrench
    assert set(np.unique(wrench[:, 0].round(9))) == {0.0, 10.0}
    assert wrench[:, 0].mean() == pytest.approx(2.0, rel=0.03)
    switched = np.flatnonzero(np.diff(wrench[:, 0] > 5.0))
    assert np.diff(switched).min() >= 49
    assert_allclose(wrench[:, 2].mean(), -10.0, rtol=0.02)
    assert_allclose(wrench[:, 4], 3.0)
    assert not wrench[:, [1, 3, 5]].any()

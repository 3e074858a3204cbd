"""Forward dynamics against pinocchio's, against inverse dynamics, with wheels, and bad input."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import advanced, random_states
import numpy as np
from pinocchio_aba import accelerations, with_gyrostats
import pytest
from robots import assert_close, dual_arm, random_tree, servicer

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import forward_dynamics, momentum, wheel_momentum
from spacerobot_id.regressor import wrench_regressor

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 30)


def random_torque(model, seed, samples=5):
    return np.random.default_rng(seed).normal(size=(samples, len(model.joints)))


def random_wheeled(seed, joints, wheels=3):
    return with_gyrostats(random_tree(seed, joints), np.random.default_rng(seed), wheels)


def state_of(states):
    return states.q, states.qd, states.base_twist


def stacked(result):
    return np.hstack([result.base_acceleration, result.qdd, result.wheel_acceleration])


@settings(max_examples=40, deadline=None)
@given(SEEDS, JOINTS)
@pytest.mark.slow
def test_it_is_that_of_pinocchio(seed, joints):
    """Branching trees, mixed joints, wrenches on base and links: the articulated-body algorithm.

    A base wrench adds to what acts on link 0, in the same axes about the same point.
    """
    model = random_tree(seed, joints)
    states, torque = random_states(model, seed), random_torque(model, seed)
    rng = np.random.default_rng(seed)
    on_base, on_links = rng.normal(size=(5, 6)), rng.normal(size=(5, joints + 1, 6))
    ours = forward_dynamics(
        model, *state_of(states), torque, base_wrench=on_base, link_wrenches=on_links
    )
    on_links[:, 0] += on_base
    generalized = np.hstack([np.zeros((5, 6)), torque])
    assert_close(stacked(ours), accelerations(model, states, generalized, on_links), 1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_driven_wheels_are_bodies_on_joints(seed, joints):
    """A gyrostat with a motor moves as pinocchio's robot does whose wheels are real joints."""
    model = random_wheeled(seed, joints)
    states, torque = random_states(model, seed), random_torque(model, seed)
    wheel_torque = np.random.default_rng(seed).normal(size=(5, 3))
    ours = forward_dynamics(
        model,
        *state_of(states),
        torque,
        wheel_rates=states.wheel_rates,
        wheel_torque=wheel_torque,
    )
    generalized = np.hstack([np.zeros((5, 6)), torque, wheel_torque])
    assert_close(stacked(ours), accelerations(model, states, generalized), 1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_held_wheels_are_driven_by_what_holds_them(seed, joints):
    """The motor torque that keeps a wheel from accelerating gives the motion of a held wheel."""
    model = random_wheeled(seed, joints, wheels=1)
    states, torque = random_states(model, seed), random_torque(model, seed)
    held = forward_dynamics(model, *state_of(states), torque, wheel_rates=states.wheel_rates)
    assert not held.wheel_acceleration.any()

    def driven(wheel_torque):
        return forward_dynamics(
            model,
            *state_of(states),
            torque,
            wheel_rates=states.wheel_rates,
            wheel_torque=wheel_torque,
        )

    zero, one = (driven(np.full((5, 1), value)) for value in (0.0, 1.0))
    gain = one.wheel_acceleration - zero.wheel_acceleration  # the answer to torque is linear
    holding = driven(-zero.wheel_acceleration / gain)
    assert_close(stacked(holding), stacked(held), 1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 30))
def test_inverse_dynamics_gives_the_torque_back(seed, joints):
    """The regressor times the parameters, at our accelerations, is torque and base wrench."""
    model = random_tree(seed, joints)
    states, torque = random_states(model, seed), random_torque(model, seed)
    wrench = np.random.default_rng(seed).normal(size=(5, 6))
    ours = forward_dynamics(model, *state_of(states), torque, base_wrench=wrench)
    regressor = wrench_regressor(
        model, states.q, states.qd, ours.qdd, states.base_twist, ours.base_acceleration
    )
    assert_close(regressor @ model.parameters, np.hstack([wrench, torque]), 1e-9)


@given(SEEDS)
def test_momentum_is_kept(seed):
    """Torques of joints and wheels alone change no momentum in the inertial frame."""
    model = random_wheeled(seed, 4)
    states, torque = random_states(model, seed), random_torque(model, seed)
    wheel_torque = np.random.default_rng(seed).normal(size=(5, 3))
    ours = forward_dynamics(
        model,
        *state_of(states),
        torque,
        wheel_rates=states.wheel_rates,
        wheel_torque=wheel_torque,
    )
    moving = replace(states, qdd=ours.qdd, base_acceleration=ours.base_acceleration)

    def total(step):
        later = advanced(moving, step)
        rates = states.wheel_rates + step * ours.wheel_acceleration
        return momentum(model, later.q, later.qd, later.base_twist) + wheel_momentum(
            model, later.q, rates
        )

    now, change = total(0.0), (total(1e-5) - total(-1e-5)) / 2e-5
    linear, turning = states.base_twist[:, :3], states.base_twist[:, 3:]
    change[:, :3] += np.cross(turning, now[:, :3])
    change[:, 3:] += np.cross(turning, now[:, 3:]) + np.cross(linear, now[:, :3])
    scale = np.abs(now).max() + np.abs(ours.base_acceleration).max()
    np.testing.assert_allclose(change / scale, 0.0, atol=1e-6)


@pytest.mark.parametrize('robot', [dual_arm, servicer], ids=['dual_arm', 'servicer'])
def test_each_sample_is_on_its_own(robot):
    """A batch gives the same numbers as its samples one by one."""
    model = robot()
    states, torque = random_states(model), random_torque(model, 1)
    wheels = {'wheel_rates': states.wheel_rates, 'wheel_torque': 0.1 * states.wheel_rates}
    together = stacked(forward_dynamics(model, *state_of(states), torque, **wheels))
    for sample in range(5):
        one = slice(sample, sample + 1)
        alone = forward_dynamics(
            model,
            states.q[one],
            states.qd[one],
            states.base_twist[one],
            torque[one],
            **{name: values[one] for name, values in wheels.items()},
        )
        np.testing.assert_array_equal(stacked(alone), together[one])


def arguments(model):
    """Return every argument by name, good ones."""
    states = random_states(model)
    return {
        'q': states.q,
        'qd': states.qd,
        'base_twist': states.base_twist,
        'joint_torque': random_torque(model, 0),
        'wheel_rates': states.wheel_rates,
        'wheel_torque': states.wheel_rates.copy(),
        'base_wrench': np.zeros((5, 6)),
        'link_wrenches': np.zeros((5, len(model.links), 6)),
    }


@pytest.mark.parametrize('name', arguments(servicer()))
@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_what_is_not_finite_is_named(name, value):
    """And the sample it is in."""
    values = arguments(servicer())
    values[name][3].flat[-1] = value
    label = 'wrench' if 'wrench' in name else name
    with pytest.raises(ValueError, match=rf'{label}\w* of sample 3'):
        forward_dynamics(servicer(), **values)


@pytest.mark.parametrize('name', arguments(servicer()))
def test_a_wrong_size_is_named(name):
    """One column too few, or one sample."""
    for change in (lambda array: array[..., :-1], lambda array: array[:-1]):
        values = arguments(servicer())
        values[name] = change(values[name])
        if name == 'q' and values[name].shape[1] == 7:
            name = 'qd'  # the number of samples is that of q
        with pytest.raises(ValueError, match=f'^{name} has shape'):
            forward_dynamics(servicer(), **values)


def test_inputs_are_left_as_they_are():
    """Wrenches on base and links are added in a copy."""
    values = arguments(servicer())
    values['base_wrench'] += 1.0
    before = {name: array.copy() for name, array in values.items()}
    forward_dynamics(servicer(), **values)
    for name, array in values.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize('link', [0, 3])
def test_a_link_without_inertia_is_named(link):
    """What feels no inertia has no acceleration, on a tip or as a base alone."""
    model = random_tree(0, link, prismatic_share=0.0)
    links = [*model.links[:-1], replace(model.links[-1], inertial=InertialParameters.zero())]
    nothing = replace(model, links=links)
    states = random_states(nothing)
    with pytest.raises(DynamicsError, match=f"'link_0{link}'"):
        forward_dynamics(nothing, *state_of(states), random_torque(nothing, 0))


def test_a_wheel_with_more_inertia_than_its_carrier_is_refused():
    """Such a carrier would have negative inertia once the wheel turns on its own."""
    model = random_wheeled(0, 0, wheels=1)
    (wheel,) = model.wheels
    heavy = replace(model, wheels=[replace(wheel, spin_inertia=1e3)])
    states = random_states(heavy)
    with pytest.raises(DynamicsError, match='a wheel has more than its carrier'):
        forward_dynamics(heavy, *state_of(states), np.zeros((5, 0)), wheel_torque=np.ones((5, 1)))


def test_accelerations_beyond_all_numbers_are_refused():
    """Finite torques can be too large for the answer to be a number."""
    model = random_tree(0, 2)
    states = random_states(model)
    with pytest.raises(DynamicsError, match='sample 0 are beyond all numbers'):
        forward_dynamics(model, *state_of(states), np.full((5, 2), 1.7e308))


def test_no_samples_have_no_accelerations():
    """An empty batch is an empty answer."""
    model = servicer()
    result = forward_dynamics(model, *np.empty((2, 0, 7)), np.empty((0, 6)), np.empty((0, 7)))
    assert stacked(result).shape == (0, 16)

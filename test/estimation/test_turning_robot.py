"""A robot that turns as a whole at the start: its momentum is what was asked for, and stays."""

from build_robots import ROBOTS
from flights import cycloids, sample_times, total_momentum
import numpy as np
import pytest
from robots import dual_arm, random_tree

from spacerobot_id.exceptions import ConfigurationError, SimulationError
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.model import load_robot
from spacerobot_id.simulation import DynamicSimulation, RobotState
from spacerobot_id.simulation.settings import SimulatorSettings

MOMENTUM = np.array([68.0, 66.0, 65.0])
ATTITUDE = np.array([0.2, 0.1, 0.3, 0.9274])


@pytest.mark.parametrize('seed', range(5))
def test_the_state_has_the_momentum(seed):
    """Whatever the tree and the pose: linear zero, angular as given, in inertial axes."""
    model, rng = random_tree(seed, 4), np.random.default_rng(seed)
    attitude = rng.normal(size=4)
    state = RobotState.with_angular_momentum(
        model, rng.normal(size=4), MOMENTUM, attitude, time=3.0
    )
    simulation = DynamicSimulation.at_rest(model, state.q, 3.0, mode='floating')
    simulation = simulation.with_state(state)
    moved = simulation.advanced_to([3.001])[1]
    total = total_momentum(model, moved)
    np.testing.assert_allclose(total, [[0.0, 0.0, 0.0, *MOMENTUM]], atol=1e-6)
    assert state.attitude @ attitude == pytest.approx(np.linalg.norm(attitude))


def test_it_stays_while_the_arm_moves():
    """Joints follow their trajectory; the momentum does not care."""
    model = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
    knots = np.array([[0.0, 0.0, 0.0], [0.2, -0.3, 0.4], [-0.1, 0.1, 0.2]])
    plan = ExcitationPlan(model.joint_names, knots, np.full(2, 5.0))
    state = RobotState.with_angular_momentum(model, knots[0], MOMENTUM, ATTITUDE)
    simulation = DynamicSimulation.at_rest(model, knots[0], mode='floating').with_state(state)
    simulation = simulation.with_joint_trajectory(cycloids(plan, model.joint_names))
    moved = simulation.advanced_to(sample_times(10.0, rate=10.0))[1]
    total = total_momentum(model, moved)
    np.testing.assert_allclose(total[:, 3:], np.tile(MOMENTUM, (100, 1)), atol=1e-4)
    np.testing.assert_allclose(total[:, :3], 0.0, atol=1e-4)
    np.testing.assert_allclose(moved.q[-1], knots[-1], atol=1e-4)


def test_states_that_are_none_are_refused():
    model = dual_arm()
    with pytest.raises(SimulationError, match='length zero is no rotation'):
        RobotState.with_angular_momentum(model, np.zeros(6), MOMENTUM, np.zeros(4))
    with pytest.raises(SimulationError, match='angular momentum: value 1'):
        RobotState.with_angular_momentum(model, np.zeros(6), [1.0, np.nan, 0.0])


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        ({'initial_angular_momentum': (1.0, 2.0)}, 'must be 3 numbers'),
        ({'initial_attitude': (0.0, 0.0, 0.0, 0.0)}, 'is no rotation'),
        ({'initial_angular_momentum': (1.0, 0.0, 0.0), 'motion': 'prescribed'}, 'has neither'),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, reason):
    with pytest.raises(ConfigurationError, match=reason):
        SimulatorSettings(**settings).check()

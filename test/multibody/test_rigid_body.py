"""One rigid body under wrenches: against the simulation of whole robots, and what it conserves."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import InertialParameters
from spacerobot_id.model.robot_model import Link, RobotModel
from spacerobot_id.multibody import body_inertia, rigid_body_motion
from spacerobot_id.regressor import newton_euler_regressor
from spacerobot_id.simulation import DynamicSimulation, RobotState

BODY = InertialParameters.from_com(
    7.2,
    [0.03, -0.05, 0.02],
    np.array([[0.07, 0.01, -0.02], [0.01, 0.08, 0.005], [-0.02, 0.005, 0.06]]),
)
RNG = np.random.default_rng(4)
WRENCHES = RNG.normal(size=(40, 6)) * [1.0, 1.0, 1.0, 0.05, 0.05, 0.05]
STEP = 0.05


def state(seed=0):
    rng = np.random.default_rng(seed)
    attitude = Rotation.random(rng=rng).as_quat()
    return np.concatenate([rng.normal(size=3), attitude, 0.3 * rng.normal(size=6)])


def moved(start, wrenches=WRENCHES, step=STEP, body=BODY):
    steps = np.full(len(wrenches), step)
    return rigid_body_motion(body.vector[None], start[None], wrenches, steps)[0]


def test_it_is_the_simulation_of_a_robot_without_joints():
    """Same wrenches, in the mode flying, at a step fine enough that both have converged."""
    robot = RobotModel('body', [Link('base', BODY)], [])
    start = state(1)
    begin = replace(
        RobotState.at_rest(robot, []),
        position=start[:3],
        rotation=Rotation.from_quat(start[3:7]).as_matrix(),
        attitude=start[3:7],
        base_twist=start[7:],
    )
    simulation = DynamicSimulation.at_rest(robot, [], mode='flying').with_state(begin)
    mine = start
    for number, wrench in enumerate(WRENCHES):
        simulation = simulation.with_base_wrench(wrench)
        simulation, samples = simulation.advanced_to([(number + 1) * STEP])
        mine = moved(mine, np.tile(wrench, (10, 1)), STEP / 10)[-1]
    np.testing.assert_allclose(mine[:3], samples.position[-1], atol=1e-7)
    turned = Rotation.from_quat(mine[3:7]).inv() * Rotation.from_quat(samples.attitude[-1])
    assert turned.magnitude() < 1e-7
    np.testing.assert_allclose(mine[7:], samples.base_twist[-1], atol=1e-7)


def test_the_order_is_four():
    """Half the step, a sixteenth of the error."""
    start, wrench = state(2), np.tile(WRENCHES[0], (16, 1))

    def end(halvings):
        count = 4 * 2**halvings
        return moved(start, wrench[:1].repeat(count, axis=0), 0.8 / count)[-1]

    exact = end(6)
    errors = [np.linalg.norm(end(halvings) - exact) for halvings in (0, 1, 2)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.5)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.5)


def test_momentum_is_conserved_without_a_wrench():
    """Linear, and angular about the inertial origin, in inertial axes; energy too."""
    start = state(3)
    path = moved(start, np.zeros((2000, 6)), 0.01)
    inertia = body_inertia(BODY.vector)

    def momentum(each):
        rotation = Rotation.from_quat(each[3:7])
        own = inertia @ each[7:]
        linear = rotation.apply(own[:3])
        return np.concatenate([linear, rotation.apply(own[3:]) + np.cross(each[:3], linear)])

    np.testing.assert_allclose(momentum(path[-1]), momentum(start), atol=1e-8)
    energy = [each[7:] @ inertia @ each[7:] for each in (start, path[-1])]
    assert energy[0] == pytest.approx(energy[1], rel=1e-8)


def test_the_regressor_gives_the_wrench_back():
    """Accelerations from differences of the simulated twist, through Eq. 12."""
    start, wrench, step = state(5), WRENCHES[3], 1e-3
    path = np.vstack([start, moved(start, np.tile(wrench, (2, 1)), step)])
    rotation = Rotation.from_quat(path[:, 3:7])
    velocity = rotation.apply(path[:, 7:10])
    motion = PoseMotion(
        path[1:2, :3],
        rotation[1:2].as_matrix(),
        velocity[1:2],
        (velocity[2:] - velocity[:1]) / (2 * step),
        path[1:2, 10:],
        (path[2:, 10:] - path[:1, 10:]) / (2 * step),
    )
    np.testing.assert_allclose(newton_euler_regressor(motion)[0] @ BODY.vector, wrench, atol=1e-5)


def test_bodies_do_not_feel_each_other():
    """A batch is its bodies one by one."""
    bodies = [BODY, InertialParameters.from_com(6.0, [0.0, 0.0, 0.01], 0.05 * np.eye(3))]
    starts = np.stack([state(6), state(7)])
    batch = rigid_body_motion(
        [body.vector for body in bodies], starts, WRENCHES, np.full(len(WRENCHES), STEP)
    )
    for index, body in enumerate(bodies):
        np.testing.assert_array_equal(batch[index], moved(starts[index], body=body))


def test_the_inertia_is_that_of_the_parameters():
    """Mass, first moment and tensor where they belong."""
    inertia = body_inertia(BODY.vector)
    np.testing.assert_allclose(inertia[3:, 3:], BODY.inertia)
    np.testing.assert_allclose(inertia[:3, :3], BODY.mass * np.eye(3))
    np.testing.assert_allclose(
        inertia[:3, 3:] @ [0.1, -0.2, 0.3], np.cross([0.1, -0.2, 0.3], BODY.first_moment)
    )

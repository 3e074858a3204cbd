"""The algorithms of [Jain 1995] against each other, and what they cost.

The paper prints no numbers: its claims are identities between algorithms, held here on shipped
robots at random states, and a cost that grows as the number of links.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
import time

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from spacerobot_id.kinematics import link_acceleration, link_motion, link_poses
from spacerobot_id.kinematics.link_motion import point_jacobian
from spacerobot_id.lab.papers.comparison import ComparisonTable, largest_share, Pair, Reproduction
from spacerobot_id.lab.papers.jain.free_links import advanced, FreeLinks, slope_of
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.model import load_robot, RobotModel, shipped_file
from spacerobot_id.model.description.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
)
from spacerobot_id.model.description.robot_loader import build_robot
from spacerobot_id.model.description.robot_yaml import RobotSettings
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.multibody import (
    coriolis_matrix,
    forward_dynamics,
    link_dynamics,
    mass_matrix,
    operational_space_inertia,
    operational_space_inertia_inverse,
)

ROBOTS = 'wilde_spatial', 'servicer'
"""Shipped robots, of six joints and of seven; wheels are held."""

_SAMPLES, _STEP, _TIME = 20, 0.005, 1.0
"""Random states of each robot; step and time of an integration, s."""

_TORQUE = 0.05
"""Usual torque, N m: joints of the lightest links turn by about a radian in a second."""

_LINKS = 5, 10, 20, 50, 100, 200, 500
"""Links of the chains that the cost is measured on."""

State = tuple[NDArray[np.float64], ...]
"""Positions and rates of the joints, twist of the base, torques of the joints, N samples each."""


def reproduce(folder: Path) -> Reproduction:
    """Hold the algorithms of [Jain 1995] against each other, measure and draw their cost.

    Parameters
    ----------
    folder : Path
        Where the picture goes; made if it is not there.
    """
    from spacerobot_id.lab.papers.jain.plot import cost_figure
    from spacerobot_id.lab.papers.plotting import save

    paper, pairs = published('jain'), []
    for name in ROBOTS:
        model = load_robot(shipped_file(f'config/robots/{name}.urdf'))
        pairs += compared(paper, name, model)
    costs = {name: [_cost(work, links) for links in _LINKS] for name, work in ALGORITHMS.items()}
    table = ComparisonTable(
        'Processor time of a forward dynamics of a chain, microseconds, of two samples at once',
        ('links', *costs),
        zip(_LINKS, *(1e6 * np.array(each) for each in costs.values()), strict=True),
        paper.reasons['cost'],
    )
    picture = save(cost_figure(_LINKS, costs), folder / 'cost.png')
    return Reproduction('jain', paper.title, tuple(pairs), (picture,), (table,))


def compared(paper: Paper, robot: str, model: RobotModel) -> list[Pair]:
    """Return how far the algorithms are from each other on a robot.

    Parameters
    ----------
    paper : Paper
        What is asked of them.
    robot : str
        Name of the robot.
    model : RobotModel
        The robot.
    """
    state = random_state(model, _SAMPLES)
    q, torque = state[0], state[3]
    expected, ours = forward_dynamics(model, *state), link_dynamics(model, *state)
    everywhere = _accelerations(model, state, expected.qdd, expected.base_acceleration)
    inertias = operational_space_inertia(model, q)
    inverses = operational_space_inertia_inverse(model, q)
    one = tuple(each[0] for each in state)
    free = slope_of(model, FreeLinks.of(model, *one[:3]), one[3]).twist
    drift, coarse, places = _drift(model, one)
    found = {
        'joints': largest_share(ours.qdd, expected.qdd),
        'outward': largest_share(ours.outward_qdd, expected.qdd),
        'equations': largest_share(_torques(model, state, expected), torque),
        'links': largest_share(ours.link_acceleration, everywhere),
        'operational': largest_share(inertias, _from_jacobians(model, q)),
        'recursion': largest_share(inverses, np.linalg.inv(inertias)),
        'free_links': largest_share(free, ours.link_acceleration[0]),
        'drift': drift,
        'order': coarse / drift,
        'places': places,
    }
    return [paper.demand(name, value, robot=robot) for name, value in found.items()]


def random_state(model: RobotModel, samples: int) -> State:
    """Return random positions, rates, twists and torques."""
    rng, joints = np.random.default_rng(0), len(model.joints)
    sizes = ((joints, 1.0), (joints, 0.3), (6, 0.3), (joints, _TORQUE))
    return tuple(scale * rng.normal(size=(samples, size)) for size, scale in sizes)


def _accelerations(
    model: RobotModel, state: State, qdd: NDArray[np.float64], base: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the accelerations of all links from the base outward, shape (N, n + 1, 6)."""
    links = link_acceleration(model, link_motion(model, *state[:3]), state[1], qdd, base)
    return np.concatenate([links.linear, links.angular], axis=1).transpose(2, 0, 1)


def _torques(model: RobotModel, state: State, found: object) -> NDArray[np.float64]:
    """Return the torques that the mass matrix and the Coriolis terms give, shape (N, n)."""
    q, qd, base_twist, _ = state
    linear, angular = base_twist[:, :3], base_twist[:, 3:]
    of_twist = found.base_acceleration.copy()
    of_twist[:, :3] -= np.cross(angular, linear)  # slope of the components
    slope = np.hstack([of_twist, found.qdd])
    total = np.einsum('nij,nj->ni', mass_matrix(model, q), slope)
    return (total + _coriolis_forces(model, q, qd, base_twist))[:, 6:]


def _coriolis_forces(
    model: RobotModel,
    q: NDArray[np.float64],
    qd: NDArray[np.float64],
    base_twist: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the Coriolis terms of base and joints, shape (N, 6 + n)."""
    rates = np.hstack([base_twist, qd])
    return np.einsum('nij,nj->ni', coriolis_matrix(model, q, qd, base_twist), rates)


def _from_jacobians(model: RobotModel, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``(J M^-1 J^T)^-1`` of each link, shape (N, n + 1, 6, 6)."""
    mass, found = mass_matrix(model, q), []
    for link in range(len(model.links)):
        jacobian = point_jacobian(model, q, link, (0.0, 0.0, 0.0))
        mobility = jacobian @ np.linalg.solve(mass, np.swapaxes(jacobian, -1, -2))
        found.append(np.linalg.inv(mobility))
    return np.stack(found, axis=1)


def _drift(model: RobotModel, state: State) -> tuple[float, float, float]:
    """Return how far joints come apart, and links from where minimal coordinates have them.

    Parameters
    ----------
    model : RobotModel
        Robot.
    state : tuple of ndarray
        State at the start, and torques that stay.

    Returns
    -------
    tuple of 3 floats
        How far joints are apart after steps, and after steps twice as long; how far links are off
        after steps, m.
    """
    start, torque = FreeLinks.of(model, *state[:3]), state[3]
    fine, coarse = (
        advanced(model, start, torque, step, round(_TIME / step)) for step in (_STEP, 2.0 * _STEP)
    )
    apart, further = (float(np.abs(links.gaps(model)).max()) for links in (fine, coarse))
    return apart, further, float(np.abs(fine.position - _places_by_joints(model, state)).max())


def _places_by_joints(model: RobotModel, state: State) -> NDArray[np.float64]:
    """Return where the links are at the end, by joint angles and the pose of the base."""
    q, qd, base_twist, torque = state
    joints = len(q)

    def slope(_: float, at: NDArray[np.float64]) -> NDArray[np.float64]:
        place, rate = at[12 : 12 + joints], at[18 + joints :]
        rotation, twist = at[3:12].reshape(3, 3), at[12 + joints : 18 + joints]
        found = link_dynamics(model, place[None], rate[None], twist[None], torque[None])
        acceleration = found.link_acceleration[0, 0].copy()
        acceleration[:3] -= np.cross(twist[3:], twist[:3])
        turning = np.cross(rotation, twist[3:])
        moved = rotation @ twist[:3]
        return np.concatenate([moved, turning.ravel(), rate, acceleration, found.qdd[0]])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel(), q, base_twist, qd])
    end = solve_ivp(slope, (0.0, _TIME), start, 'DOP853', rtol=1e-10, atol=1e-12).y[:, -1]
    poses = link_poses(model, end[None, 12 : 12 + joints])
    return end[:3] + poses.origins[..., 0] @ end[3:12].reshape(3, 3).T


# What it costs


def chain(links: int) -> RobotModel:
    """Return a chain of equal links that turn about crossed axes in turn."""
    body = InertialParameters.from_com(1.0, [0.1, 0.0, 0.0], np.diag([0.01, 0.02, 0.02]))
    names = [f'link_{number}' for number in range(links)]
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    place, axis = np.array([0.2, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    joints = [
        JointDescription(f'joint_{number}', 'continuous', parent, child, turn, place, axis)
        for number, (parent, child) in enumerate(pairwise(names), 1)
    ]
    bodies = [LinkDescription(name, body) for name in names]
    return build_robot(RobotDescription('chain', 'chain', bodies, joints), RobotSettings())


def _dense(model: RobotModel, *state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return accelerations by solving with the mass matrix."""
    q, qd, base_twist, torque = state
    forces = np.hstack([np.zeros((len(q), 6)), torque])
    right = forces - _coriolis_forces(model, q, qd, base_twist)
    return np.linalg.solve(mass_matrix(model, q), right[..., None])[..., 0]


ARTICULATED, DECOUPLED = 'articulated bodies', 'decoupled'

ALGORITHMS: dict[str, Callable[..., object]] = {
    ARTICULATED: forward_dynamics,
    DECOUPLED: link_dynamics,
    'mass matrix': _dense,
}
"""Forward dynamics that are measured."""


def _cost(algorithm: Callable[..., object], links: int) -> float:
    """Return the least processor time of an evaluation, s; of two samples at once."""
    model = chain(links)
    work = partial(algorithm, model, *random_state(model, 2))
    work()
    times = []
    for _ in range(5):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)

"""Nonlinear model predictive control of a free-flyer within its thrusts ([Ekal 2019] section 4.2).

Over a horizon the errors of position, attitude (Lee's, by quaternions) and velocities and the
thrusts are weighted, the rigid body without its load is the model, the limits of the thrusts are
constraints, the errors at the end weigh more. The first thrusts are applied, then all is solved
again from the state there. CasADi states and solves the problem; it is an optional extra.
"""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError, SimulationError
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import Propellers
from spacerobot_id.multibody import body_inertia
from spacerobot_id.spatial import without_flips

_REFERENCE = 13
"""Numbers of a reference at one time: position, quaternion, velocity, angular velocity."""


@dataclass(frozen=True)
class PredictiveSettings:
    """Horizon and weights of the control.

    Parameters
    ----------
    nodes : int
        Steps of the horizon.
    spacing : int
        Steps of control that one step of the horizon lasts.
    position, velocity : float
        Weights of the errors of position (1/m^2) and velocity (s^2/m^2).
    attitude, angular_velocity : float
        Weights of Lee's error and of the angular velocity's (s^2/rad^2).
    thrust : float
        Weight of the thrusts, 1/N^2.
    terminal : float
        Factor of the errors' weights at the end of the horizon.
    iterations : int
        Most iterations of the solver per step.
    """

    nodes: int = 10
    spacing: int = 2
    position: float = 20.0
    velocity: float = 4.0
    attitude: float = 20.0
    angular_velocity: float = 2.0
    thrust: float = 0.01
    terminal: float = 5.0
    iterations: int = 30


class PredictiveControl:
    """Control of one or more bodies, each by problems solved one after the other.

    Parameters
    ----------
    parameters : ndarray, shape (10,)
        The body as the control believes it to be: that without a load.
    propellers : Propellers
        Mixing matrix and limits.
    reference : PoseMotion
        Where B bodies should be in each of K steps; arrays begin with the shape (B, K).
    step : float
        Step of control, s.
    settings : PredictiveSettings
        Horizon and weights.

    Raises
    ------
    ConfigurationError
        If CasADi is not installed; the message has the command that installs it.
    """

    def __init__(
        self,
        parameters: NDArray[np.float64],
        propellers: Propellers,
        reference: PoseMotion,
        step: float,
        settings: PredictiveSettings = PredictiveSettings(),
    ) -> None:
        self.settings, self._propellers = settings, propellers
        self._references = _reference_rows(reference)
        self._guesses: dict[int, NDArray[np.float64]] = {}
        limit = propellers.max_thrust if np.isfinite(propellers.max_thrust) else 1e6
        self._problem = _problem(parameters, propellers.matrix, limit, step, settings)

    def wrench(self, step: int, states: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the wrench asked for in a step, shape (B, 6), limits kept."""
        thrusts = [self._thrusts(step, body, state) for body, state in enumerate(states)]
        return np.array(thrusts) @ self._propellers.matrix.T

    def _thrusts(self, step: int, body: int, state: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the first thrusts of one body's horizon."""
        nodes, spacing = self.settings.nodes, self.settings.spacing
        last = self._references.shape[1] - 1
        rows = np.minimum(step + spacing * np.arange(nodes + 1), last)
        wanted = self._references[body, rows].copy()
        # The sign of each quaternion that makes Lee's error go the short way round.
        signs = np.where(np.einsum('ni,i->n', wanted[:, 3:7], state[3:7]) < 0.0, -1.0, 1.0)
        wanted[:, 3:7] *= signs[:, None]
        solution = self._problem.solve(state, wanted, self._guesses.get(body))
        if not np.isfinite(solution).all():
            raise SimulationError(f'predictive control: no solution for body {body}, step {step}')
        self._guesses[body] = solution
        return np.clip(solution[13:19], -self._propellers.max_thrust, self._propellers.max_thrust)


def _reference_rows(reference: PoseMotion) -> NDArray[np.float64]:
    """Return references as the problem takes them, shape (B, K, 13), quaternions continuous."""
    bodies, steps = reference.position.shape[:2]
    rotations = Rotation.from_matrix(reference.rotation.reshape(-1, 3, 3))
    quaternions = without_flips(rotations.as_quat().reshape(bodies, steps, 4))
    return np.concatenate(
        [reference.position, quaternions, reference.velocity, reference.angular_velocity], axis=-1
    )


@dataclass(frozen=True, eq=False)
class _Problem:
    """The optimisation problem, compiled by CasADi once."""

    solver: Any
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    nodes: int
    thrusts: int

    def solve(
        self,
        state: NDArray[np.float64],
        wanted: NDArray[np.float64],
        guess: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Return states and thrusts over the horizon: state, thrusts, state, ..., state."""
        stage = 13 + self.thrusts
        if guess is None:
            whole = np.concatenate([state, np.zeros(self.thrusts)])
            guess = np.append(np.tile(whole, self.nodes), state)
        else:  # the last solution, one step later
            guess = np.concatenate([guess[stage:], guess[-stage:]])
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[:13] = upper[:13] = state
        found = self.solver(x0=guess, lbx=lower, ubx=upper, lbg=0.0, ubg=0.0, p=wanted.ravel())
        return np.asarray(found['x']).ravel()


def _problem(
    parameters: NDArray[np.float64],
    mixing: NDArray[np.float64],
    limit: float,
    step: float,
    settings: PredictiveSettings,
) -> _Problem:
    """Return the problem of a horizon: multiple shooting, equal to zero where states meet."""
    ca = _casadi()
    count, nodes = mixing.shape[1], settings.nodes
    advance = _advance(ca, parameters, mixing, step * settings.spacing)
    states = [ca.SX.sym(f'x{node}', 13) for node in range(nodes + 1)]
    thrusts = [ca.SX.sym(f'u{node}', count) for node in range(nodes)]
    wanted = ca.SX.sym('wanted', _REFERENCE * (nodes + 1))
    cost, gaps, unknowns = 0.0, [], []
    for node in range(nodes):
        target = wanted[_REFERENCE * node : _REFERENCE * (node + 1)]
        cost += _error_cost(ca, states[node], target, settings)
        cost += settings.thrust * ca.sumsqr(thrusts[node])
        gaps.append(states[node + 1] - advance(states[node], thrusts[node]))
        unknowns += [states[node], thrusts[node]]
    cost += settings.terminal * _error_cost(ca, states[-1], wanted[-_REFERENCE:], settings)
    free, limits = np.full(13, np.inf), np.full(count, limit)
    upper = np.append(np.tile(np.concatenate([free, limits]), nodes), free)
    problem = {
        'x': ca.vertcat(*unknowns, states[-1]),
        'p': wanted,
        'f': cost,
        'g': ca.vertcat(*gaps),
    }
    quiet = {'print_time': False, 'ipopt.print_level': 0, 'ipopt.sb': 'yes'}
    options = {
        'ipopt.max_iter': settings.iterations,
        'ipopt.tol': 1e-4,
        'ipopt.warm_start_init_point': 'yes',
        'ipopt.mu_init': 1e-3,
    }
    solver = ca.nlpsol('predictive_control', 'ipopt', problem, quiet | options)
    return _Problem(solver, -upper, upper, nodes, count)


def _error_cost(ca: ModuleType, state: Any, target: Any, settings: PredictiveSettings) -> Any:  # noqa: ANN401
    """Return the weighted squares of the errors of one state."""
    turned = _quaternion_product(ca, ca.vertcat(-target[3:6], target[6]), state[3:7])
    rotation = _rotation(ca, state[3:7])
    between = _rotation(ca, turned)
    return (
        settings.position * ca.sumsqr(state[:3] - target[:3])
        + settings.attitude * ca.sumsqr(turned[:3])
        + settings.velocity * ca.sumsqr(ca.mtimes(rotation, state[7:10]) - target[7:10])
        + settings.angular_velocity * ca.sumsqr(state[10:13] - ca.mtimes(between.T, target[10:13]))
    )


def _advance(
    ca: ModuleType, parameters: NDArray[np.float64], mixing: NDArray[np.float64], step: float
) -> Any:  # noqa: ANN401
    """Return the function that takes a state and thrusts to the state a step later."""
    inertia = body_inertia(parameters)
    inverse = np.linalg.inv(inertia)
    state, thrust = ca.SX.sym('x', 13), ca.SX.sym('u', mixing.shape[1])

    def slope(now: Any) -> Any:  # noqa: ANN401
        linear, omega = now[7:10], now[10:13]
        momentum = ca.mtimes(inertia, now[7:13])
        bias = ca.vertcat(
            ca.cross(omega, momentum[:3]),
            ca.cross(omega, momentum[3:]) + ca.cross(linear, momentum[:3]),
        )
        change = ca.mtimes(inverse, ca.mtimes(mixing, thrust) - bias)
        turn = 0.5 * _quaternion_product(ca, now[3:7], ca.vertcat(omega, 0.0))
        return ca.vertcat(ca.mtimes(_rotation(ca, now[3:7]), linear), turn, change)

    first = slope(state)
    second = slope(state + 0.5 * step * first)
    third = slope(state + 0.5 * step * second)
    fourth = slope(state + step * third)
    end = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
    return ca.Function('advance', [state, thrust], [end])


def _quaternion_product(ca: ModuleType, a: Any, b: Any) -> Any:  # noqa: ANN401
    """Return the product of quaternions x y z w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + ca.cross(a[:3], b[:3])
    return ca.vertcat(vector, a[3] * b[3] - ca.dot(a[:3], b[:3]))


def _rotation(ca: ModuleType, q: Any) -> Any:  # noqa: ANN401
    """Return the rotation matrix of a unit quaternion."""
    cross = ca.skew(q[:3])
    return ca.SX.eye(3) + 2.0 * q[3] * cross + 2.0 * ca.mtimes(cross, cross)


def _casadi() -> ModuleType:
    """Return CasADi, or raise with the command that installs it."""
    try:
        import casadi
    except ImportError:
        raise ConfigurationError(
            'model predictive control needs CasADi: pip install "spacerobot_id[nmpc]", '
            'or pip install casadi'
        ) from None
    return casadi

"""Time of forward dynamics, against pinocchio's articulated-body algorithm in the same run.

The dual-arm robot of [Naveen 2024] with its wheels held, for one state called from Python and for
10 000 states at once; chains of 10 to 200 joints; and steps of 1 ms against the clock. pinocchio
has no batches: it is called once per state. Run with ``python benchmarks/forward_dynamics.py``.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
import pinocchio as pin
from timing import dual_arm, print_machine, print_table, ROBOTS, seconds

from spacerobot_id.model import InertialParameters, Joint, JointType, Link, RobotModel
from spacerobot_id.multibody import forward_dynamics

SAMPLES, CALLS, STEP = 10_000, 5_000, 1e-3
CHAINS = (10, 20, 40, 80, 140, 200)
TARGET_RATIO, TARGET_EXPONENT = 3.0, 1.15
"""One call at most so many times pinocchio's; time at most this power of the joints."""


def random_states(model: RobotModel, samples: int) -> tuple[NDArray[np.float64], ...]:
    """Return positions, rates, base twists and torques."""
    rng = np.random.default_rng(0)
    joints = samples, len(model.joints)
    return (
        rng.uniform(-np.pi, np.pi, joints),
        rng.normal(size=joints),
        rng.normal(size=(samples, 6)),
        rng.normal(size=joints),
    )


def chain(joints: int) -> RobotModel:
    """Return a chain of equal links on a heavy base, its axes in all directions."""
    rng = np.random.default_rng(joints)
    inertia = np.diag([0.02, 0.02, 0.01])
    links = [Link('base', InertialParameters.from_com(100.0, np.zeros(3), 20.0 * np.eye(3)))]
    tree = []
    for number in range(joints):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        body = InertialParameters.from_com(2.0, np.array([0.0, 0.0, 0.1]), inertia)
        links.append(Link(f'link_{number}', body))
        place = np.array([0.0, 0.0, 0.2])
        tree.append(Joint(f'joint_{number}', JointType.REVOLUTE, number, turn, place))
    return RobotModel('chain', links, tree)


def pinocchio_calls(
    states: tuple[NDArray[np.float64], ...], convention: pin.Convention
) -> Callable[[], None]:
    """Return a function that calls pinocchio for each state in turn."""
    model = pin.buildModelFromUrdf(str(ROBOTS / 'naveen_dual_arm.urdf'), pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()
    data = model.createData()
    q, qd, twist, torque = states
    base = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (len(q), 1))
    configurations, velocities = np.hstack([base, q]), np.hstack([twist, qd])
    torques = np.hstack([np.zeros_like(twist), torque])
    rows = list(zip(configurations, velocities, torques, strict=True))

    def calls() -> None:
        for configuration, velocity, tau in rows:
            pin.aba(model, data, configuration, velocity, tau, convention)

    return calls


def our_calls(model: RobotModel, states: tuple[NDArray[np.float64], ...]) -> Callable[[], None]:
    """Return a function that calls forward dynamics for each state in turn."""
    rows = list(zip(*(values[:, None] for values in states), strict=True))

    def calls() -> None:
        for row in rows:
            forward_dynamics(model, *row)

    return calls


def real_time_factor(model: RobotModel, steps: int = 20_000) -> float:
    """Return how many times faster than the clock single calls of 1 ms each are.

    Each is one evaluation as a step of semi-implicit Euler takes it, the state carried on.
    """
    q, qd, twist, torque = (0.1 * values for values in random_states(model, 1))
    torque = 0.01 * torque
    forward_dynamics(model, q, qd, twist, torque)
    begin = perf_counter()
    for _ in range(steps):
        result = forward_dynamics(model, q, qd, twist, torque)
        qd = qd + STEP * result.qdd
        twist = twist + STEP * result.base_acceleration
        twist[:, :3] -= STEP * np.cross(twist[:, 3:], twist[:, :3])
        q = q + STEP * qd
    return steps * STEP / (perf_counter() - begin)


def per_state(work: Callable[[], object], samples: int) -> float:
    """Return the time per state of something that works on many, s."""
    return seconds(work, repeats=15) / samples


def compare(model: RobotModel) -> None:
    """Print time per state beside pinocchio's."""
    states = random_states(model, SAMPLES)
    few = tuple(values[:CALLS] for values in states)
    times = {
        'forward_dynamics, one state': per_state(our_calls(model, few), CALLS),
        'forward_dynamics, 10 000 states': per_state(
            partial(forward_dynamics, model, *states), SAMPLES
        ),
        'pinocchio.aba, one state, world': per_state(
            pinocchio_calls(few, pin.Convention.WORLD), CALLS
        ),
        'pinocchio.aba, one state, local': per_state(
            pinocchio_calls(few, pin.Convention.LOCAL), CALLS
        ),
    }
    peer = min(time for name, time in times.items() if name.startswith('pinocchio'))
    print_table(
        ('', 'us per state', "times pinocchio's"),
        [(name, f'{1e6 * time:.2f}', f'{time / peer:.2f}') for name, time in times.items()],
    )
    one, batch = (time / peer for time in list(times.values())[:2])
    reached = {True: 'reached', False: 'missed'}
    print(f'target one state at most {TARGET_RATIO:g} times: {reached[one <= TARGET_RATIO]}')
    print(f'target batch below 1 times: {reached[batch < 1.0]}')


def grow() -> None:
    """Print time per state against the number of joints."""
    rows, times = [], []
    for joints in CHAINS:
        model = chain(joints)
        states = random_states(model, 1000)
        work = partial(forward_dynamics, model, *states)
        times.append(per_state(work, 1000))
        rows.append((str(joints), f'{1e6 * times[-1]:.2f}', f'{1e9 * times[-1] / joints:.0f}'))
    print_table(('joints', 'us per state', 'ns per joint'), rows)
    exponent = np.polyfit(np.log(CHAINS), np.log(times), 1)[0]
    verdict = 'reached' if exponent < TARGET_EXPONENT else 'missed'
    print(f'time grows with joints to the power {exponent:.3f}')
    print(f'target below {TARGET_EXPONENT:g}: {verdict}')


def main() -> None:
    """Measure and print."""
    model = dual_arm()
    print(f'Forward dynamics of {model.name}; best of several runs')
    print_machine()
    compare(model)
    print()
    print('Chains, 1000 states at once')
    grow()
    print()
    factor = max(real_time_factor(model) for _ in range(3))
    print(f'1 ms steps, one call from Python each: {factor:.0f} times faster than real time')


if __name__ == '__main__':
    main()

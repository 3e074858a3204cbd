"""Bodies grasped and released while the arm moves, with the momentum that they bring or take.

The servicer along a recorded plan; at some moment a body comes to its gripper, either moving as
the gripper does, or moving and turning on its own, or one that it carries is let go. Angular
velocity and position of the base follow from the momentum of both.
Run with ``python benchmarks/grasp.py [MOMENTS]``, 4 moments by default.
"""

from dataclasses import dataclass, replace
import sys

from accuracy import BLOCK, noisy, PLANS, RATE
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from timing import dual_arm, print_machine, print_table

from spacerobot_id.estimation import absorb, begin_identification
from spacerobot_id.estimation.recursive.changed_body import changed_bodies, ChangedBody
from spacerobot_id.estimation.recursive.recursion import refine
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.multibody import base_twist_from_momentum, momentum_matrix
from spacerobot_id.regressor import first_moment_regressor

PLACE = np.array([0.05, -0.1, 0.3])


def body_of(mass: float) -> InertialParameters:
    """Return a box of some mass at the gripper."""
    return InertialParameters.from_com(mass, PLACE, mass * np.diag([0.02, 0.03, 0.025]))


def loaded(robot: RobotModel, body: InertialParameters) -> RobotModel:
    """Return the robot with a body on its last link."""
    links = list(robot.links)
    both = InertialParameters.from_vector(links[-1].inertial.vector + body.vector)
    links[-1] = replace(links[-1], inertial=both)
    return replace(robot, links=links)


@dataclass(frozen=True)
class Event:
    """What happens.

    Parameters
    ----------
    time : float
        When, s.
    mass : float
        Mass of the body, kg.
    is_release : bool
        Whether it goes.
    own_twist : tuple of float
        Velocity (m/s) and rate (rad/s) of the body beside those of the gripper, inertial axes.
    """

    time: float
    mass: float
    is_release: bool = False
    own_twist: tuple[float, ...] = (0.0,) * 6


def seen_from_base(
    momentum: NDArray[np.float64], R_WB: NDArray[np.float64], position: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return momentum about the inertial origin in base axes about the base."""
    about = momentum[3:] - np.cross(position, momentum[:3])
    return np.concatenate([R_WB.T @ momentum[:3], R_WB.T @ about])


def flown(robot: RobotModel, event: Event, duration: float) -> Record:
    """Return what sensors without noise see of the robot and what it grasps or releases."""
    with_body = loaded(robot, body_of(event.mass))
    first, second = (with_body, robot) if event.is_release else (robot, with_body)
    plan, n = load_plan(PLANS / 'servicer.yaml'), len(robot.joints)
    times = np.arange(0.0, duration, 1.0 / RATE)
    motion = plan.sample(times)
    q, qd, wheels = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    now, momentum = first, np.zeros(6)
    R_WB, position = np.eye(3), np.ones(3)
    twists, positions, turned = [], [], []
    matrices = {id(each): momentum_matrix(each, q) for each in (first, second)}
    moments = {id(e): first_moment_regressor(e, q) @ e.parameters for e in (first, second)}
    masses = {id(e): sum(link.inertial.mass for link in e.links) for e in (first, second)}
    com = position + R_WB @ moments[id(now)][0] / masses[id(now)]
    begin = times[0]
    for k, time in enumerate(times):
        if now is first and time >= event.time:
            rates = np.concatenate([twists[-1], qd[k]])
            both, alone = matrices[id(with_body)][k], matrices[id(robot)][k]
            of_body = (both - alone) @ rates  # in base axes about the base
            linear = R_WB @ of_body[:3]
            brought = np.concatenate([linear, R_WB @ of_body[3:] + np.cross(position, linear)])
            if any(event.own_twist):
                place = moments[id(with_body)][k] - moments[id(robot)][k]
                place = position + R_WB @ place / event.mass
                extra = event.mass * np.array(event.own_twist[:3])
                spin = body_of(event.mass).inertia_about_com @ event.own_twist[3:]
                brought += np.concatenate([extra, spin + np.cross(place, extra)])
            momentum = momentum - brought if event.is_release else momentum + brought
            now, begin = second, time
            com = position + R_WB @ moments[id(now)][k] / masses[id(now)]
        rows = slice(k, k + 1)
        position = (
            com
            + momentum[:3] * (time - begin) / masses[id(now)]
            - R_WB @ moments[id(now)][k] / masses[id(now)]
        )
        seen = seen_from_base(momentum, R_WB, position)
        twist = base_twist_from_momentum(now, q[rows], qd[rows], wheels[rows], seen)
        twist = np.asarray(twist).reshape(6)
        twists.append(twist)
        positions.append(position)
        turned.append(R_WB)
        R_WB = R_WB @ Rotation.from_rotvec(twist[3:] / RATE).as_matrix()
    attitude = Rotation.from_matrix(np.array(turned)).as_quat()
    return Record(times, q, qd, wheels, np.array(twists), np.array(positions), attitude)


@dataclass(frozen=True)
class Outcome:
    """What one event came to."""

    announced: tuple[float, ...]
    body: ChangedBody | None
    body_off: NDArray[np.float64]
    robot_off: NDArray[np.float64]


def live(method: Momentum, record: Record, settings: RecursionSettings, time: float):  # noqa: ANN201
    """Return the state at the end of the recursion, and when changes were announced."""
    state, announced = begin_identification(method, settings), []
    for begin in range(0, len(record), BLOCK):
        changes = state.changes
        state = absorb(state, record[begin : begin + BLOCK])
        if state.changes > changes:
            announced.append(float(record.times[begin : begin + BLOCK][-1]) - time)
    return refine(state), tuple(announced)


def outcome(
    robot: RobotModel, method: Momentum, event: Event, duration: float, seed: int
) -> Outcome:
    """Fly, identify, compare."""
    record = noisy(flown(robot, event, duration), method, seed)
    settings = RecursionSettings(change=ChangeSettings(mass=2.0 * event.mass))
    if event.is_release:
        method = Momentum.from_model(loaded(method.model, body_of(event.mass)))
    state, announced = live(method, record, settings, event.time)
    body = body_of(event.mass)
    true = robot if event.is_release else loaded(robot, body)
    estimate = state.estimate()
    robot_off = (estimate.values - method.minimal.values(true)) / estimate.std
    found = changed_bodies(state)
    if not found:
        return Outcome(announced, None, np.full(10, np.inf), robot_off)
    wanted = -body.vector if event.is_release else body.vector
    std = np.sqrt(np.diag(found[-1].covariance))
    return Outcome(announced, found[-1], (found[-1].values - wanted) / std, robot_off)


def main() -> None:
    """Fly, identify and print."""
    moments = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    print_machine()
    true, prior = dual_arm('servicer'), dual_arm('servicer_prior')
    method = Momentum.from_model(prior)
    duration = 90.0
    tumbling = (0.02, -0.03, 0.01, 0.02, 0.03, -0.05)
    rows, every = [], []
    for what, release, own in (
        ('grasp', False, (0.0,) * 6),
        ('release', True, (0.0,) * 6),
        ('tumbling', False, tumbling),
    ):
        for mass in (1.0, 10.0, 60.0):
            runs = []
            for k, time in enumerate(np.linspace(25.0, 60.0, moments) + 0.37):
                event = Event(float(time), mass, release, own)
                runs.append(outcome(true, method, event, duration, k))
                print('.', end='', file=sys.stderr, flush=True)
            off = np.array([[*run.body_off, *run.robot_off] for run in runs])
            every.append(off)
            once = sum(len(run.announced) == 1 for run in runs)
            after = [run.announced[0] for run in runs if run.announced]
            stds = [run.body.mass_std for run in runs if run.body is not None]
            rows.append([
                f'{what} {mass:g} kg',
                f'{once}/{moments}',
                f'{max(after, default=np.nan):.1f}',
                f'{np.max(stds, initial=0.0):.3f}',
                f'{100.0 * np.mean(np.abs(off[:, :10]) < 1.96):.0f}',
                f'{100.0 * np.mean(np.abs(off[:, 10:]) < 1.96):.0f}',
                f'{np.sqrt(np.mean(np.minimum(np.abs(off), 1e3) ** 2)):.2f}',
            ])  # fmt: skip
    print(f'\n\nServicer, {moments} moments from 25 s to 60 s of {duration:g} s')
    heads = ['', 'announced once', 'latest, s', 'std of the mass, kg', 'body inside 95 %, %']
    print_table([*heads, 'robot inside 95 %, %', 'error, deviations RMS'], rows)
    off = np.concatenate(every)
    print(f'\nall inside 95 %: {100.0 * np.mean(np.abs(off) < 1.96):.1f} %')


if __name__ == '__main__':
    main()

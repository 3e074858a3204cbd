"""Whole missions: planned from the prior within limits, flown by the true robot, identified.

The servicer with limits of the base's rate and of its end-effector's space; and a plan alone, for
a robot of two seven-joint arms and four wheels.
Run with ``python benchmarks/missions.py``.
"""

from dataclasses import replace
import time
import warnings

import numpy as np
from timing import print_machine, ROBOTS

from spacerobot_id.estimation import Estimate, identify
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.excitation import (
    LimitSettings,
    plan_excitation,
    PlannedExcitation,
    PlannerSettings,
)
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox
from spacerobot_id.flight.recording import FlightSettings, fly_plan
from spacerobot_id.kinematics import link_poses
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import Joint, Link, load_robot, ReactionWheel, RobotModel
from spacerobot_id.regressor import minimal_parameters

BASE_RATE = np.deg2rad(0.5)
BOX = KeepInBox('tool', (-0.6, -0.9, 0.4), (2.0, 1.0, 2.4))
START = np.array([0.3, 0.5, 0.0, 0.9, 0.0, 0.6, 0.0, 0.0, 0.0, 0.0])


def robot(name: str) -> RobotModel:
    """Return a shipped robot."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(ROBOTS / f'{name}.urdf')


def two_arms() -> RobotModel:
    """Return the servicer with a second arm like the first, half a turn about z, and a wheel."""
    model = robot('servicer')
    turn = np.diag([-1.0, -1.0, 1.0])
    count = len(model.joints)
    joints = [
        Joint(
            f'second_{joint.name}',
            joint.type,
            joint.parent + count if joint.parent else 0,
            joint.R_PC if joint.parent else turn @ joint.R_PC,
            joint.p_PC_P if joint.parent else turn @ joint.p_PC_P,
            joint.limits,
        )
        for joint in model.joints
    ]
    links = [Link(f'second_{link.name}', link.inertial, link.R_UL) for link in model.links[1:]]
    skew = np.ones(3) / np.sqrt(3.0)
    spare = replace(model.wheels[0], name='wheel_skew', axis=skew)
    assert isinstance(spare, ReactionWheel)
    return replace(
        model,
        name='two_arms',
        links=[*model.links, *links],
        tree_joints=[*model.joints, *joints],
        wheels=[*model.wheels, spare],
    )


def timed(
    model: RobotModel, start: np.ndarray, settings: PlannerSettings
) -> tuple[PlannedExcitation, float]:
    """Return a plan and the time that planning it took."""
    begin = time.perf_counter()
    planned = plan_excitation(model, start, settings)
    return planned, time.perf_counter() - begin


def box_use(model: RobotModel, q: np.ndarray) -> float:
    """Return how far the tool goes from the middle of its box, as a share of its half."""
    frame, poses = model.frames[BOX.frame], link_poses(model, q)
    axes, origin = poses.axes[frame.link], poses.origins[frame.link]
    place = (origin + np.tensordot(frame.p_LF_L, axes, axes=1)).T
    lower, upper = np.array(BOX.lower), np.array(BOX.upper)
    return float(np.max(np.abs(place - 0.5 * (lower + upper)) / (0.5 * (upper - lower))))


def servicer_mission() -> None:
    """Plan, fly and identify the servicer; hold the true flight against the limits."""
    prior, true = robot('servicer_prior'), robot('servicer')
    # The prior may be wrong: the true base turns faster than the predicted one.
    limits = LimitSettings(base_rate=0.85 * BASE_RATE, keep_in=(BOX,))
    settings = PlannerSettings(
        limits=limits, interval=2.6, intervals=150, draws=10, restarts=2, iterations=150
    )
    planned, spent = timed(prior, START, settings)
    streams = fly_plan(true, planned.plan, prior, FlightSettings(seed=1))
    turning = np.linalg.norm(streams.true_twist.twists[:, 3:], axis=1).max()
    log = record_from_log(true, streams)
    method = Momentum.from_model(prior)
    estimate = identify(log.measurement, method, with_links=False).estimate
    report(prior, true, planned, spent, method, estimate)
    print(
        f'  true base rate {np.rad2deg(turning):.3f} deg/s of {np.rad2deg(BASE_RATE):.3f}, '
        f'true tool {100.0 * box_use(true, streams.true_joints.positions[:, :7]):.1f} % of its box'
    )


def report(
    prior: RobotModel,
    true: RobotModel,
    planned: PlannedExcitation,
    spent: float,
    method: Momentum,
    estimate: Estimate,
) -> None:
    """Print a plan and what came of it."""
    truth = method.minimal.values(true)
    error = 100.0 * np.abs(estimate.values - truth) / np.abs(truth)
    start = 100.0 * np.abs(method.minimal.values(prior) - truth) / np.abs(truth)
    inside = np.mean(np.abs(estimate.values - truth) <= 1.96 * estimate.std)
    print(
        f'\n{true.name}: {planned.plan.duration:.0f} s, planned in {spent:.1f} s; closest limit '
        f'{planned.limits[0].name} {100.0 * planned.limits[0].share:.1f} %\n'
        f'  error of the prior: median {np.median(start):.1f} %; identified: median '
        f'{np.median(error):.3f} %, worst {error.max():.1f} %, inside 95 % {100.0 * inside:.0f} %'
    )


def many_joints() -> None:
    """Plan for two seven-joint arms and four wheels."""
    model = two_arms()
    count = len(model.joints) + len(model.wheels)
    planned, spent = timed(model, np.zeros(count), PlannerSettings())
    values = np.abs(minimal_parameters(model).values(model))
    seen = int(np.isfinite(planned.std).sum())
    print(
        f'\n{model.name}: {len(model.joints)} joints, {len(model.wheels)} wheels; '
        f'{planned.plan.duration:.0f} s, planned in {spent:.1f} s (at most 300)\n'
        f'  {seen} of {len(values)} minimal parameters identifiable, predicted standard '
        f'deviation: median {100.0 * np.median(planned.std / values):.2f} %'
    )


def main() -> None:
    """Plan, fly, identify and print."""
    print_machine()
    many_joints()
    servicer_mission()


if __name__ == '__main__':
    main()

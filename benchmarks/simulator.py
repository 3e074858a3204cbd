"""How many times as fast as real time the dynamic simulator runs, on one core and without ROS.

The dual-arm robot of [Naveen 2024] on an exciting motion in rotation-floating mode: computed
torque with its prior, friction, limits of all drives, steps of 1 ms, samples at 100 Hz. Run with
``python benchmarks/simulator.py``.
"""

from dataclasses import replace
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np
from timing import dual_arm, print_machine, print_table, seconds

from spacerobot_id.excitation.family.cycloid_family import draw_direction_combinations
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.model import Actuators, JointFriction, RobotModel
from spacerobot_id.simulation import Controller, DynamicSimulation

SECONDS = 30
RATE = 100.0
TARGET = 30.0
"""Times as fast as real time that the simulator has to be."""


def exciting_motion(model: RobotModel) -> ExcitationPlan:
    """Return cycloids of a second about the middle of the joints' range."""
    joints, wheels = len(model.joints), len(model.wheels)
    reach = np.concatenate([np.full(joints, 0.04), np.full(wheels, 3.0 * np.pi)])
    rng = np.random.default_rng(0)
    directions = draw_direction_combinations(joints + wheels, SECONDS, rng)
    knots = knots_from_seeds(np.zeros(joints + wheels), reach, directions)
    names = model.joint_names + model.wheel_names
    return ExcitationPlan(names, knots, np.ones(SECONDS))


def simulation(model: RobotModel) -> DynamicSimulation:
    """Return a robot that is commanded to move."""
    plan = exciting_motion(model)
    begin = DynamicSimulation.at_rest(
        model,
        np.zeros(len(model.joints)),
        controller=Controller(dual_arm('naveen_dual_arm_prior')),
    )
    begin = begin.with_joint_trajectory(plan.joint_trajectory(model.joint_names))
    return begin.with_wheel_trajectory(plan.joint_trajectory(model.wheel_names))


def main() -> None:
    """Measure and print."""
    model = dual_arm()
    friction = {name: JointFriction(2.0, 0.5) for name in model.joint_names}
    real = Actuators(joint_limits=True, wheel_limits=True, friction=friction)
    times = np.arange(1, round(SECONDS * RATE) + 1) / RATE
    rows, factors = [], []
    for name, robot in (('ideal drives', model), ('real drives', replace(model, actuators=real))):
        begin = simulation(robot)
        taken = seconds(lambda begin=begin: begin.advanced_to(times))
        factors.append(SECONDS / taken)
        rows.append((name, f'{1e3 * taken / SECONDS:.2f}', f'{factors[-1]:.0f}'))

    print(
        f'Dynamic simulation of {model.name}, {SECONDS} s in steps of 1 ms; best of several runs'
    )
    print_machine()
    print_table(('', 'us per step', 'times real time'), rows)
    verdict = 'reached' if min(factors) >= TARGET else 'missed'
    print(f'target {TARGET:g} times real time: {verdict}')


if __name__ == '__main__':
    main()

"""How the work of planning and identifying grows with the joints: chains of 7, 14 and 28.

Chains are the servicer with its arm once, twice and four times, one after the other. Plans have
one effort (draws, restarts, iterations) and one duration, and count by the evaluation; what is
identified is the motion of the plan with the noise that the description states, from a description
whose links are off by a tenth. Processor times, the best of several runs, and the exponent of the
number of joints that fits them best. Run with ``python benchmarks/growth.py [REPEATS]``, 2 by
default.
"""

from collections.abc import Callable
from dataclasses import replace
import sys
import time
import warnings

import numpy as np
from timing import print_machine, print_table, ROBOTS, with_one_thread

from spacerobot_id.estimation import identify
from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.excitation import ExcitingMotion, plan_excitation, PlannerSettings
from spacerobot_id.excitation.objective.objective import draw_robot
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import Link, load_robot, RobotModel
from spacerobot_id.multibody import base_twist_from_momentum

ARMS, WANTED = (1, 2, 4), 1.5
SETTINGS = PlannerSettings(intervals=40, interval=2.0, draws=5, restarts=1, iterations=20)
OFF, RATE = 0.1, 100.0
"""How far links of the description are off, as a share, and samples per second."""


def chain(arms: int) -> RobotModel:
    """Return the servicer with its arm several times, each at the end of the one before."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        model = load_robot(ROBOTS / 'servicer.urdf')
    count = len(model.joints)
    joints, links = list(model.joints), list(model.links)
    for arm in range(1, arms):
        joints += [
            replace(joint, name=f'{joint.name}_{arm}', parent=joint.parent + arm * count)
            for joint in model.joints
        ]
        links += [Link(f'{link.name}_{arm}', link.inertial, link.R_UL) for link in model.links[1:]]
    return replace(
        model, name=f'chain_{arms}', links=links, tree_joints=joints, frames={}, collision=()
    )


def measured(true: RobotModel, plan: ExcitingMotion, method: Momentum) -> Record:
    """Return what sensors see of a robot along a plan."""
    rng, n = np.random.default_rng(0), len(true.joints)
    times = np.arange(0.0, plan.duration, 1.0 / RATE)
    motion = plan.sample(times)
    q, qd, wheels = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    twist = base_twist_from_momentum(true, q, qd, wheels)
    noise = rng.normal(size=(len(times), 6 + n)) * method.rate_std
    return Record(1.0 + times, q, qd + noise[:, 6:], wheels, twist + noise[:, :6])


def processor_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least processor time of several runs, after one that does not count."""
    work()
    runs = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        runs.append(time.process_time() - begin)
    return min(runs)


def exponent(joints: list[int], seconds: list[float]) -> float:
    """Return the exponent of the number of joints that fits times best."""
    return float(np.polyfit(np.log(joints), np.log(seconds), 1)[0])


def main() -> None:
    """Measure and print."""
    with_one_thread()
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print_machine()
    rows, joints = [], []
    times: dict[str, list[float]] = {'plan': [], 'identify': []}
    for arms in ARMS:
        true = chain(arms)
        prior = draw_robot(true, OFF, np.random.default_rng(arms))
        method, start = Momentum.from_model(prior), np.zeros(len(true.joints) + len(true.wheels))
        planned = plan_excitation(prior, start, SETTINGS)
        record = measured(true, planned.plan, method)
        result = identify(record, method)
        joints.append(len(true.joints))
        for name, work in (
            ('plan', lambda p=prior, s=start: plan_excitation(p, s, SETTINGS)),
            ('identify', lambda r=record, m=method: identify(r, m)),
        ):
            times[name].append(processor_seconds(work, repeats))
        times['plan'][-1] /= planned.evaluations
        rows.append(
            [
                f'{joints[-1]} joints, {len(method.minimal)} parameters',
                f'{1e3 * times["plan"][-1]:.1f}',
                f'{planned.evaluations}',
                f'{times["identify"][-1]:.2f}',
                'yes' if result.is_usable else 'no',
            ]
        )
    print_table(['chain', 'plan ms per evaluation', 'evaluations', 'identify s', 'usable'], rows)
    for name, seconds in times.items():
        found = exponent(joints, seconds)
        verdict = 'met' if found <= WANTED else 'missed'
        print(f'{name}: exponent {found:.2f}, wanted at most {WANTED:g}: {verdict}')


if __name__ == '__main__':
    main()

"""Plans for the dual-arm robot of [Naveen 2024], made from its offset prior, judged on the truth.

Then plans for the servicer that count calibrations beside those that do not, and how fast criteria
and their gradients are evaluated, beside pinocchio's regressor called once per sample. Run with
``python benchmarks/planning.py [SEEDS]``, 3 by default.
"""

from dataclasses import replace
import sys
import time

from calibration import BIAS, GOOD_HARDWARE
import numpy as np
from numpy.typing import NDArray
import pinocchio as pin
from timing import dual_arm, print_machine, print_table, ROBOTS, seconds

from spacerobot_id import keep_memory
from spacerobot_id.excitation import (
    ExcitingMotion,
    plan_excitation,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.objective.objective import make_criterion
from spacerobot_id.excitation.planner_settings import CriterionName
from spacerobot_id.excitation.pruning import interval_regressors, prune_intervals
from spacerobot_id.excitation.trajectory.predicted_motion import condition_number, predict_motion
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.information import InformationSettings
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import CountedSettings
from spacerobot_id.methods.unknowns import BiasAndScaleSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

PER_INTERVAL = 10
FREE = np.full(9, np.nan)
CYCLOIDS = PlannerSettings(interval=1.0)
PLATEAU = PlannerSettings(duration=67.0, interval=2.0, plateau=0.5)
CONDITION = {
    'criterion': PlanCriterionSettings(CriterionName.CONDITION),
    'prior_draws': 20,
    'prior_spread': 0.3,
    'draws': 50,
    'restarts': 16,
    'iterations': 40,
}
DEVIATION = {'restarts': 12}
SERVICER = PlannerSettings(intervals=40, interval=3.0, draws=10, restarts=2)
COUNTED = {
    'gyro and encoders': CountedSettings(
        nuisance=BiasAndScaleSettings(gyro_bias=BIAS),
        calibration=CalibrationSettings(
            encoder_offset=GOOD_HARDWARE.encoder_offset,
            gyro_mounting=GOOD_HARDWARE.gyro_mounting,
            delay_imu=GOOD_HARDWARE.delay_imu,
        ),
    ),
    'all of calibration.md': CountedSettings(
        nuisance=BiasAndScaleSettings(gyro_bias=BIAS), calibration=GOOD_HARDWARE
    ),
}


def relative_std(model: RobotModel, plan: ExcitingMotion) -> NDArray[np.float64]:
    """Return the standard deviations that output error would reach, %, of the true values."""
    minimal = minimal_parameters(model)
    count = round(PER_INTERVAL * plan.duration)
    samples = plan.sample((np.arange(count) + 0.5) * plan.duration / count)
    weights = np.full(count, plan.duration / count)
    source = Momentum.information(model, InformationSettings())
    informed = source.information(samples, weights)
    criterion = make_criterion(PlanCriterionSettings(), source)
    return 100.0 * criterion.standard_deviations(informed) / np.abs(minimal.values(model))


def plan_table(seeds: int) -> None:
    """Print the table of plans, each planned from the prior and judged on the true robot."""
    prior, true = dual_arm('naveen_dual_arm_prior'), dual_arm()
    minimal, rows = minimal_parameters(prior), []
    for name, motion, effort in (
        ('condition number', CYCLOIDS, CONDITION),
        ('condition number, plateau', PLATEAU, CONDITION),
        ('deviation', CYCLOIDS, DEVIATION),
        ('deviation, plateau', PLATEAU, DEVIATION),
    ):
        for seed in range(seeds):
            settings = replace(motion, seed=seed, **effort)
            begin, worked = time.perf_counter(), time.process_time()
            planned = plan_excitation(prior, FREE, settings)
            spent, worked = time.perf_counter() - begin, time.process_time() - worked
            std = relative_std(true, planned.plan)
            number = condition_number(true, minimal, predict_motion(true, planned.plan, 10))
            rows.append(
                [
                    f'{name}, seed {seed}',
                    f'{planned.plan.duration:.0f}',
                    f'{planned.cost:.4g}',
                    f'{number:.1f}',
                    f'{np.median(std):.3f}',
                    f'{std.max():.2f}',
                    f'{spent:.1f}',
                    f'{worked:.1f}',
                    f'{planned.evaluations}',
                ]
            )
    heads = ['criterion', 's', 'cost on prior', 'condition', 'median %', 'worst %']
    print('\nPlanned from the prior, judged on the true robot')
    print_table([*heads, 'planning s', 'processor s', 'evaluations'], rows)
    print(
        'at most: 125 for the condition number (paper: 248.8) in 20 s, 0.15 % median, 9 % worst '
        'in 10 s\n'
        'One evaluation here is the criterion, or the criterion with its whole gradient.'
    )


def counted_table(seeds: int) -> None:
    """Print what plans promise beside unknown calibrations, those counted and not."""
    prior, rows = dual_arm('servicer_prior'), []
    start = np.zeros(len(prior.joints) + len(prior.wheels))
    for name, counted in COUNTED.items():
        given = counted.of_method()
        source = Momentum.information(prior, InformationSettings(given=given))
        criterion = make_criterion(PlanCriterionSettings(), source)
        for seed in range(seeds):
            cells = [f'{name}, seed {seed}']
            for each in (CountedSettings(), counted):
                worked = time.process_time()
                settings = replace(SERVICER, seed=seed, counted=each)
                plan = plan_excitation(prior, start, settings).plan
                worked = time.process_time() - worked
                count = round(PER_INTERVAL * plan.duration)
                weights = np.full(count, plan.duration / count)
                samples = plan.sample((np.arange(count) + 0.5) * weights)
                informed = source.information(samples, weights)
                std = criterion.standard_deviations(informed) / criterion.scale
                mean = np.exp(np.log(std).mean())
                cells += [
                    f'{criterion.cost(informed):.3g}',
                    f'{100.0 * mean:.3f}',
                    f'{worked:.1f}',
                ]
            rows.append(cells)
    print('\nServicer, 120 s: promised beside unknown calibrations, not counted and counted')
    heads = ['unknown', 'cost', 'mean %', 'processor s', 'counted: cost', 'mean %', 'processor s']
    print_table(heads, rows)


def three_steps() -> None:
    """Print what the paper's own family gives in its three steps."""
    prior, true = dual_arm('naveen_dual_arm_prior'), dual_arm()
    minimal = minimal_parameters(prior)
    settings = PlannerSettings(
        family=FamilyName.SEEDS,
        interval=1.0,
        criterion=PlanCriterionSettings(CriterionName.CONDITION_AND_SIGNAL),
        draws=50,
    )
    begin = time.perf_counter()
    plan = plan_excitation(prior, FREE, settings).plan
    spent = time.perf_counter() - begin
    number = condition_number(true, minimal, predict_motion(true, plan, PER_INTERVAL))
    again = len(prune_intervals(interval_regressors(true, minimal, plan, PER_INTERVAL)))
    print("\nThe paper's seeds: all 256 combinations, pruned, optimised again (Eq. 32)")
    print_table(
        ['', 'paper', 'ours'],
        [
            ['intervals kept of 256', '67', f'{len(plan.durations)}'],
            ['condition number on the true robot', '248.8', f'{number:.1f}'],
            ['kept of these, pruned on the true robot', '-', f'{again}'],
            ['planning time, s', '-', f'{spent:.1f}'],
        ],
    )


def speed_table() -> None:
    """Print how fast one evaluation over 670 samples is, and its gradient."""
    prior = dual_arm('naveen_dual_arm_prior')
    minimal = minimal_parameters(prior)
    plan = plan_excitation(prior, FREE, replace(CYCLOIDS, draws=1, restarts=0)).plan
    samples, weights = plan.sample_intervals(PER_INTERVAL), np.full(670, 1.0 / PER_INTERVAL)
    rows = []
    for name in CriterionName:
        criterion = make_criterion(
            PlanCriterionSettings(name), Momentum.information(prior, InformationSettings())
        )
        model = MomentumInformation([prior], minimal, is_weighted=criterion.is_weighted)

        def cost(model: MomentumInformation = model, criterion: object = criterion) -> float:
            return criterion.cost(model.information(samples, weights))

        def gradient(model: MomentumInformation = model, criterion: object = criterion) -> object:
            shown = model.shown(samples, weights)
            return shown.pull_back([criterion.score(shown.information(0)).by])

        rows.append((name.value, seconds(cost), seconds(gradient, repeats=3)))
    motion = predict_motion(prior, plan, PER_INTERVAL)
    velocity = np.hstack([motion.base_twist, motion.qd])
    ours = seconds(
        lambda: momentum_regressor(prior, motion.q, motion.qd, motion.base_twist, minimal.columns)
    )
    peer = seconds(lambda: pinocchio_regressors(motion.q, velocity), repeats=3)
    print('\nOne evaluation over 670 samples, without and with its gradient by all samples')
    rows += [('momentum regressor alone', ours, np.nan), ("pinocchio's, alone", peer, np.nan)]
    print_table(
        ['', 'ms', 'per second', 'gradient ms', "over pinocchio's time"],
        [
            [
                name,
                f'{1e3 * one:.2f}',
                f'{1.0 / one:.0f}',
                f'{1e3 * whole:.1f}',
                f'{one / peer:.2f}',
            ]
            for name, one, whole in rows
        ],
    )
    print(
        f'deviation, the default: at most 20 ms: {"reached" if rows[0][1] <= 0.02 else "missed"}'
    )


def pinocchio_regressors(q: NDArray[np.float64], velocity: NDArray[np.float64]) -> None:
    """Evaluate pinocchio's joint-torque regressor, six rows of which are one of momentum."""
    model = pin.buildModelFromUrdf(
        str(ROBOTS / 'naveen_dual_arm_prior.urdf'), pin.JointModelFreeFlyer()
    )
    model.gravity = pin.Motion.Zero()
    data, rest = model.createData(), np.zeros(model.nv)
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for angles, rates in zip(q, velocity, strict=True):
        configuration = np.concatenate([base, angles])
        pin.computeJointTorqueRegressor(model, data, configuration, rest, rates)


def main() -> None:
    """Plan, measure and print, with memory kept as commands keep it."""
    keep_memory()
    print_machine()
    speed_table()
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    plan_table(seeds)
    counted_table(seeds)
    three_steps()


if __name__ == '__main__':
    main()

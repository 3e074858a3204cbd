"""The study of papers/003: criteria, saturation and period, its method beside ours.

The text prints few numbers; its figures are missing. The box plots of Figures 5, 6 and 8 are drawn
anew, and what the text says of them is held against ours.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
import itertools
import multiprocessing
import os
from pathlib import Path

from spacerobot_id.data import FreeFlyerRecord
from spacerobot_id.evaluation.ekal_cases import CASES, FREE_V1, FREE_V2, LIMITED_V1, SLOW_V1
from spacerobot_id.evaluation.ekal_claims import box_table, claims_of, tracking_tables
from spacerobot_id.evaluation.ekal_plot import plot_errors, plot_saturation
from spacerobot_id.evaluation.ekal_study import (
    collect,
    draw_loads,
    EkalCase,
    EkalResult,
    EkalSettings,
    estimate_flight,
    FlightEstimates,
    fly_case,
    measured_record,
    plan_motion,
    with_rate,
)
from spacerobot_id.evaluation.ekal_tracking import (
    CONTROLS,
    has_predictive_control,
    tracked_flight,
    TrackedFlight,
)
from spacerobot_id.evaluation.reproduction import Reproduction
from spacerobot_id.excitation import FreeFlyerCriterion, PeriodicFourierMotion
from spacerobot_id.model import InertialParameters, load_robot, RobotModel, shipped_file

_TRACKED = 2
"""Loads that are flown under predictive control too."""

_SLOW_FLIGHTS = 20
"""Flights of 60 s that the likelihood is asked of: two motions with ten loads, as in 6.6."""

_TITLE = 'papers/003, Ekal and Ventura: a free-flyer grasping an object, Figures 5 to 8'


def reproduce_ekal(folder: Path, settings: EkalSettings | None = None) -> Reproduction:
    """Fly all cases, estimate by all methods, draw and hold against the text.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : EkalSettings, optional
        Sizes; those of the paper if None.

    Returns
    -------
    Reproduction
        Numbers, tables and pictures.
    """
    settings = settings or EkalSettings()
    robot = load_robot(shipped_file('config/robots/space_cobot.urdf'))
    study = run_study(with_rate(robot, settings.step), settings)
    results = study.results
    files = [folder / f'figure_{number}.png' for number in (5, 6, 7, 8)]
    plot_errors(files[0], results, (FREE_V1, FREE_V2), 'no saturation: criteria V1 and V2')
    plot_errors(files[1], results, (FREE_V1, LIMITED_V1), 'V1: without and with saturation')
    plot_saturation(files[2], results[LIMITED_V1])
    plot_errors(files[3], results, (SLOW_V1, LIMITED_V1), 'V1 with saturation: 60 s and 10 s')
    return Reproduction(
        'ekal',
        _TITLE,
        claims_of(results),
        tuple(files),
        (box_table(results), *tracking_tables(study.tracked)),
    )


@dataclass(frozen=True, eq=False)
class EkalStudy:
    """Everything that was flown.

    Parameters
    ----------
    results : mapping of EkalCase to EkalResult
        Results of all cases.
    tracked : sequence of TrackedFlight
        Flights under both controls; none where CasADi is missing.
    """

    results: Mapping[EkalCase, EkalResult]
    tracked: Sequence[TrackedFlight]


def run_study(
    robot: RobotModel, settings: EkalSettings, cases: Sequence[EkalCase] = CASES
) -> EkalStudy:
    """Return the results of cases, two processes at work where there are processors.

    Parameters
    ----------
    robot : RobotModel
        The robot without a load.
    settings : EkalSettings
        Sizes.
    cases : sequence of EkalCase
        Cases.
    """
    loads = draw_loads(settings.loads, settings.seed)
    plans = list(dict.fromkeys((case.criterion, case.period) for case in cases))
    numbered = list(itertools.product(plans, range(settings.trajectories)))
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), context) as pool:
        found = list(
            pool.map(
                plan_motion,
                [criterion for (criterion, _), _ in numbered],
                [period for (_, period), _ in numbered],
                [number for _, number in numbered],
                itertools.repeat(settings),
            )
        )
        motions: dict[tuple[FreeFlyerCriterion, float], list[PeriodicFourierMotion]] = {}
        for (plan, _), motion in zip(numbered, found, strict=True):
            motions.setdefault(plan, []).append(motion)
        tracking = _track(pool, robot, loads, motions[cases[0].criterion, 10.0], settings)
        results = {}
        for case in cases:
            chosen = motions[case.criterion, case.period]
            flight = fly_case(robot, loads, chosen, settings, limited=case.limited)
            tasks = [
                _Task(
                    measured_record(flight, number, robot, settings.seed + 1),
                    case.period,
                    robot,
                    _asks_likelihood(case, number),
                )
                for number in range(len(loads) * len(chosen))
            ]
            estimates = list(pool.map(_estimate, tasks))
            results[case] = collect(case, loads, flight, estimates)
        return EkalStudy(results, [each.result() for each in tracking])


def _track(
    pool: ProcessPoolExecutor,
    robot: RobotModel,
    loads: Sequence[InertialParameters],
    motions: Sequence[PeriodicFourierMotion],
    settings: EkalSettings,
) -> list[Future[TrackedFlight]]:
    """Return flights under both controls that have been asked for; none without CasADi."""
    if not has_predictive_control():
        return []
    return [
        pool.submit(tracked_flight, control, robot, load, motions[0], LIMITED_V1, settings)
        for load in loads[:_TRACKED]
        for control in CONTROLS
    ]


@dataclass(frozen=True, eq=False)
class _Task:
    """A flight to estimate from, for another process."""

    record: FreeFlyerRecord
    period: float
    robot: RobotModel
    with_likelihood: bool


def _estimate(task: _Task) -> FlightEstimates:
    """Return the estimates of one flight."""
    return estimate_flight(
        task.record, task.period, task.robot, with_likelihood=task.with_likelihood
    )


def _asks_likelihood(case: EkalCase, number: int) -> bool:
    """Return whether the likelihood is asked too: at 60 s of as many flights as the paper has."""
    return case.period < 60.0 or (case is SLOW_V1 and number < _SLOW_FLIGHTS)

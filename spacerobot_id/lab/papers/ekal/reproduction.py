"""The study of [Ekal 2019]: criteria, saturation and period, its method beside ours.

The text prints few numbers; its figures are missing. Figures 3 to 9, all that show results, are
drawn again, and what the text states about them is compared with ours.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
import multiprocessing
import os
from pathlib import Path
from typing import TypeVar

import numpy as np

from spacerobot_id.lab.papers.comparison import Reproduction
from spacerobot_id.lab.papers.ekal import comparison
from spacerobot_id.lab.papers.ekal.comparison import (
    CONTROLS,
    has_predictive_control,
    tracked_flight,
)
from spacerobot_id.lab.papers.ekal.estimation import (
    collect,
    EkalResult,
    estimate_flight,
    FlightEstimates,
)
from spacerobot_id.lab.papers.ekal.study import (
    CASES,
    draw_loads,
    EkalCase,
    EkalSettings,
    fly_case,
    FREE_V1,
    FREE_V2,
    LIMITED_V1,
    LIMITED_V2,
    measured_record,
    plan_motion,
    size_without_levels,
    SLOW_V1,
    SLOW_V2,
    with_rate,
)
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.model import InertialParameters, load_robot, RobotModel, shipped_file
from spacerobot_id.simulation import FreeFlyerFlight

_T = TypeVar('_T')

_TRACKED = 2
"""Loads that are flown under predictive control too."""

_ALIKE = 1e-9
"""Largest difference of the wrenches of two flights that are the same, N and N m."""


def reproduce(folder: Path, settings: EkalSettings | None = None) -> Reproduction:
    """Fly all cases, estimate by all methods, draw and compare with the text.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : EkalSettings, optional
        Sizes; those of the paper if None.

    Returns
    -------
    Reproduction
        Pairs of numbers, tables and pictures.
    """
    settings, paper = settings or EkalSettings(), published('ekal')
    robot = load_robot(shipped_file('config/robots/space_cobot.urdf'))
    flown = run_study(with_rate(robot, settings.step), settings)
    return as_reproduction(folder, paper, flown)


def as_reproduction(folder: Path, paper: Paper, flown: 'EkalStudy') -> Reproduction:
    """Return what was flown beside the paper, and draw it.

    Parameters
    ----------
    folder : Path
        Where the pictures go.
    paper : Paper
        What is printed.
    flown : EkalStudy
        Everything that was flown.
    """
    results = flown.results
    limited = results[LIMITED_V1], results[LIMITED_V2]
    return Reproduction(
        'ekal',
        paper.title,
        (
            *comparison.load_pairs(paper, flown.loads),
            paper.pair('motion_without_levels', flown.without_levels),
            *comparison.result_pairs(paper, results),
        ),
        _pictures(folder, paper, results),
        (
            comparison.box_table(results),
            *comparison.harmonics_tables(*limited),
            comparison.saturation_table(paper, results[LIMITED_V1], results[FREE_V1]),
            *comparison.tracking_tables(flown.tracked),
            comparison.load_table(flown.loads),
        ),
    )


def _pictures(
    folder: Path, paper: Paper, results: Mapping[EkalCase, EkalResult]
) -> tuple[Path, ...]:
    """Write the pictures and return their paths."""
    from spacerobot_id.lab.papers.ekal import plot
    from spacerobot_id.lab.papers.plotting import save

    limited = results[LIMITED_V1], results[LIMITED_V2]
    two = {
        5: ((FREE_V1, FREE_V2), 'no saturation: criteria V1 and V2'),
        6: ((FREE_V1, LIMITED_V1), 'V1: without and with saturation'),
        8: ((SLOW_V1, SLOW_V2, LIMITED_V1), '60 s and 10 s'),
    }
    figures = {
        3: plot.one_choice(limited[0]),
        4: plot.all_choices(limited),
        7: plot.saturation(limited[0]),
        9: plot.absolute_errors(results[SLOW_V1], paper),
        **{number: plot.relative_errors(results, *what) for number, what in two.items()},
    }
    return tuple(save(figures[number], folder / f'figure_{number}.png') for number in range(3, 10))


@dataclass(frozen=True, eq=False)
class EkalStudy:
    """Everything that was flown.

    Parameters
    ----------
    loads : sequence of InertialParameters
        Bodies that flew.
    results : mapping of EkalCase to EkalResult
        Results of all cases.
    tracked : sequence of tuple of float
        How loads were tracked under both controls, of ``tracked_flight``; none without CasADi.
    without_levels : float
        Largest coordinate of a motion by V1 without its levels, m or rad.
    """

    loads: Sequence[InertialParameters]
    results: Mapping[EkalCase, EkalResult]
    tracked: Sequence[tuple[float, ...]]
    without_levels: float


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
    loads = draw_loads(published('ekal'), settings.loads, settings.seed)
    plans = dict.fromkeys((case.criterion, case.period) for case in cases)
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), context) as pool:
        planned = {
            plan: [
                pool.submit(plan_motion, *plan, number, settings)
                for number in range(settings.trajectories)
            ]
            for plan in plans
        }
        without_levels = pool.submit(size_without_levels, settings)
        motions = {plan: _results(several) for plan, several in planned.items()}
        first = motions[cases[0].criterion, 10.0][0]
        tracked = [
            pool.submit(tracked_flight, control, robot, load, first, LIMITED_V1, settings)
            for load in loads[: _TRACKED if has_predictive_control() else 0]
            for control in CONTROLS
        ]
        flights: dict[EkalCase, FreeFlyerFlight] = {}
        estimates: dict[EkalCase, list[Future[FlightEstimates]]] = {}
        for case in cases:
            chosen = motions[case.criterion, case.period]
            flight = fly_case(robot, loads, chosen, settings, limited=case.limited)
            flights[case], twin = flight, replace(case, limited=not case.limited)
            # They are the same where nothing is ever cut.
            if twin in flights and np.allclose(
                flight.wrenches, flights[twin].wrenches, rtol=0.0, atol=_ALIKE
            ):
                flights[case], estimates[case] = flights[twin], estimates[twin]
            else:
                records = (
                    measured_record(flight, number, robot, settings.seed + 1)
                    for number in range(len(flight.states))
                )
                estimates[case] = [
                    pool.submit(estimate_flight, record, case.period, robot) for record in records
                ]
        results = {
            case: collect(case, robot, loads, flights[case], _results(several))
            for case, several in estimates.items()
        }
        return EkalStudy(loads, results, _results(tracked), without_levels.result())


def _results(several: Sequence[Future[_T]]) -> list[_T]:
    """Return what was asked for, once it is there."""
    return [each.result() for each in several]

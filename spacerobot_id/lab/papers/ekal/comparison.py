"""What [Ekal 2019] prints and states about its study, beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
import importlib.util

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from scipy.stats import spearmanr, ttest_rel

from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair
from spacerobot_id.lab.papers.ekal import study
from spacerobot_id.lab.papers.ekal.estimation import (
    collect,
    EkalResult,
    estimate_flight,
    METHODS,
    QUANTITIES,
)
from spacerobot_id.lab.papers.ekal.study import EkalCase, EkalSettings, measured_record
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.methods.harmonic_least_squares import HARMONICS
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.simulation import (
    fly,
    FreeFlyerFlight,
    PredictiveControl,
    SaturatedTracking,
)

CONTROLS = ('saturated', 'predictive')
"""The plain control, and that of section 4.2."""

_CYCLES = 3
"""Cycles flown: predictive control takes its time."""


def has_predictive_control() -> bool:
    """Return whether CasADi is there."""
    return importlib.util.find_spec('casadi') is not None


def tracked_flight(
    control: str,
    robot: RobotModel,
    load: InertialParameters,
    motion: PeriodicFourierMotion,
    case: EkalCase,
    settings: EkalSettings,
) -> tuple[float, ...]:
    """Return how a control tracked a motion for a few cycles, within the thrusts.

    Parameters
    ----------
    control : str
        One of ``CONTROLS``.
    robot : RobotModel
        The robot without its load, as the control knows it.
    load : InertialParameters
        The body that flies.
    motion : PeriodicFourierMotion
        What it should do.
    case : EkalCase
        Where the motion is from.
    settings : EkalSettings
        Step and seed.

    Returns
    -------
    tuple of 9 floats
        Root mean square distance (m) and angle (rad) from the reference, share of the time in
        which a propeller was at its limit, %, and relative errors of mass, offset and inertia by
        least squares and by likelihood, %.
    """
    steps = round(_CYCLES * motion.period / settings.step)
    sampled = FreeFlyerReference(motion).sample(settings.step * np.arange(steps))
    names = PoseMotion.__dataclass_fields__
    reference = PoseMotion(*(getattr(sampled, name)[None] for name in names))
    alone, propellers = robot.links[0].inertial.vector, robot.actuators.propellers
    if control == 'predictive':
        chosen = PredictiveControl(alone, propellers, reference, settings.step)
    else:
        chosen = SaturatedTracking(alone, reference)
    flight = fly([load.vector], chosen, steps, settings.step, propellers)
    record = measured_record(flight, 0, robot, settings.seed + 2)
    estimates = estimate_flight(record, motion.period, robot)
    limited = replace(case, limited=True)
    errors = collect(limited, robot, [load], flight, [estimates]).relative
    of_methods = (errors[METHODS.index(name), 0] for name in ('least squares', 'likelihood'))
    saturated = 100.0 * flight.saturated_share[0]
    return (*_tracking_errors(flight, reference), saturated, *np.concatenate([*of_methods]))


def _tracking_errors(flight: FreeFlyerFlight, reference: PoseMotion) -> tuple[float, float]:
    """Return the root mean square distance (m) and angle (rad) of the first flight."""
    states = flight.states[0, :-1]
    away = np.linalg.norm(states[:, :3] - reference.position[0], axis=1)
    wanted = Rotation.from_matrix(reference.rotation[0])
    turned = (wanted.inv() * Rotation.from_quat(states[:, 3:7])).magnitude()
    return float(np.sqrt(np.mean(away**2))), float(np.sqrt(np.mean(turned**2)))


Results = Mapping[EkalCase, EkalResult]


def load_pairs(paper: Paper, loads: Sequence[InertialParameters]) -> list[Pair]:
    """Return the loads that were drawn beside the distribution that is printed."""
    tensors = np.array([load.inertia_about_com for load in loads])
    drawn = {
        'load_mass': [load.mass for load in loads],
        'load_offset': [load.com for load in loads],
        'load_diagonal': tensors[:, [0, 1, 2], [0, 1, 2]],
        'load_off_diagonal': tensors[:, [0, 1, 2], [1, 2, 0]],
    }
    return paper.pairs({name: [np.mean(values), np.std(values)] for name, values in drawn.items()})


def result_pairs(paper: Paper, results: Results) -> list[Pair]:
    """Return what the text states about criteria, saturation, period and harmonics, and ours."""
    return [
        *paper_method_pairs(paper, results),
        *_period_demands(paper, results),
        *_own_demands(paper, results),
    ]


def paper_method_pairs(paper: Paper, results: Results) -> list[Pair]:
    """Return what 6.3 to 6.5 state about the paper's method on the fast motions, and ours."""
    return [
        *_criteria_pairs(paper, results),
        *_saturation_pairs(paper, results[study.LIMITED_V1]),
        *_harmonics_pairs(paper, results[study.LIMITED_V1], results[study.LIMITED_V2]),
    ]


def _criteria_pairs(paper: Paper, results: Results) -> list[Pair]:
    """Return what 6.4 states about the two criteria, by paired t-tests (Figure 5)."""
    one, other = results[study.FREE_V1], results[study.FREE_V2]
    tests = {}
    for name in ('mass', 'offset'):
        column = QUANTITIES.index(name)
        first, second = one.absolute[0, :, column], other.absolute[0, :, column]
        test = ttest_rel(first, second, alternative='less')
        tests[f'{name}_test'] = [np.mean(first - second), test.statistic, test.pvalue]
    ratio = one.medians(METHODS[0])[2] / other.medians(METHODS[0])[2]
    return [*paper.pairs(tests), paper.demand('inertia_ratio', ratio)]


def _saturation_pairs(paper: Paper, result: EkalResult) -> list[Pair]:
    """Return what 6.5 states about saturation (Figures 6 and 7)."""
    of_mass, of_inertia = (
        100.0 * result.saturated[np.argmax(result.relative[0, :, QUANTITIES.index(name)])]
        for name in ('mass', 'inertia')
    )
    return [paper.pair('saturated', of_mass), paper.demand('saturated_inertia', of_inertia)]


def _period_demands(paper: Paper, results: Results) -> list[Pair]:
    """Return what 6.6 states about slower motions (Figure 8)."""
    fast, slow = results[study.LIMITED_V1], results[study.SLOW_V1]
    shares = slow.medians(METHODS[0]) / fast.medians(METHODS[0])
    both = (study.SLOW_V1, study.SLOW_V2), (study.SLOW_FREE_V1, study.SLOW_FREE_V2)
    highest = max(results[case].saturated.max() for case in both[0])
    asked = max(results[case].asked.max() for case in both[1])
    return [
        *(
            paper.demand('slower', share, name=name)
            for name, share in zip(QUANTITIES, shares, strict=True)
        ),
        paper.demand('slow_saturated', 100.0 * highest),
        paper.demand('slow_asked', asked),
    ]


def _harmonics_pairs(paper: Paper, *results: EkalResult) -> list[Pair]:
    """Return what section 6.3 states about one load, and of all of them.

    Parameters
    ----------
    paper : Paper
        What is printed.
    *results : EkalResult
        Flights, the first of which stand for those of Figure 3.
    """
    best = dict(zip(QUANTITIES, results[0].best_harmonics[SHOWN], strict=True))
    chosen, errors, far = choices(results)
    shown = {'chosen_harmonics': results[0].harmonics[SHOWN], 'best_harmonics': best}
    pairs = [*paper.pairs(shown), paper.demand('median_harmonics', np.median(chosen))]
    away = paper.count('far_choice')
    for column, name in enumerate(QUANTITIES):
        is_far = far[:, column] >= away
        if is_far.any() and not is_far.all():
            ratio = np.median(errors[is_far, column]) / np.median(errors[~is_far, column])
            names = {'flights': is_far.sum(), 'away': away, 'name': name}
            pairs.append(paper.demand('far_choices', ratio, **names))
    return pairs


def _own_demands(paper: Paper, results: Results) -> list[Pair]:
    """Return how our method does beside the paper's, on the same flights."""
    pairs = []
    fast = (study.FREE_V1, study.LIMITED_V1, study.FREE_V2, study.LIMITED_V2)
    for case in (*fast, study.SLOW_V1, study.SLOW_V2):
        result = results[case]
        ratios = result.medians('least squares') / result.medians('likelihood')
        pairs += [
            paper.demand('better', ratio, case=case.name, name=name)
            for name, ratio in zip(QUANTITIES, ratios, strict=True)
        ]
        if case in fast:
            scatter = np.sqrt(np.nanmean(result.deviations**2))
            pairs.append(paper.demand('honest', scatter, case=case.name))
    unfitted = sum(int(np.isnan(each.relative[2, :, 0]).sum()) for each in results.values())
    return [*pairs, paper.demand('unfitted', unfitted)]


SHOWN = 0
"""The flight that stands for the one of Figure 3: the first load on the first motion."""

_ELEMENTS = tuple(f'J_{axes} kg m^2' for axes in ('xx', 'yy', 'zz', 'xy', 'yz', 'zx'))


def box_table(results: Mapping[EkalCase, EkalResult]) -> ComparisonTable:
    """Return the numbers of all box plots."""
    rows = []
    for case, result in results.items():
        for method, errors in zip(METHODS, result.relative, strict=True):
            for name, column in zip(QUANTITIES, errors.T, strict=True):
                given = column[np.isfinite(column)]
                if len(given):
                    quartiles = np.percentile(given, (25, 50, 75, 100))
                    rows.append((case.name, method, name, len(given), *quartiles))
    return ComparisonTable(
        'Figures 5, 6 and 8: relative errors in %',
        ('case', 'method', 'of', 'flights', 'quartile', 'median', 'quartile', 'largest'),
        rows,
    )


def harmonics_tables(*results: EkalResult) -> tuple[ComparisonTable, ComparisonTable]:
    """Return Figure 3 and Figure 4 as tables.

    Parameters
    ----------
    *results : EkalResult
        Flights, the first of which stand for those of Figure 3.
    """
    one = results[0]
    errors, residuals = one.by_harmonics[SHOWN], one.residuals[SHOWN]
    chosen, all_errors, far = choices(results)
    single = [
        (str(number), residual, *row)
        for number, residual, row in zip(HARMONICS, residuals, errors, strict=True)
    ]
    rows = []
    for number in HARMONICS:
        here = chosen == number
        if here.any():
            middle = (*np.median(all_errors[here], axis=0), *np.median(far[here], axis=0))
            rows.append((str(number), here.sum(), *middle))
    return (
        ComparisonTable(
            'Figure 3: one load, residual and relative errors by the number of harmonics kept',
            ('harmonics', 'residual', *(f'{name} %' for name in QUANTITIES)),
            single,
        ),
        ComparisonTable(
            'Figure 4: all loads and motions by the number of harmonics chosen: median errors, '
            'and medians of its distance from the best',
            (
                'n_filt',
                'flights',
                *(f'{name} %' for name in QUANTITIES),
                *(f'from best for {name}' for name in QUANTITIES),
            ),
            rows,
        ),
    )


def choices(
    results: tuple[EkalResult, ...],
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Return numbers chosen, errors (%) and distances from the best of all flights."""
    chosen = np.concatenate([each.harmonics for each in results])
    errors = np.concatenate([each.relative[0] for each in results])
    best = np.concatenate([each.best_harmonics for each in results])
    return chosen, errors, np.abs(chosen[:, None] - best)


def saturation_table(paper: Paper, limited: EkalResult, free: EkalResult) -> ComparisonTable:
    """Return section 6.5 (Figures 6 and 7): what saturation does to the paper's method."""
    share, most = 100.0 * limited.saturated, paper.number('saturated')
    much, rows = share > most, []
    for column, name in enumerate(QUANTITIES):
        errors, without = limited.relative[0, :, column], free.relative[0, :, column]
        ratio = None
        if much.any() and not much.all():
            ratio = np.median(errors[much]) / np.median(errors[~much])
        rank = spearmanr(share, errors - without).statistic
        rows.append((name, share[np.argmax(errors)], rank, ratio))
    return ComparisonTable(
        f'Section 6.5: {int(much.sum())} of {len(share)} flights are at a limit for more than '
        f'{most} % of the time, the least {share.min():.4g} %, the most {share.max():.4g} %',
        (
            'error',
            'saturation of the largest, %',
            'rank correlation of saturation with what it adds',
            'median above over below',
        ),
        rows,
        paper.reasons['leakage'],
    )


def tracking_tables(tracked: Sequence[tuple[float, ...]]) -> tuple[ComparisonTable, ...]:
    """Return how both controls did on the same motion with the same loads."""
    rows = [
        (f'load {1 + number // len(CONTROLS)}, {CONTROLS[number % len(CONTROLS)]}', *flight)
        for number, flight in enumerate(tracked)
    ]
    heads = ('flight', 'RMS m', 'RMS rad', 'at limit %')
    errors = tuple(f'{who} {name} %' for who in ('paper', 'our') for name in QUANTITIES)
    table = ComparisonTable('Plain and predictive control, 3 cycles', (*heads, *errors), rows)
    return (table,) if rows else ()


def load_table(loads: Sequence[InertialParameters]) -> ComparisonTable:
    """Return the loads that were drawn; the paper does not print its own."""
    rows = []
    for number, load in enumerate(loads, 1):
        inertia = load.inertia_about_com
        elements = (*np.diag(inertia), inertia[0, 1], inertia[1, 2], inertia[0, 2])
        rows.append((str(number), load.mass, *load.com, *elements))
    return ComparisonTable(
        'The loads of ours, robot and object as one body, inertia about its centre of mass; '
        'the paper does not print its own',
        ('load', 'mass kg', *(f'offset {axis} m' for axis in 'xyz'), *_ELEMENTS),
        rows,
    )

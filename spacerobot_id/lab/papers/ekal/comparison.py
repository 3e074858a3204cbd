"""What [Ekal 2019] prints and states about its study, beside ours."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import ttest_rel

from spacerobot_id.lab.papers.comparison import equal, factor, near, Pair, Tolerance, within
from spacerobot_id.lab.papers.ekal import study
from spacerobot_id.lab.papers.ekal.estimation import EkalResult, FIRST_CYCLE, METHODS, QUANTITIES
from spacerobot_id.lab.papers.ekal.study import EkalCase, EkalSettings
from spacerobot_id.lab.papers.ekal.tables import choices, SHOWN
from spacerobot_id.lab.papers.published import demand, Paper
from spacerobot_id.methods.harmonic_least_squares import HARMONICS
from spacerobot_id.model import InertialParameters, RobotModel

_GIVEN = equal('It is given: the run takes it as it is printed.')
_DRAWN = (
    'The paper prints the distribution, ours is what ten draws came to; most draws of the '
    'inertia belong to no body and are drawn anew, which keeps large products of inertia out.'
)
_MORE = 'The paper flies two slow motions; here as many as of the fast ones.'
_SIZE = (
    'The condition number hardly depends on the size of a motion, so a search ends near the size '
    'that it starts from: the paper starts from small motions, here they are as large as the '
    'limits.'
)
_SIGNS = (
    'The paper prints neither the limits of its motions nor thrusts, sampling rate and weights of '
    'the control: those are chosen here, so sizes differ, and signs are what is compared.'
)
_SCATTER = (
    'The difference has its sign in the paper, and is small beside what noise and loads make of '
    'it: on these flights it need not be significant.'
)
_V2_BETTER = 'It refuses smaller errors with V2.'
_ONE_LOAD = (
    'The paper shows one load of ten and does not say which; here the first load on the first '
    'motion of V1, with saturation.'
)
_PERIODIC = 'Outliers are to be where saturation is largest.'


def given_pairs(
    paper: Paper, robot: RobotModel, settings: EkalSettings, loads: Sequence[InertialParameters]
) -> list[Pair]:
    """Return robot, motions, noise and loads, the paper's beside ours."""
    alone = robot.links[0].inertial
    ours = {
        'mass': alone.mass,
        'motors': robot.actuators.propellers.matrix.shape[1],
        'position_noise': robot.noise.base_position,
        'attitude_noise': robot.noise.base_attitude,
        'period': study.FREE_V1.period,
        'slow_period': study.SLOW_V1.period,
        'harmonics': study.HARMONICS,
        'most_harmonics': max(HARMONICS),
        'cycles': settings.cycles,
        'first_cycle': FIRST_CYCLE,
        'motions': settings.trajectories,
        'loads': settings.loads,
    }
    more = within(2, 5, _MORE, 'It refuses fewer than the paper flies.')
    return [
        *(paper.pair(key, value, _GIVEN) for key, value in ours.items()),
        *paper.pairs('inertia', np.diag(alone.inertia_about_com), _GIVEN),
        paper.pair('slow_motions', settings.trajectories, more),
        *_load_pairs(paper, loads),
    ]


def _load_pairs(paper: Paper, loads: Sequence[InertialParameters]) -> list[Pair]:
    """Return mean and standard deviation of the loads."""
    inertia = np.array([load.inertia_about_com for load in loads])
    drawn = {
        'load_mass': np.array([load.mass for load in loads]),
        'load_offset': np.array([load.com for load in loads]),
        'load_diagonal': inertia[:, [0, 1, 2], [0, 1, 2]],
        'load_off_diagonal': inertia[:, [0, 1, 2], [1, 2, 0]],
    }
    spread = factor(1.6, _DRAWN, 'It refuses loads that are all alike.')
    rules = {
        'load_mass': (near(0.47, _DRAWN), spread),
        'load_offset': (near(0.03, _DRAWN), spread),
        'load_diagonal': (near(0.015, _DRAWN), spread),
        'load_off_diagonal': (
            within(-0.02, 0.03, _DRAWN, 'It refuses products as large as the moments.'),
            within(0.01, 0.035, _DRAWN, 'It refuses draws that may belong to no body.'),
        ),
    }
    return [
        paper.pair(f'{name}.{place}', value, rules[name][place])
        for name, values in drawn.items()
        for place, value in enumerate((np.mean(values), np.std(values)))
    ]


def size_pair(paper: Paper, size: float) -> Pair:
    """Return how large a motion is that the levels have no part in (section 4.1)."""
    small = within(0.1, 1.0, _SIZE, 'It refuses a search that makes motions small.')
    return paper.pair('motion_without_levels', size, small)


def result_pairs(paper: Paper, results: Mapping[EkalCase, EkalResult]) -> list[Pair]:
    """Return what the text states about criteria, saturation, period and harmonics, and ours."""
    return [
        *_criteria_pairs(paper, results),
        *_saturation_pairs(paper, results[study.LIMITED_V1]),
        *_period_demands(results),
        *_harmonics_pairs(paper, results[study.LIMITED_V1], results[study.LIMITED_V2]),
        *_own_demands(results),
    ]


def _criteria_pairs(paper: Paper, results: Mapping[EkalCase, EkalResult]) -> list[Pair]:
    """Return what 6.4 states about the two criteria, by paired t-tests (Figure 5)."""
    one, other = results[study.FREE_V1], results[study.FREE_V2]
    rules = {
        'mass': (
            within(-0.2, 0.0, _SIGNS, _V2_BETTER),
            within(-20.0, -1.68, _SIGNS, 'It refuses a difference that is not significant.'),
            within(0.0, 0.05, _SIGNS, 'It refuses a difference that is not significant.'),
        ),
        'offset': (
            within(-0.01, 0.0, _SIGNS, _V2_BETTER),
            within(-10.0, 0.0, _SCATTER, _V2_BETTER),
            within(0.0, 0.5, _SCATTER, _V2_BETTER),
        ),
    }
    pairs = []
    for name, rules_of in rules.items():
        column = QUANTITIES.index(name)
        first, second = one.absolute[0, :, column], other.absolute[0, :, column]
        test = ttest_rel(first, second, alternative='less')
        ours = np.mean(first - second), test.statistic, test.pvalue
        pairs += [
            paper.pair(f'{name}_test.{place}', value, rule)
            for place, (value, rule) in enumerate(zip(ours, rules_of, strict=True))
        ]
    ratio = one.medians(METHODS[0])[2] / other.medians(METHODS[0])[2]
    lower = Tolerance(1.0, np.inf, 'The paper says that V2 has the lower median.')
    text = 'inertia errors: median with V1 over that with V2'
    return [*pairs, demand(text, ratio, lower, 'Section 6.4')]


def _saturation_pairs(paper: Paper, result: EkalResult) -> list[Pair]:
    """Return what 6.5 states about saturation (Figures 6 and 7)."""
    share, most = 100.0 * result.saturated, paper.number('saturated')
    of_mass, of_inertia = (
        share[np.argmax(result.relative[0, :, QUANTITIES.index(name)])]
        for name in ('mass', 'inertia')
    )
    return [
        paper.pair(
            'saturated',
            of_mass,
            within(most, 100.0, _PERIODIC, 'It refuses an outlier of a flight below.'),
        ),
        demand(
            'share of the time at a limit of the flight with the largest inertia error',
            of_inertia,
            Tolerance(most, 100.0, _PERIODIC),
            'Section 6.5',
            '%',
        ),
    ]


def _period_demands(results: Mapping[EkalCase, EkalResult]) -> list[Pair]:
    """Return what 6.6 states about slower motions (Figure 8)."""
    fast, slow = results[study.LIMITED_V1], results[study.SLOW_V1]
    shares = slow.medians(METHODS[0]) / fast.medians(METHODS[0])
    both = (study.SLOW_V1, study.SLOW_V2), (study.SLOW_FREE_V1, study.SLOW_FREE_V2)
    highest = max(results[case].saturated.max() for case in both[0])
    asked = max(results[case].asked.max() for case in both[1])
    smaller = Tolerance(0.0, 1.0, 'The paper finds smaller errors with the slow motions.')
    never = Tolerance(0.0, 0.0, 'The paper finds no saturation with the slow motions.')
    alike = Tolerance(0.0, 1.0, 'Below 1 the flights with and without limits are the same.')
    text, where = 'median error at 60 s over that at 10 s, least squares', 'Section 6.6'
    return [
        *(
            demand(f'{name}: {text}', share, smaller, where)
            for name, share in zip(QUANTITIES, shares, strict=True)
        ),
        demand('60 s: largest share of the time at a limit', 100.0 * highest, never, where, '%'),
        demand(
            '60 s, flown without limits: largest thrust asked for, as a share of the limit',
            asked,
            alike,
            where,
        ),
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
    first, last = min(HARMONICS), max(HARMONICS)
    inside = within(
        first, last - 1, _ONE_LOAD, 'It refuses the largest number tried, which fits the noise.'
    )
    best = dict(zip(QUANTITIES, results[0].best_harmonics[SHOWN], strict=True))
    chosen, errors, far = choices(results)
    middle = Tolerance(
        first, last - 1, 'The residual is to choose inside the range that is tried.'
    )
    pairs = [
        paper.pair('chosen_harmonics', results[0].harmonics[SHOWN], inside),
        *paper.pairs('best_harmonics', best, inside),
        demand(
            'all loads and motions: median of n_filt', np.median(chosen), middle, 'Section 6.3'
        ),
    ]
    away = paper.count('far_choice')
    alike = Tolerance(0.0, 2.0, 'The paper sees no larger errors where the choice is far off.')
    for column, name in enumerate(QUANTITIES):
        is_far = far[:, column] >= away
        if is_far.any() and not is_far.all():
            ratio = np.median(errors[is_far, column]) / np.median(errors[~is_far, column])
            text = (
                f'{is_far.sum()} flights whose n_filt is {away} or more from the best for {name}: '
                'their median error over that of the others'
            )
            pairs.append(demand(text, ratio, alike, 'Section 6.3'))
    return pairs


def _own_demands(results: Mapping[EkalCase, EkalResult]) -> list[Pair]:
    """Return how our method does beside the paper's, on the same flights."""
    better = Tolerance(3.0, np.inf, 'The likelihood has no noise in a regressor.')
    honest = Tolerance(0.8, 1.25, 'Standard deviations are to be those of the errors.')
    pairs, where = [], "Beyond the paper: maximum likelihood beside the paper's method"
    fast = (study.FREE_V1, study.LIMITED_V1, study.FREE_V2, study.LIMITED_V2)
    for case in (*fast, study.SLOW_V1, study.SLOW_V2):
        result = results[case]
        ratios = result.medians('least squares') / result.medians('likelihood')
        pairs += [
            demand(f'{case.name}: {name}, median of the paper over ours', ratio, better, where)
            for name, ratio in zip(QUANTITIES, ratios.tolist(), strict=True)
        ]
        if case in fast:
            scatter = float(np.sqrt(np.nanmean(result.deviations**2)))
            text = f'{case.name}: RMS of our errors in standard deviations'
            pairs.append(demand(text, scatter, honest, where))
    unfitted = sum(int(np.isnan(each.relative[2, :, 0]).sum()) for each in results.values())
    none = Tolerance(0, 0, 'Every flight is to be fitted.')
    return [*pairs, demand('flights that ours could not be fitted to', unfitted, none, where)]

"""What papers/003 says of its study, held against ours: claims and tables."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import spearmanr, ttest_rel

from spacerobot_id.evaluation.ekal_cases import (
    FREE_V1,
    FREE_V2,
    LIMITED_V1,
    LIMITED_V2,
    SLOW_FREE_V1,
    SLOW_FREE_V2,
    SLOW_V1,
    SLOW_V2,
)
from spacerobot_id.evaluation.ekal_estimation import EkalResult, METHODS, QUANTITIES
from spacerobot_id.evaluation.ekal_published import published_ekal, PublishedEkal
from spacerobot_id.evaluation.ekal_study import EkalCase
from spacerobot_id.evaluation.ekal_tracking import CONTROLS, TrackedFlight
from spacerobot_id.evaluation.reproduction import Claim, ComparisonTable

_LIMITS_NOTE = (
    'The paper prints neither the limits of its motions nor thrusts, sampling rate and weights of '
    'the control: those are chosen here, so sizes differ, and signs are what is compared.'
)
_SCATTER_NOTE = (
    'The difference has its sign in the paper, and is small beside what noise and loads make of '
    'it: on these flights it is not significant.'
)
_SIGNIFICANT = 0.05
"""Probability below which a difference counts."""

_PERIODIC_NOTE = (
    'Here every cycle after the first is the same, so the leakage the paper saw without '
    "saturation is absent, and saturation costs the paper's method less than it did there."
)


def claims_of(results: Mapping[EkalCase, EkalResult]) -> tuple[Claim, ...]:
    """Return what the text says, and what ours should be, as numbers with limits."""
    published = published_ekal()
    return (
        *_criteria_claims(published, results),
        *_saturation_claims(published, results),
        *_period_claims(results),
        *_own_claims(results),
    )


def _criteria_claims(
    published: PublishedEkal, results: Mapping[EkalCase, EkalResult]
) -> list[Claim]:
    """Return what 6.4 says of the two criteria, by paired t-tests (Figure 5)."""
    one, other = results[FREE_V1], results[FREE_V2]
    claims = []
    for name, unit, stated in (
        ('mass', 'kg', published.mass_test),
        ('offset', 'm', published.offset_test),
    ):
        column = QUANTITIES.index(name)
        first, second = one.absolute[0, :, column], other.absolute[0, :, column]
        test = ttest_rel(first, second, alternative='less')
        label = f'V1 against V2, {name} errors'
        claims += [
            Claim(
                f'{label}: mean of the differences',
                float(np.mean(first - second)),
                unit,
                at_most=0.0,
                published=stated.difference,
                note=_LIMITS_NOTE,
            ),
            Claim(
                f'{label}: t of the paired test',
                float(test.statistic),
                published=stated.t,
                note=_LIMITS_NOTE,
            ),
            Claim(
                f'{label}: p, one-sided',
                float(test.pvalue),
                published=stated.p,
                note=_LIMITS_NOTE if test.pvalue < _SIGNIFICANT else _SCATTER_NOTE,
            ),
        ]
    ratio = one.medians(METHODS[0])[2] / other.medians(METHODS[0])[2]
    text = 'inertia errors: median with V1 over that with V2 (V2 lower in the paper)'
    return [*claims, Claim(text, float(ratio), at_least=1.0)]


def _saturation_claims(
    published: PublishedEkal, results: Mapping[EkalCase, EkalResult]
) -> list[Claim]:
    """Return what 6.5 says of saturation (Figures 6 and 7)."""
    result, free = results[LIMITED_V1], results[FREE_V1]
    share, most = 100.0 * result.saturated, published.saturated
    much = share > most
    claims = [
        Claim('saturation: least share of the time at a limit', float(share.min()), '%'),
        Claim('saturation: largest share of the time at a limit', float(share.max()), '%'),
        Claim(f'flights with more than {most} %', float(much.sum())),
    ]
    for column, name in enumerate(QUANTITIES):
        errors, without = result.relative[0, :, column], free.relative[0, :, column]
        grown = errors - without
        claims.append(
            Claim(
                f'{name}: saturation of the flight with the largest error (paper: above)',
                float(share[np.argmax(errors)]),
                '%',
                published=most,
                note=_PERIODIC_NOTE if share[np.argmax(errors)] < most else '',
            )
        )
        rank = spearmanr(share, grown).statistic
        claims.append(
            Claim(
                f'{name}: rank correlation of saturation with what it adds to the error',
                float(rank),
                note=_PERIODIC_NOTE,
            )
        )
        if much.any() and not much.all():
            claims.append(
                Claim(
                    f'{name}: median error above {most} % over that below',
                    float(np.median(errors[much]) / np.median(errors[~much])),
                )
            )
    return claims


def _period_claims(results: Mapping[EkalCase, EkalResult]) -> list[Claim]:
    """Return what 6.6 says of slower motions (Figure 8)."""
    fast, slow = results[LIMITED_V1], results[SLOW_V1]
    shares = slow.medians(METHODS[0]) / fast.medians(METHODS[0])
    highest = max(results[case].saturated.max() for case in (SLOW_V1, SLOW_V2))
    asked = max(results[case].asked.max() for case in (SLOW_FREE_V1, SLOW_FREE_V2))
    return [
        *(
            Claim(
                f'{name}: median error at 60 s over that at 10 s, least squares',
                float(share),
                at_most=1.0,
            )
            for name, share in zip(QUANTITIES, shares, strict=True)
        ),
        Claim('60 s: largest share of the time at a limit', float(100.0 * highest), '%'),
        Claim(
            '60 s, flown without limits: largest thrust asked for, as a share of the limit '
            '(below 1: the flights with limits are the same)',
            float(asked),
        ),
    ]


def _own_claims(results: Mapping[EkalCase, EkalResult]) -> list[Claim]:
    """Return how our method does beside the paper's, on the same flights."""
    claims = []
    for case in (FREE_V1, LIMITED_V1, FREE_V2, LIMITED_V2):
        result = results[case]
        ratios = result.medians('least squares') / result.medians('likelihood')
        claims += [
            Claim(
                f'{_name(case)}: {name}, median of the paper over ours', float(ratio), at_least=3
            )
            for name, ratio in zip(QUANTITIES, ratios.tolist(), strict=True)
        ]
        scatter = float(np.sqrt(np.nanmean(result.deviations**2)))
        text = f'{_name(case)}: errors of ours in its standard deviations, root mean square'
        claims.append(Claim(text, scatter, at_least=0.8, at_most=1.25))
    for case in (SLOW_V1, SLOW_V2):
        ratios = results[case].medians('least squares') / results[case].medians('likelihood')
        claims += [
            Claim(f'{_name(case)}: {name}, median of the paper over ours', float(ratio))
            for name, ratio in zip(QUANTITIES, ratios, strict=True)
        ]
    unfitted = sum(int(np.isnan(each.relative[2, :, 0]).sum()) for each in results.values())
    return [*claims, Claim('flights that ours could not be fitted to', unfitted, at_most=0.0)]


def tracking_tables(tracked: Sequence[TrackedFlight]) -> tuple[ComparisonTable, ...]:
    """Return how both controls did on the same motion with the same loads."""
    rows = tuple(
        (
            f'load {1 + number // len(CONTROLS)}, {flight.control}',
            flight.away,
            flight.turned,
            100.0 * flight.saturated,
            *flight.published.tolist(),
            *flight.ours.tolist(),
        )
        for number, flight in enumerate(tracked)
    )
    heads = ('flight', 'RMS m', 'RMS rad', 'at limit %')
    errors = tuple(f'{who} {name} %' for who in ('paper', 'our') for name in QUANTITIES)
    table = ComparisonTable('Plain and predictive control, 3 cycles', (*heads, *errors), rows)
    return (table,) if rows else ()


def box_table(results: Mapping[EkalCase, EkalResult]) -> ComparisonTable:
    """Return the numbers of all box plots."""
    rows = []
    for case, result in results.items():
        for method, errors in zip(METHODS, result.relative, strict=True):
            for name, column in zip(QUANTITIES, errors.T, strict=True):
                given = column[np.isfinite(column)]
                if len(given):
                    quartiles = np.percentile(given, (25, 50, 75, 100))
                    rows.append((_name(case), method, name, float(len(given)), *quartiles))
    return ComparisonTable(
        'Figures 5, 6 and 8: relative errors in %',
        ('case', 'method', 'of', 'flights', 'quartile', 'median', 'quartile', 'largest'),
        tuple(tuple(_plain(cell) for cell in row) for row in rows),
    )


def _plain(cell: str | float) -> str | float:
    return cell if isinstance(cell, str) else float(cell)


def _name(case: EkalCase) -> str:
    """Return a case in words."""
    limits = 'saturation' if case.limited else 'no saturation'
    return f'{case.criterion.value}, {case.period:g} s, {limits}'

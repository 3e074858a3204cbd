"""Tables of the study of [Ekal 2019]: errors, harmonics, saturation, controls, loads."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from spacerobot_id.lab.papers.comparison import ComparisonTable
from spacerobot_id.lab.papers.ekal.estimation import EkalResult, METHODS, QUANTITIES
from spacerobot_id.lab.papers.ekal.study import EkalCase
from spacerobot_id.lab.papers.ekal.tracking import CONTROLS, TrackedFlight
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.methods.harmonic_least_squares import HARMONICS
from spacerobot_id.model import InertialParameters

SHOWN = 0
"""The flight that stands for the one of Figure 3: the first load on the first motion."""

_ELEMENTS = tuple(f'J_{axes} kg m^2' for axes in ('xx', 'yy', 'zz', 'xy', 'yz', 'zx'))

_PERIODIC_NOTE = (
    'Here every cycle after the first is the same, so the leakage the paper saw without '
    "saturation is absent, and saturation costs the paper's method less than it did there."
)


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
        _PERIODIC_NOTE,
    )


def tracking_tables(tracked: Sequence[TrackedFlight]) -> tuple[ComparisonTable, ...]:
    """Return how both controls did on the same motion with the same loads."""
    rows = tuple(
        (
            f'load {1 + number // len(CONTROLS)}, {flight.control}',
            flight.away,
            flight.turned,
            100.0 * flight.saturated,
            *flight.published,
            *flight.ours,
        )
        for number, flight in enumerate(tracked)
    )
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

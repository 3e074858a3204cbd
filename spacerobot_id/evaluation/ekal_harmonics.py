"""The choice of the number of harmonics, papers/003 section 6.3: Figures 3 and 4 as numbers."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation import HARMONICS
from spacerobot_id.evaluation.ekal_estimation import EkalResult, QUANTITIES
from spacerobot_id.evaluation.ekal_published import PublishedEkal
from spacerobot_id.evaluation.reproduction import Claim, ComparisonTable

_SHOWN = 0
"""The flight that stands for the one of Figure 3: the first load on the first motion."""

_ONE_NOTE = (
    'The paper shows one load of ten and does not say which; here the first load on the first '
    'motion of V1, with saturation.'
)


def best_harmonics(result: EkalResult) -> NDArray[np.intp]:
    """Return the numbers of harmonics of the least errors, ``n_min``, shape (F, 3)."""
    return np.array(HARMONICS)[np.argmin(result.by_harmonics, axis=1)]


def harmonics_claims(published: PublishedEkal, *results: EkalResult) -> list[Claim]:
    """Return what section 6.3 says of one load, and of all of them.

    Parameters
    ----------
    published : PublishedEkal
        What is printed.
    *results : EkalResult
        Flights, the first of which stand for those of Figure 3.
    """
    best = best_harmonics(results[0])[_SHOWN]
    claims = [
        Claim(
            'one load: harmonics chosen, n_filt',
            float(results[0].harmonics[_SHOWN]),
            published=published.chosen_harmonics,
            note=_ONE_NOTE,
        ),
        *(
            Claim(
                f'one load: harmonics of the least {name} error',
                float(number),
                published=published.best_harmonics[name],
                note=_ONE_NOTE,
            )
            for name, number in zip(QUANTITIES, best, strict=True)
        ),
    ]
    chosen, errors, far = _all(results)
    claims.append(Claim('all loads and motions: median of n_filt', float(np.median(chosen))))
    for column, name in enumerate(QUANTITIES):
        is_far = far[:, column] >= published.far_choice
        text = f'flights whose n_filt is {published.far_choice} or more from the best for {name}'
        claims.append(Claim(text, float(is_far.sum())))
        if is_far.any() and not is_far.all():
            ratio = np.median(errors[is_far, column]) / np.median(errors[~is_far, column])
            text = f'their median {name} error over that of the others (paper: not higher)'
            claims.append(Claim(text, float(ratio)))
    return claims


def harmonics_tables(*results: EkalResult) -> tuple[ComparisonTable, ComparisonTable]:
    """Return Figure 3 and Figure 4 as tables.

    Parameters
    ----------
    *results : EkalResult
        Flights, the first of which stand for those of Figure 3.
    """
    one = results[0]
    errors, residuals = one.by_harmonics[_SHOWN], one.residuals[_SHOWN]
    chosen, all_errors, far = _all(results)
    single = tuple(
        (f'{number}', float(residual), *map(float, row))
        for number, residual, row in zip(HARMONICS, residuals, errors, strict=True)
    )
    rows = []
    for number in HARMONICS:
        here = chosen == number
        if here.any():
            middle = (*np.median(all_errors[here], axis=0), *np.median(far[here], axis=0))
            rows.append((f'{number}', float(here.sum()), *map(float, middle)))
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
            tuple(rows),
        ),
    )


def _all(
    results: tuple[EkalResult, ...],
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Return numbers chosen, errors (%) and distances from the best of all flights."""
    chosen = np.concatenate([each.harmonics for each in results])
    errors = np.concatenate([each.relative[0] for each in results])
    best = np.concatenate([best_harmonics(each) for each in results])
    return chosen, errors, np.abs(chosen[:, None] - best)

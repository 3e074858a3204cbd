"""What papers/004 prints, line by line, beside what was computed."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.christidi_estimation import Estimates
from spacerobot_id.evaluation.christidi_plan import ConditionNumbers
from spacerobot_id.evaluation.christidi_published import PublishedChristidi
from spacerobot_id.evaluation.reproduction import Claim, ComparisonTable
from spacerobot_id.regressor import Identifiability

PAPER_MOMENTUM = 'angular momentum, 20 samples, least squares'
PAPER_EQUATIONS = 'equations of motion, 20 samples, differences'
FITTED_EQUATIONS = 'equations of motion, 20 samples, Fourier fit'
EVERY_MOMENTUM = 'angular momentum, every sample, least squares'
EVERY_EQUATIONS = 'equations of motion, every sample, Fourier fit'
OURS = 'ours, every sample'
OURS_TORQUES = 'ours, every sample, torques too'
OURS_PLANNED = 'ours, every sample, our own motion'
"""Names of the cases."""

_SIGN = 'Table III prints this value without the sign that Eq. B9 gives it.'
_NO_NOISE = (
    'Ours takes the true rates and accelerations and is exact to rounding; the paper does not say '
    'where the rest of its errors comes from.'
)
_CONDITION = (
    'No robot of Table I gives the number of the paper along Table II, neither with the r_0 that '
    'is printed nor with the one that Table III needs; a search from Table II within the same '
    'limits comes near it, so the coefficients may have been found for another regressor.'
)
_RATES = (
    'The paper does not say at which rate it samples nor how angles become rates; here parabolas '
    'through 11 angles at 100 Hz, and central differences of the rates for accelerations.'
)
_SEED = 'The paper shows one draw of the noise; ours is the median of the seeds.'


def true_value_claims(published: PublishedChristidi, ours: NDArray[np.float64]) -> list[Claim]:
    """Return pi_1 to pi_19 from the description, within the last digit that is printed."""
    claims = []
    for number, (text, value) in enumerate(zip(published.true_values, ours, strict=True), 1):
        printed, digit = float(text), 10.0 ** -len(text.partition('.')[2])
        has_sign = printed * value > 0.0
        meant = printed if has_sign else -printed
        claims.append(
            Claim(
                f'pi_{number}, true value',
                value,
                'kg m^2',
                at_least=meant - digit,
                at_most=meant + digit,
                published=printed,
                note='' if has_sign else _SIGN,
            )
        )
    return claims


def noise_free_claims(
    published: PublishedChristidi, errors: Mapping[str, NDArray[np.float64]]
) -> list[Claim]:
    """Return the largest errors without noise, %."""
    printed = published.without_noise
    return [
        Claim(
            f'without noise, {name}: largest error',
            float(np.abs(errors[name]).max()),
            '%',
            at_most=0.1,
            published=float(np.abs(stated).max()),
            note=_NO_NOISE,
        )
        for name, stated in (
            ('equations of motion', printed.equations_of_motion),
            ('angular momentum', printed.angular_momentum),
        )
    ]


def condition_claims(
    published: PublishedChristidi,
    along: ConditionNumbers,
    as_printed: ConditionNumbers,
    improved: ConditionNumbers,
) -> list[Claim]:
    """Return the condition numbers along Table II and after a search from there."""
    return [
        *(
            Claim(text, each.equations_of_motion, published=stated, note=_CONDITION)
            for text, each, stated in (
                (
                    'condition number, equations of motion, Table II',
                    along,
                    published.condition_number,
                ),
                ('the same with r_0 as Table I prints it', as_printed, None),
                ('the same after a search from Table II', improved, None),
            )
        ),
        Claim('condition number, angular momentum, Table II', along.angular_momentum),
    ]


def noise_claims(
    published: PublishedChristidi, cases: Mapping[str, Estimates], seeds: int
) -> list[Claim]:
    """Return Table III with noise and what the text says of it."""
    stated = published.with_noise
    momentum, equations = cases[PAPER_MOMENTUM].errors, cases[PAPER_EQUATIONS].errors
    ratio, printed_ratio = equations / momentum, stated.times_smaller
    limits = published.equations_of_motion_errors
    return [
        Claim('seeds of the noise', seeds, at_least=1, published=1, note=_SEED),
        Claim(
            f'{PAPER_MOMENTUM}: largest error',
            momentum.max(),
            '%',
            at_most=1.5,
            published=float(np.abs(stated.angular_momentum).max()),
            note=_RATES,
        ),
        *(
            Claim(f'{PAPER_EQUATIONS}: {word} error', value, '%', published=printed, note=_RATES)
            for word, value, printed in (
                ('least', equations.min(), limits[0]),
                ('largest', equations.max(), limits[1]),
            )
        ),
        *(
            Claim(
                f'times smaller by angular momentum, {word}', value, published=printed, note=_RATES
            )
            for word, value, printed in (
                ('least', ratio.min(), published.times_smaller[0]),
                ('median', np.median(ratio), float(np.median(printed_ratio))),
                ('most', ratio.max(), published.times_smaller[1]),
            )
        ),
    ]


def beyond_claims(cases: Mapping[str, Estimates]) -> list[Claim]:
    """Return what goes beyond the paper."""
    claims = [
        Claim(f'{name}: largest error', cases[name].errors.max(), '%', at_most=limit)
        for name, limit in (
            (FITTED_EQUATIONS, np.inf),
            (EVERY_EQUATIONS, np.inf),
            (EVERY_MOMENTUM, np.inf),
            (OURS, 0.1),
            (OURS_TORQUES, 0.1),
            (OURS_PLANNED, 0.1),
        )
    ]
    return [
        *claims,
        *(
            Claim(f'{name}: true values in 95 % intervals', cases[name].coverage, '%', 80.0)
            for name in (OURS, OURS_PLANNED)
        ),
    ]


def table_three(
    published: PublishedChristidi,
    names: Sequence[str],
    true: NDArray[np.float64],
    noise_free: Mapping[str, NDArray[np.float64]],
    cases: Mapping[str, Estimates],
) -> ComparisonTable:
    """Return Table III, every column beside ours."""
    columns = [
        [f'pi_{number}' for number in range(1, len(names) + 1)],
        names,
        [float(text) for text in published.true_values],
        true,
        published.without_noise.equations_of_motion,
        noise_free['equations of motion'],
        published.without_noise.angular_momentum,
        noise_free['angular momentum'],
        published.with_noise.equations_of_motion,
        cases[PAPER_EQUATIONS].errors,
        published.with_noise.angular_momentum,
        cases[PAPER_MOMENTUM].errors,
        published.with_noise.times_smaller,
        cases[PAPER_EQUATIONS].errors / cases[PAPER_MOMENTUM].errors,
    ]
    heads = ['parameter', 'ours', 'true, paper', 'true, ours']
    for kind in ('no noise', 'noise'):
        for method in ('DE', 'AMC'):
            heads += [f'{kind}, {method}, paper', 'ours']
    heads += ['ratio, paper', 'ours']
    rows = zip(*(_plain(column) for column in columns), strict=True)
    return ComparisonTable(
        'Table III: errors in %; DE equations of motion, AMC angular momentum; with noise ours is '
        'the median magnitude',
        tuple(heads),
        tuple(rows),
        _RATES,
    )


def beyond_table(names: Sequence[str], cases: Mapping[str, Estimates]) -> ComparisonTable:
    """Return the errors of every case, %."""
    columns = [[f'pi_{number}' for number in range(1, len(names) + 1)]]
    columns += [_plain(each.errors) for each in cases.values()]
    worst = ['largest', *(float(each.errors.max()) for each in cases.values())]
    legend = '; '.join(f'{number}: {name}' for number, name in enumerate(cases, 1))
    return ComparisonTable(
        f'Median errors in %. {legend}',
        ('parameter', *(str(number) for number in range(1, len(cases) + 1))),
        (*zip(*columns, strict=True), tuple(worst)),
    )


def sight_table(rows: Sequence[Identifiability]) -> ComparisonTable:
    """Return what can be seen of the robot with which sensors."""
    return ComparisonTable(
        'What can be seen of the robot, if no parameter is known to be zero',
        ('measured', 'rank', 'of', 'verdict'),
        tuple((row.measured, row.rank, row.total, row.verdict) for row in rows),
    )


def _plain(column: Sequence[float | str] | NDArray[np.float64]) -> list[float | str]:
    """Return cells that JSON can hold."""
    return column.tolist() if isinstance(column, np.ndarray) else list(column)

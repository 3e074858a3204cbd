"""The prediction of papers/000 section 6.4 beside ours: its table, and what the text says."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.naveen_published import PublishedNaveen
from spacerobot_id.evaluation.naveen_validation import PredictionErrors
from spacerobot_id.evaluation.reproduction import Claim, ComparisonTable

_TWIST = tuple(f'base {kind}{axis}' for kind in 'vw' for axis in 'xyz')

_FOURIER = (
    'The paper does not print its Fourier coefficients; ours reach the limits of joint and wheel '
    "rates, and the paper's own estimates stand beside ours on the same motion."
)
_SHARES = (
    'The text rounds what its own table gives, which stands in the next columns; ours is on '
    'another motion, and smaller as its estimates are better.'
)


def validation_claims(
    published: PublishedNaveen, errors: Mapping[str, PredictionErrors]
) -> list[Claim]:
    """Return the largest errors of prediction of ours, which are to be below the paper's."""
    claims = []
    for name in ('ours, rates', 'ours, poses'):
        twist, torque = errors[name].base_twist, errors[name].joint_torques
        for what, unit, ours, theirs in (
            ('base velocity', 'm/s', twist[:3], published.base_twist[:3]),
            ('base rate', 'rad/s', twist[3:], published.base_twist[3:]),
            ('joint torque', 'N m', torque, published.joint_torques),
        ):
            claims.append(
                Claim(
                    f'prediction, {name}: largest RMS error of {what}',
                    ours.max(),
                    unit,
                    at_most=theirs.max(),
                    published=theirs.max(),
                    note=_FOURIER,
                )
            )
    return claims


def validation_table(
    published: PublishedNaveen, errors: Mapping[str, PredictionErrors]
) -> ComparisonTable:
    """Return the table of prediction errors of section 6.4."""
    rows = []
    for column, name in enumerate(_TWIST):
        unit = 'm/s' if column < 3 else 'rad/s'
        ours = (float(each.base_twist[column]) for each in errors.values())
        rows.append((name, unit, float(published.base_twist[column]), *ours))
    for joint, stated in enumerate(published.joint_torques):
        ours = (float(each.joint_torques[joint]) for each in errors.values())
        rows.append((f'torque of joint {joint + 1}', 'N m', float(stated), *ours))
    return ComparisonTable(
        'Section 6.4: RMS errors of prediction, the mean over seeds. The first column is on the '
        "paper's motion,\nthe others are on ours.",
        ('', 'unit', 'paper', *errors),
        tuple(rows),
        _FOURIER,
    )


def share_table(
    published: PublishedNaveen, errors: Mapping[str, PredictionErrors]
) -> ComparisonTable:
    """Return the errors of prediction over the noise, of torques the noise over the errors."""
    noise = published.noise
    stated = PredictionErrors(published.base_twist, published.joint_torques)
    everyone = {'its table': stated, **errors}
    kinds = (
        ('base velocity over noise', 'm/s', noise.velocity, noise.velocity_share),
        ('base rate over noise', 'rad/s', noise.rate, noise.rate_share),
        ('noise over joint torque', 'N m', noise.torque, noise.torque_share),
    )
    rows = []
    for number, (text, unit, std, words) in enumerate(kinds):
        shares = [_shares(each, std)[number] for each in everyone.values()]
        for word, least_or_most in (('least', np.min), ('most', np.max)):
            cells = [float(least_or_most(each)) for each in (words, *shares)]
            rows.append((f'{text}, {word}', unit, std, *cells))
    return ComparisonTable(
        'Section 6.4: RMS errors of prediction beside the noise of a sensor',
        ('', 'unit', 'noise', 'paper, text', *everyone),
        tuple(rows),
        _SHARES,
    )


def _shares(errors: PredictionErrors, std: float) -> tuple[NDArray[np.float64], ...]:
    """Return velocities and rates over a noise, and the noise over the torques."""
    return errors.base_twist[:3] / std, errors.base_twist[3:] / std, std / errors.joint_torques

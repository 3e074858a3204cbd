"""A result as text for a terminal: a verdict in some lines, or one table for every method."""

from collections.abc import Iterator
import textwrap

import numpy as np

from spacerobot_id.estimation.result import Result
from spacerobot_id.report.metrics import joint_error
from spacerobot_id.report.page.content import beside, interval, number, percent, vector
from spacerobot_id.report.result_files import Subject
from spacerobot_id.report.sections.parameters import change_scores
from spacerobot_id.report.sections.verdict import verdict

_WIDTH = 96
"""Columns of the terminal that are filled."""

_CHANGES = 4
"""Parameters that changed most which are printed."""

_REASONS = 3
"""Reasons for rejected messages that are printed, the most frequent first."""


def short_text(subject: Subject) -> str:
    """Return the verdict on a result, and the numbers that matter most, in about ten lines."""
    return '\n'.join(_short_lines(subject))


def result_text(result: Result) -> str:
    """Return a result as a page of text: warnings, what the motion shows, parameters, the rest."""
    return '\n'.join(_lines(result))


def _short_lines(subject: Subject) -> Iterator[str]:
    """Yield the verdict and what is behind it."""
    result = subject.result
    yield from textwrap.wrap(verdict(subject), _WIDTH)
    for message in result.warnings():
        if message not in result.reasons:
            yield from textwrap.wrap(f'warning: {message}', _WIDTH, subsequent_indent='  ')
    yield from textwrap.wrap(_summary(result), _WIDTH)
    yield from _changes(subject)
    if subject.truth is not None:
        estimate, true = result.estimate, subject.truth.values
        joint = joint_error(estimate.values, estimate.covariance, true, subject.seen)
        yield from textwrap.wrap(joint.sentence(), _WIDTH)
    rejected = sorted(result.rejected.items(), key=lambda each: -each[1])
    yield from (f'rejected: {why}: {count}' for why, count in rejected[:_REASONS] if count)


def _changes(subject: Subject) -> Iterator[str]:
    """Yield the parameters that changed most against the description, a line each."""
    estimate, prior = subject.result.estimate, subject.description
    scores = np.nan_to_num(np.abs(change_scores(subject)))
    unseen = ~subject.seen
    order = [k for k in np.argsort(-scores) if not unseen[k]][:_CHANGES]
    width = max((len(estimate.names[k]) for k in order), default=0)
    for k in order:
        value, std = estimate.values[k], estimate.std[k]
        share = percent(value / prior[k] - 1.0 if prior[k] else np.nan) or 'was about 0'
        yield (
            f'  {estimate.names[k]:<{width}}  {beside(value, std)} {interval(std)} '
            f'{estimate.units[k]}  (description {beside(prior[k], std)}, {share})'
        )


def _lines(result: Result) -> Iterator[str]:
    """Yield the page."""
    for message in result.warnings():
        yield f'WARNING: {message}'
    if result.excitation is not None:
        yield from result.excitation.lines(everything=False)
        yield ''
    yield _summary(result) + (f'; not shown: {result.method.gauge}' if result.method.gauge else '')
    for reason, count in result.rejected.items():
        if count:
            yield f'rejected: {reason}: {count}'
    if result.noise:
        sizes = [f'{each.name} {each.value:.2g} {each.unit}' for each in result.noise]
        yield f'found: {", ".join(each.removesuffix(" 1") for each in sizes)}'
    if result.assumptions:
        sizes = ', '.join(each.description() for each in result.assumptions)
        yield f'one standard deviation is an uncalibrated error of: {sizes}'
    yield ''
    yield from _parameter_lines(result)
    yield ''
    for each in result.estimate.others:
        note = '' if each.is_identified else '  not identified'
        yield f'{each.name}: {each.value:.6g} +- {each.std:.2g} {each.unit}{note}'
    yield from _robot_lines(result)
    yield from _link_lines(result)
    if result.validation:
        validation = result.validation
        rms = ', '.join(
            f'{value:.2g} {unit}'
            for value, unit in zip(validation.rms, validation.units, strict=True)
        )
        yield (
            f'validation on {validation.samples} samples: RMS {rms}; chi-square '
            f'{validation.chi_square:.4g}'
        )


def _summary(result: Result) -> str:
    """Return how the estimate was made, in a line."""
    estimate = result.estimate
    return (
        f'{result.method.name}: {estimate.samples} samples, rank {estimate.rank} of '
        f'{len(estimate.names)}, condition number {_number(estimate.condition)}, '
        f'chi-square per degree of freedom {_number(estimate.chi_square)}'
    )


def _parameter_lines(result: Result) -> Iterator[str]:
    """Yield a line for each parameter; for each over the total mass where that alone is known."""
    estimate, ratios = result.estimate, result.estimate.ratios
    width = max(len(name) for name in (*estimate.names, 'parameter'))
    if ratios is None:
        title, room, units, found = 'parameter', 7, estimate.units, estimate
        unseen = np.isin(estimate.names, estimate.not_identified())
        shown = np.ones(len(unseen), dtype=bool)
    else:
        yield 'neither data nor description determine the total mass: only ratios to it are known'
        title, room, units, found = 'over the mass', 5, ratios.units(estimate.units), ratios
        pairs = zip(ratios.std, ratios.prior_std, strict=True)
        unseen = [not ratios.is_identified(std, before) for std, before in pairs]
        shown = ratios.prior_std > 0.0
    yield f'{title:<{width}}  {"unit":<{room}} {"estimate":>12} {"std":>10}'
    columns = estimate.names, units, found.values, found.std, unseen, shown
    for name, unit, value, std, is_unseen, is_shown in zip(*columns, strict=True):
        if is_shown:
            note = '  not identified' if is_unseen else ''
            spread = number(std, 3) if np.isfinite(std) else 'unknown'
            numbers = f'{beside(value, std):>12} {spread:>10}'
            yield f'{name:<{width}}  {unit:<{room}} {numbers}{note}'


def _robot_lines(result: Result) -> Iterator[str]:
    """Yield mass and inertia of the whole robot, as far as they show."""
    if result.robot is not None:
        mass, std = result.robot.mass, result.mass_std()
        yield (
            f'whole robot: {beside(mass, std)} +- {std:.2g} kg, '
            f'centre of mass ({vector(result.robot.com)}) m'
        )
    if result.inertia is not None:
        rows = '; '.join(', '.join(f'{value:.4g}' for value in row) for row in result.inertia)
        yield f'inertia about its centre of mass, kg m^2: {rows}'


def _link_lines(result: Result) -> Iterator[str]:
    """Yield a line for each link, where links show."""
    links = result.links
    if links is None:
        return
    if links.contradicts_data:
        yield (
            'no links that can exist fit these data within their covariance: the nearest are '
            f'{links.misfit:.4g} off in chi-square, where {links.allowed:.4g} is allowed'
        )
        return
    yield 'links nearest to the prior that can exist and fit'
    for link in links.model.links:
        com = vector(link.R_UL @ link.inertial.com)
        yield f'  {link.name}: {number(link.inertial.mass)} kg, centre of mass ({com}) m'


def _number(value: float) -> str:
    """Return a number for people; infinite and unknown as text."""
    if value != value:  # NaN
        return 'unknown'
    return 'infinite' if abs(value) == float('inf') else f'{value:.4g}'

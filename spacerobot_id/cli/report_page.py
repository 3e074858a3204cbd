"""The page of ``spacerobot-id report``: what a log told, in words and tables."""

from collections.abc import Iterable, Iterator

import numpy as np

from spacerobot_id.cli.excitation_lines import excitation_lines
from spacerobot_id.estimation import LogIdentification
from spacerobot_id.model import Link

_TELLING = 1.96
"""Change from the prior, in standard deviations, beyond which the description was wrong."""

_TOO_LARGE = 1.2
"""Chi-square per degree of freedom beyond which the noise does not explain the fit."""


def report_page(result: LogIdentification, source: str) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    result : LogIdentification
        What a log told.
    source : str
        What the log is called.
    """
    times = result.log.measurement.times
    parts = [
        f'# {result.problem.model.name}, identified',
        f'From `{source}`, {len(times)} samples over {times[-1] - times[0]:.1f} s, by '
        f'{result.method.value}. Numbers after +- are standard deviations.',
        '## In short',
        '\n'.join(f'- {line}' for line in _in_short(result)),
        '## Links',
        *_links(result),
        '## Minimal parameters',
        '![Estimates beside the prior](parameters.png)',
        _table(('parameter', 'unit', 'prior', 'estimate', 'std', ''), _parameter_rows(result)),
        *_others(result),
        '## What the fit leaves over',
        '![Residuals over time](residuals.png)',
        'Lines that leave zero for long come from the model: slow forces, a joint that bends, a '
        'wheel or a sensor that is not as described. Points too far apart all along are noise '
        'that is stated too small.',
        '## What the motion shows',
        '\n'.join(f'- {line.strip()}' for line in _excitation(result)),
    ]
    return '\n\n'.join(parts) + '\n'


def _in_short(result: LogIdentification) -> Iterator[str]:
    """Yield what matters, a sentence each, what is wrong first."""
    for said in result.warnings():
        yield f'**Warning**: {said}.'
    estimate = result.found.estimate
    masses = result.problem.minimal.masses
    mass = estimate.values[masses].sum()
    prior = sum(link.inertial.mass for link in result.problem.model.links)
    std = np.sqrt(estimate.covariance[masses][:, masses].sum())
    yield f'Total mass {mass:.6g} +- {std:.2g} kg; the description says {prior:.6g} kg.'
    unseen = estimate.not_identified()
    count = len(estimate.names)
    if unseen:
        yield f'{count - len(unseen)} of {count} parameters identified; not: {", ".join(unseen)}.'
    else:
        yield f'All {count} parameters identified.'
    residual = estimate.residual()
    verdict = 'as the noise that is stated'
    if not residual <= _TOO_LARGE:
        verdict = 'more than the noise that is stated: do not trust the standard deviations'
    yield f'Chi-square per degree of freedom {residual:.3g}, {verdict}.'
    rejected = {**result.log.rejected, 'samples that did not fit': result.found.rejected}
    for reason, number in rejected.items():
        if number:
            yield f'Rejected: {reason}: {number}.'
    if result.found.changes:
        yield (
            f'The robot changed {result.found.changes} times; the estimate is that after the last.'
        )
    if result.validation:
        yield (
            f'Held out: {result.validation.samples} samples, predicted with a chi-square of '
            f'{result.validation.chi_square:.3g} per output.'
        )


def _links(result: LogIdentification) -> Iterator[str]:
    """Yield the links, or that there are none."""
    if result.links.contradicts_data:
        yield (
            'No links that can exist fit these data within their covariance: the description of '
            'the joints, the wheels or the noise is wrong somewhere.'
        )
        return
    yield 'Nearest to the prior among those that can exist and fit; `robot.urdf` has them.'
    pairs = zip(result.problem.model.links, result.links.model.links, strict=True)
    header = ('link', 'mass, kg', 'prior', 'centre of mass, m', 'prior')
    yield _table(
        header,
        (
            (
                found.name,
                f'{found.inertial.mass:.4g}',
                f'{prior.inertial.mass:.4g}',
                _center(found),
                _center(prior),
            )
            for prior, found in pairs
        ),
    )


def _center(link: Link) -> str:
    """Return a centre of mass in the URDF's axes."""
    return ', '.join(f'{value:.4f}' for value in link.R_UL @ link.inertial.com)


def _parameter_rows(result: LogIdentification) -> Iterator[tuple[str, ...]]:
    """Yield a row for each parameter."""
    estimate, problem = result.found.estimate, result.problem
    unseen = set(estimate.not_identified())
    prior = problem.minimal.values(problem.model)
    for name, unit, value, std, was in zip(
        estimate.names, estimate.units, estimate.values, estimate.std, prior, strict=True
    ):
        note = 'not identified' if name in unseen else ''
        if not note and abs(value - was) > _TELLING * std:
            note = 'changed'
        yield name, unit, f'{was:.5g}', f'{value:.5g}', f'{std:.2g}', note


def _others(result: LogIdentification) -> Iterator[str]:
    """Yield a table of what is unknown beside the parameters, if anything is."""
    rows = [
        (each.name, each.unit, f'{each.value:.5g}', f'{each.std:.2g}')
        for each in result.found.estimate.others
    ]
    if rows:
        yield 'Beside the parameters:'
        yield _table(('unknown', 'unit', 'estimate', 'std'), rows)


def _excitation(result: LogIdentification) -> Iterator[str]:
    """Yield what the motion shows, parameters seen well left out."""
    return excitation_lines(result.before, all_of_them=False)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ('---',) * len(header), *rows]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)

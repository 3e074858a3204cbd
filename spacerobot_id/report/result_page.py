"""The page of ``spacerobot-id report``: what a log told, in words and tables, by any method."""

from collections.abc import Iterator

import jinja2
import numpy as np

from spacerobot_id.estimation.result import Result
from spacerobot_id.measurement import Record
from spacerobot_id.model import Link

_TELLING = 1.96
"""Change from the prior, in standard deviations, beyond which the description was wrong."""

_TOO_LARGE = 1.2
"""Chi-square per degree of freedom beyond which the noise does not explain the fit."""

_PAGE = """\
# {{ result.method.model.name }}, identified

From `{{ source }}`, {{ samples }} samples over {{ '%.1f' % duration }} s,
by {{ result.method.name }} ({{ result.method.summary }}).
Numbers after +- are standard deviations.

## In short

{% for line in summary %}
- {{ line }}
{% endfor %}

{% if links is not none %}
## Links

{% if result.links.contradicts_data %}
No links that can exist fit these data within their covariance: the description of the joints, the
wheels or the noise is wrong somewhere.
{% else %}
Nearest to the prior among those that can exist and fit; `robot.urdf` has them.

| link | mass, kg | prior | centre of mass, m | prior |
| --- | --- | --- | --- | --- |
{% for row in links %}
| {{ row | join(' | ') }} |
{% endfor %}
{% endif %}

{% endif %}
## Parameters

![Estimates beside the prior](parameters.png)

| parameter | unit | prior | estimate | std |  |
| --- | --- | --- | --- | --- | --- |
{% for row in parameters %}
| {{ row | join(' | ') }} |
{% endfor %}

{% if others %}
Beside the parameters:

| unknown | unit | estimate | std |  |
| --- | --- | --- | --- | --- |
{% for row in others %}
| {{ row | join(' | ') }} |
{% endfor %}

{% endif %}
## What the fit leaves over

![Residuals over time](residuals.png)

Lines that leave zero for long come from the model: slow forces, a joint that bends, a wheel or a
sensor that is not as described. Points too far apart all along are noise that is stated too small.

## What the motion shows

{% for line in excitation %}
- {{ line }}
{% endfor %}
"""


def result_page(result: Result, record: Record, source: str) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    result : Result
        What a log told.
    record : Record
        Its samples.
    source : str
        What the log is called.
    """
    environment = jinja2.Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    return environment.from_string(_PAGE).render(
        result=result,
        source=source,
        samples=len(record),
        duration=float(record.times[-1] - record.times[0]),
        summary=list(_summary(result)),
        links=None if result.links is None else list(_link_rows(result)),
        parameters=list(_parameter_rows(result)),
        others=[
            (
                each.name,
                each.unit,
                f'{each.value:.5g}',
                f'{each.std:.2g}',
                '' if each.is_identified else 'not identified',
            )
            for each in result.estimate.others
        ],
        excitation=list(_excitation(result)),
    )


def _summary(result: Result) -> Iterator[str]:
    """Yield what matters, a sentence each, what is wrong first."""
    for said in result.warnings():
        yield f'**Warning**: {said}.'
    estimate = result.estimate
    if result.robot is not None:
        prior = sum(link.inertial.mass for link in result.method.model.links)
        yield (
            f'Total mass {result.robot.mass:.6g} +- {result.mass_std():.2g} kg; the description '
            f'says {prior:.6g} kg.'
        )
    if result.method.gauge:
        yield f'These sensors do not show: {result.method.gauge}.'
    unseen, count = estimate.not_identified(), len(estimate.names)
    if unseen:
        yield f'{count - len(unseen)} of {count} parameters identified; not: {", ".join(unseen)}.'
    else:
        yield f'All {count} parameters identified.'
    yield from _residual(result)
    for reason, number in result.rejected.items():
        if number:
            yield f'Rejected: {reason}: {number}.'
    if result.changes:
        yield f'The robot changed {result.changes} times; the estimate is that after the last.'
    if result.validation:
        yield (
            f'Held out: {result.validation.samples} samples, predicted with a chi-square of '
            f'{result.validation.chi_square:.3g} per output.'
        )


def _residual(result: Result) -> Iterator[str]:
    """Yield how the residual compares with the stated noise."""
    if result.quality is None:
        return
    chi_square, verdict = result.quality.chi_square, 'as the noise that is stated'
    if not chi_square <= _TOO_LARGE:
        verdict = 'more than the noise that is stated: do not trust the standard deviations'
    yield f'Chi-square per degree of freedom {chi_square:.3g}, {verdict}.'


def _link_rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield a row for each link."""
    pairs = zip(result.method.model.links, result.links.model.links, strict=True)
    for prior, found in pairs:
        masses = f'{found.inertial.mass:.4g}', f'{prior.inertial.mass:.4g}'
        yield found.name, *masses, _center(found), _center(prior)


def _center(link: Link) -> str:
    """Return a centre of mass in the URDF's axes."""
    return ', '.join(f'{value:.4f}' for value in link.R_UL @ link.inertial.com)


def _parameter_rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield a row for each parameter."""
    estimate = result.estimate
    unseen = set(estimate.not_identified())
    prior = result.method.prior().mean[: len(estimate.names)]
    for name, unit, value, std, was in zip(
        estimate.names, estimate.units, estimate.values, estimate.std, prior, strict=True
    ):
        note = 'not identified' if name in unseen else ''
        if not note and abs(value - was) > _TELLING * std:
            note = 'changed'
        yield name, unit, f'{was:.5g}', f'{value:.5g}', f'{std:.2g}', note


def _excitation(result: Result) -> Iterator[str]:
    """Yield what the motion shows, parameters seen well left out."""
    if result.excitation is None:
        condition = result.estimate.condition
        yield f'condition number {condition:.4g}' if np.isfinite(condition) else 'unknown'
        return
    for line in result.excitation.lines(everything=False):
        yield line.strip()

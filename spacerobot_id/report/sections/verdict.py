"""The verdict: whether the estimate may be used, what changed, what it rests on, what is open."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.measurement.stream import Need
from spacerobot_id.report.page.content import (
    beside,
    counted,
    Fact,
    interval,
    listed,
    Listing,
    number,
    percent,
    Section,
    Text,
    Tone,
)
from spacerobot_id.report.result_files import Subject
from spacerobot_id.report.sections.parameters import change_scores

_CHANGED = 1.96
"""Standard deviations beyond which a parameter has changed against the description."""

_TURNING = 1e-3
"""Rate of a wheel that counts, rad/s."""


def headline(subject: Subject) -> tuple[Tone, str]:
    """Return a headline on whether the estimate may be used, and its colour."""
    result = subject.result
    if not result.intervals_hold:
        return Tone.WARNING, 'To compare only'
    if not result.is_usable:
        return Tone.BAD, 'Not to be used'
    if result.warnings():
        return Tone.WARNING, 'Usable, with warnings'
    return Tone.GOOD, 'Usable'


def verdict(subject: Subject) -> str:
    """Return the verdict as one paragraph."""
    return ' '.join(_sentences(subject))


def facts(subject: Subject) -> tuple[Fact, ...]:
    """Return the numbers that matter most."""
    result = subject.result
    estimate = result.estimate
    seen = len(estimate.names) - len(estimate.not_identified())
    chi_square = estimate.chi_square if result.quality is None else result.quality.chi_square
    shown = [
        Fact('parameters identified', f'{seen} of {len(estimate.names)}'),
        Fact('samples fitted', str(estimate.samples), f'over {subject.duration:.0f} s'),
        Fact('chi-square', number(chi_square, 3), 'per degree of freedom'),
        Fact('condition number', number(estimate.condition, 3), 'of the regressor'),
    ]
    if result.robot is not None:
        mass = f'{beside(result.robot.mass, result.mass_std())} kg'
        shown.insert(0, Fact('total mass', mass, f'{interval(result.mass_std())} kg'))
    if result.validation is not None:
        held = counted(result.validation.samples, 'sample')
        shown.append(Fact('held out', number(result.validation.chi_square, 3), f'of {held}'))
    return tuple(shown)


def warning_section(subject: Subject) -> Section | None:
    """Return what is to be known before anyone takes the numbers; None if there is nothing."""
    messages = subject.result.warnings()
    if not messages:
        return None
    sentences = [f'{each[0].upper()}{each[1:].rstrip(".")}.' for each in messages]
    return Section('warnings', 'Warnings', [Listing(sentences)])


def changes_section(subject: Subject) -> Section | None:
    """Return what came or went while the samples were taken; None if nothing did."""
    result = subject.result
    if not result.changes:
        return None
    lines = [
        f'{body.link}: {body.mass:+.4g} kg {interval(body.mass_std)} kg, centre of mass at '
        f'({", ".join(number(each, 3) for each in body.com)}) m in its axes'
        for body in result.changed
    ]
    first = f'The robot changed {counted(result.changes, "time")}; the estimate is that after '
    return Section(
        'changes', 'What came or went', [Text(f'{first}the last change.'), Listing(lines)]
    )


def _sentences(subject: Subject) -> Iterator[str]:
    """Yield the sentences of the verdict."""
    result = subject.result
    if not result.is_usable:
        yield f'The estimate may not be used: {"; ".join(result.reasons)}.'
    elif result.warnings():
        yield 'The estimate may be used if the warnings below are heeded.'
    else:
        yield 'The estimate may be used: the stated noise explains what it leaves of the data.'
    yield _changed(subject)
    yield _scale(subject)
    yield _unseen(subject)
    if result.validation is not None:
        well = 'worse than' if result.validation.is_worse_than_noise else 'as well as'
        yield (
            f'{counted(result.validation.samples, "sample")} held out are predicted {well} their '
            f'noise allows (chi-square {number(result.validation.chi_square, 3)}).'
        )


def _changed(subject: Subject) -> str:
    """Return what changed against the description."""
    result, prior = subject.result, subject.description
    estimate, scores = result.estimate, change_scores(subject)
    changed = np.flatnonzero((np.abs(scores) > _CHANGED) & subject.seen)
    if not len(changed):
        return 'No parameter differs from the description by more than its 95 % interval.'
    worst = changed[np.argmax(np.abs(scores[changed]))]
    share = percent((estimate.values[worst] - prior[worst]) / abs(prior[worst] or np.nan))
    sentence = (
        f'{len(changed)} of {len(scores)} parameters differ from the description by more than '
        f'their 95 % intervals, most of all {estimate.names[worst]}'
        f'{f" by {share}" if share else ""} ({number(abs(scores[worst]), 3)} standard deviations)'
    )
    if result.robot is not None:
        described = sum(link.inertial.mass for link in result.method.model.links)
        mass = result.robot.mass
        sentence += (
            f'; the total mass is {beside(mass, result.mass_std())} '
            f'{interval(result.mass_std())} kg, where the description has {described:.6g} kg '
            f'({percent(mass / described - 1.0)})'
        )
    return f'{sentence}.'


def _scale(subject: Subject) -> str:
    """Return what the scale of all masses and inertias rests on."""
    result, record = subject.result, subject.record
    method, prior = result.method, result.method.prior_settings
    if result.estimate.ratios is not None:
        return 'Neither the data nor the description determine the scale: only ratios are known.'
    if prior is not None and prior.known_mass:
        rests = f'the total mass as it was weighed, {prior.known_mass:.6g} kg'
    elif method.needs.wrench is Need.NEEDED or record.wrench is not None:
        rests = 'the wrenches on the base: an error of 1 % of them is one of 1 % of every mass'
    elif record.thrust is not None:
        rests = 'the strengths of the thrusters, as far as they are described'
    elif method.needs.torque is Need.NEEDED:
        rests = 'the torques of the joints and the momentum that is known'
    elif _wheels_turn(subject):
        rests = (
            'the spin inertias of the wheels in the description: an error of 1 % of them is one '
            'of 1 % of every mass and inertia'
        )
    elif any(method.known_angular_momentum):
        rests = 'the angular momentum that is known'
    elif prior is not None:
        rests = (
            'the total mass of the description, which the data do not show '
            f'(prior_mass_std {100.0 * prior.mass_std:.3g} %)'
        )
    else:
        return 'The data do not show the scale of all parameters.'
    return f'The scale rests on {rests}.'


def _wheels_turn(subject: Subject) -> bool:
    """Return whether wheels turn in the data."""
    rates = subject.record.wheel_rates
    return rates is not None and bool(rates.size) and bool(np.nanmax(np.abs(rates)) > _TURNING)


def _unseen(subject: Subject) -> str:
    """Return what is not seen."""
    result = subject.result
    names, gauge = result.estimate.not_identified(), result.method.gauge
    sentences = []
    if names:
        own = 'its own' if len(names) == 1 else 'their own'
        sentences.append(f'This motion does not show {listed(names)} on {own}')
    else:
        sentences.append('This motion shows every parameter')
    is_of_scale = gauge.startswith('without turning wheels')
    is_known = _wheels_turn(subject) or result.estimate.ratios is None
    if gauge and not (is_of_scale and is_known):
        sentences.append(f'these sensors cannot show {gauge}')
    return f'{"; ".join(sentences)}.'

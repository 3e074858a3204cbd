"""How a fault is noticed: by what is logged or counted that is not of the clean log."""

from dataclasses import dataclass
import re

from spacerobot_id.lab.fault_injection.replay import Replay, Sight

_MISFITS, _MISFIT_SHARE = 5, 0.01
"""Samples, and share of them, that do not fit beyond those of the clean log, and are noticed."""

_NUMBERS = re.compile(r'[-+]?\d[\d.e+-]*')


@dataclass(frozen=True)
class Notice:
    """How a fault was noticed first.

    Parameters
    ----------
    how : str
        What was logged or counted.
    after : float
        Time since the fault began, s.
    """

    how: str
    after: float


def noticed(found: Replay, clean: Replay, since: float) -> Notice | None:
    """Return how a fault was noticed first: by what was not to be seen of the clean log.

    Parameters
    ----------
    found, clean : Replay
        What the estimator made of the log with the fault, and without it.
    since : float
        Arrival of the first message that the fault hits, s.
    """
    usual = {_without_numbers(text) for _, text in clean.warnings}
    ways = [(when, text) for when, text in found.warnings if _without_numbers(text) not in usual]
    before = list(clean.sights)
    for sight in found.sights:
        same = min(before, key=lambda each: abs(each.time - sight.time))
        how = _seen(sight, same)
        if how:
            ways.append((sight.time, how))
            break
    ways = [way for way in ways if way[0] >= since]
    if not ways:
        return None
    when, how = min(ways, key=lambda way: way[0])
    return Notice(how, when - since)


def _seen(sight: Sight, clean: Sight) -> str:
    """Return what is to be seen that is not of the clean log; empty if nothing is."""
    if new := sight.defects - clean.defects:
        return f'not valid: {", ".join(sorted(new))}'
    if sight.changes > clean.changes:
        return 'a change of the robot announced'
    if sight.misfits > clean.misfits + max(_MISFITS, _MISFIT_SHARE * clean.samples):
        return 'samples that did not fit'
    if late := sight.waiting - clean.waiting:
        return f'waits for {", ".join(sorted(late))}'
    if lost := [name for name, count in sight.missing.items() if count > clean.missing[name]]:
        return f'messages missing: {", ".join(lost)}'
    return '' if sight.is_as_stated or not clean.is_as_stated else 'residuals are not the noise'


def _without_numbers(text: str) -> str:
    return _NUMBERS.sub('#', text)

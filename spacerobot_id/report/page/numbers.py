"""Numbers as people read them."""

from collections.abc import Sequence
import math

ROUNDING = 1e-12
"""Share of the largest of some numbers below which one is the rounding of zero."""

_MANYFOLD = 100.0
"""Share from which on the number that it is of is as good as zero."""


def number(value: float, digits: int = 4) -> str:
    """Return a number with some significant digits; unknown and infinite ones as text."""
    if value is None or math.isnan(value):
        return 'unknown'
    if math.isinf(value):
        return 'infinite'
    if value == 0.0:
        return '0'
    if 1e-3 <= abs(value) < 1e6:
        decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
        return f'{value:.{decimals}f}'
    mantissa, exponent = f'{value:.{digits - 1}e}'.split('e')
    return f'{mantissa}e{int(exponent)}'


def beside(value: float, std: float) -> str:
    """Return a value with as many digits as its standard deviation leaves a meaning."""
    if not (math.isfinite(value) and math.isfinite(std)) or std <= 0.0:
        return number(value)
    if value == 0.0:
        return '0'
    digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(std)) + 2
    return number(value, min(max(digits, 2), 7))


def of_rounding(value: float, largest: float) -> float:
    """Return a value beside others, the largest of which is given; zero if rounding made it."""
    return value if abs(value) > ROUNDING * abs(largest) else 0.0


def vector(values: Sequence[float]) -> str:
    """Return the components of a vector."""
    largest = max(map(abs, values), default=0.0)
    return ', '.join(number(of_rounding(float(each), largest)) for each in values)


def percent(share: float) -> str:
    """Return a share in per cent, with its sign; nothing of one that compares with about zero."""
    if not math.isfinite(share) or abs(share) >= _MANYFOLD:
        return ''
    digits = 1 if abs(share) < 0.995 else 0
    return f'{100.0 * share:+.{digits}f} %'


def interval(std: float) -> str:
    """Return half a 95 % interval."""
    return f'±{number(1.96 * std, 2)}' if math.isfinite(std) else 'unknown'


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence, the last ones counted."""
    if len(names) > most:
        return f'{", ".join(names[:most])} and {len(names) - most} more'
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'


def counted(count: int, noun: str) -> str:
    """Return a number of things; the noun takes an s."""
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'

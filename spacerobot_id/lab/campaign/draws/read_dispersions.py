"""Reading dispersions: distributions of keys, with units, from a campaign file."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from spacerobot_id.lab.campaign.draws.dispersions import Dispersion, Meaning
from spacerobot_id.lab.campaign.draws.distributions import (
    Choice,
    Continuous,
    Distribution,
    PARAMETERS,
)
from spacerobot_id.lab.campaign.draws.key_names import factor_of, names_of
from spacerobot_id.lab.campaign.draws.keys import Key
from spacerobot_id.settings.kinds import Finite, KeyedError, keys

_LAWS = {
    kind: keys('', dict.fromkeys(names, (Finite, '')), *(set(names) - {'mean'}))
    for kind, names in PARAMETERS.items()
} | {
    'choice': keys(
        '', {'values': (tuple[Finite, ...], ''), 'weights': (tuple[Finite, ...], '')}, 'values'
    ),
    'covariance': keys(
        '',
        {'mean': (tuple[Finite, ...], ''), 'matrix': (tuple[tuple[Finite, ...], ...], '')},
        'matrix',
    ),
}
_MEANINGS = [each.value for each in Meaning]
_LAW = keys('', {kind: (each, '') for kind, each in _LAWS.items()})
_ENTRY = {
    'keys': (str | tuple[str, ...], 'What is drawn: names, or patterns of them.'),
    'unit': (str | int, 'Unit of the numbers.'),
} | dict.fromkeys(_MEANINGS, (_LAW, 'Its distribution.'))
DISPERSIONS = tuple[keys('', _ENTRY, 'keys', 'unit'), ...]
"""What is drawn."""

_PLAIN = ('sigma',)
"""Parameters without the unit of the number."""


def read_dispersions(
    entries: Sequence[Mapping[str, Any]], known: Mapping[str, Key]
) -> tuple[Dispersion, ...]:
    """Return the dispersions that a list gives.

    Parameters
    ----------
    entries : sequence
        The list.
    known : mapping of str to Key
        Everything that can be drawn.

    Raises
    ------
    KeyedError
        If a key or a unit is unknown, a key is drawn twice, or a distribution makes no sense.
    """
    found: list[Dispersion] = []
    for row, entry in enumerate(entries):
        try:
            added = _dispersions(entry, known)
        except KeyedError as error:
            raise KeyedError(('dispersions', row, *error.path), str(error)) from None
        for each in added:
            for before in found:
                twice = set(before.keys) & set(each.keys)
                if twice:
                    reason = f'{", ".join(sorted(twice))} is drawn twice'
                    raise KeyedError(('dispersions', row), reason)
            found.append(each)
    return tuple(found)


def _dispersions(entry: Mapping[str, Any], known: Mapping[str, Key]) -> list[Dispersion]:
    """Return the dispersions of one entry: one for each key, or one of all together."""
    meaning = Meaning(_only(entry, _MEANINGS, ()))
    law, chosen = entry[meaning.value], _chosen(entry['keys'], known)
    units = {each.unit for each in chosen} if meaning is not Meaning.FACTOR else {'1'}
    if len(units) > 1:
        reason = f'they have different units: {", ".join(sorted(units))}'
        raise KeyedError(('keys',), reason)
    scale = _scale(str(entry['unit']), units.pop())
    kind = _only(law, _LAWS, (meaning.value,))
    for each in chosen:
        if meaning is not Meaning.VALUE and not np.isfinite(each.nominal):
            reason = f'{each.name} has no nominal value: give its value, no {meaning.value}'
            raise KeyedError(('keys',), reason)
        if meaning is Meaning.FACTOR and not each.nominal:
            raise KeyedError(('keys',), f'{each.name} is zero: a factor changes nothing')
    place, numbers = (meaning.value, kind), law[kind]
    if 'mean' in PARAMETERS.get(kind, ('mean',)) and kind != 'choice' and 'mean' not in numbers:
        if meaning is not Meaning.CHANGE:
            raise KeyedError((*place, 'mean'), 'it is missing')
        numbers = {**numbers, 'mean': [0.0] * len(chosen) if kind == 'covariance' else 0.0}
    try:
        if kind == 'covariance':
            return [_joint(numbers, meaning, chosen, scale)]
        distribution = _distribution(numbers, kind, scale)
    except KeyedError as error:
        raise KeyedError((*place, *error.path), str(error)) from None
    return [Dispersion((each.name,), (each.nominal,), meaning, (distribution,)) for each in chosen]


def _only(given: Mapping[str, Any], names: Sequence[str], place: tuple[str, ...]) -> str:
    """Return the only one of some keys that is given."""
    found = [name for name in names if name in given]
    if len(found) != 1:
        raise KeyedError(place, f'needs one of {", ".join(names)}')
    return found[0]


def _scale(unit: str, wanted: str) -> float:
    """Return what one of a unit is in the SI unit that is wanted."""
    known = names_of(wanted)
    if unit not in known:
        raise KeyedError(('unit',), f'must be one of {", ".join(known)}, got {unit!r}')
    return factor_of(unit, wanted)


def _chosen(given: str | tuple[str, ...], known: Mapping[str, Key]) -> list[Key]:
    """Return the keys that a name, a pattern or a list of them names."""
    found: dict[str, Key] = {}
    for row, name in enumerate((given,) if isinstance(given, str) else given):
        matching = [key for key in known if fnmatchcase(key, name)]
        if not matching:
            place = ('keys',) if isinstance(given, str) else ('keys', row)
            raise KeyedError(place, f'unknown key {name!r}{_near(name, known)}')
        found |= {key: known[key] for key in matching}
    return list(found.values())


def _near(name: str, keys: Mapping[str, Key]) -> str:
    """Return a sentence on what a wrong key may have meant."""
    kind, _, rest = name.partition('.')
    names = [key for key in keys if key.startswith(f'{kind}.')]
    if not names:
        kinds = list(dict.fromkeys(key.partition('.')[0] for key in keys))
        return f'; keys begin with {", ".join(kinds)}'
    second = rest.partition('.')[0]
    parts = list(dict.fromkeys(key.split('.')[1] for key in names))
    if second not in parts and '*' not in second:
        return f'; {kind} has {", ".join(parts)}'
    tails = [key for key in names if key.split('.')[1] == second] or names
    return f'; known are {", ".join(tails[:12])}{" ..." if len(tails) > 12 else ""}'


def _distribution(given: Mapping[str, Any], kind: str, scale: float) -> Distribution:
    """Return the distribution of one number, in SI units."""
    if kind == 'choice':
        return _choice(given, scale)
    numbers = {key: each if key in _PLAIN else scale * each for key, each in given.items()}
    if numbers.get('low', -np.inf) >= numbers.get('high', np.inf):
        raise KeyedError(('low',), 'must be below high')
    for name in ('std', 'sigma', 'median'):
        if name in numbers and numbers[name] <= 0.0:
            raise KeyedError((name,), f'must be above zero, got {given[name]:g}')
    return Continuous(kind, tuple(numbers[name] for name in PARAMETERS[kind]))


def _choice(given: Mapping[str, Any], scale: float) -> Choice:
    values = tuple(scale * each for each in given['values'])
    if len(set(values)) != len(values) or not values:
        raise KeyedError(('values',), 'must be numbers, all different')
    weights = given.get('weights', [1.0] * len(values))
    if len(weights) != len(values) or min(weights) < 0.0 or not sum(weights):
        reason = 'must be as many numbers as values, none below zero, one above'
        raise KeyedError(('weights',), reason)
    return Choice(values, tuple(weight / sum(weights) for weight in weights))


def _joint(
    given: Mapping[str, Any], meaning: Meaning, chosen: list[Key], scale: float
) -> Dispersion:
    """Return keys that are normal together."""
    count = len(chosen)
    rows = [[scale**2 * each for each in row] for row in given['matrix']]
    if [len(row) for row in rows] != [count] * count:
        raise KeyedError(('matrix',), f'must be {count} rows of {count} numbers')
    matrix = np.array(rows)
    if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise KeyedError(('matrix',), 'must be symmetric and positive definite')
    mean = [scale * each for each in given['mean']]
    if len(mean) != count:
        raise KeyedError(('mean',), f'must be {count} numbers')
    stds = np.sqrt(np.diag(matrix))
    return Dispersion(
        tuple(each.name for each in chosen),
        tuple(each.nominal for each in chosen),
        meaning,
        tuple(Continuous('normal', (float(m), float(s))) for m, s in zip(mean, stds, strict=True)),
        tuple(map(tuple, rows)),
    )

"""Reading dispersions: distributions of keys, with units, from a campaign file."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

import numpy as np

from spacerobot_id.lab.campaign.draws.dispersions import Dispersion, Meaning
from spacerobot_id.lab.campaign.draws.distributions import (
    Choice,
    Continuous,
    Distribution,
    PARAMETERS,
)
from spacerobot_id.lab.campaign.draws.keys import Key
from spacerobot_id.lab.campaign.draws.units import unit_of
from spacerobot_id.model.description.yaml_node import YamlNode

KINDS = (*PARAMETERS, 'choice', 'covariance')
"""Distributions by name."""

_PLAIN = ('sigma',)
"""Parameters without the unit of the number."""

_DEFAULTS = {'mean': 0.0}
"""Parameters that may be left out; not the mean of a value or a factor."""


def read_dispersions(node: YamlNode, keys: Mapping[str, Key]) -> tuple[Dispersion, ...]:
    """Return the dispersions that a list gives.

    Parameters
    ----------
    node : YamlNode
        The list.
    keys : mapping of str to Key
        Everything that can be drawn.

    Raises
    ------
    DescriptionError
        If a key or a unit is unknown, a key is drawn twice, or a distribution makes no sense.
    """
    found: list[Dispersion] = []
    for entry in node.sequence():
        for each in _dispersions(entry, keys):
            for before in found:
                twice = set(before.keys) & set(each.keys)
                if twice:
                    raise entry.place.error(f'{", ".join(sorted(twice))} is drawn twice')
            found.append(each)
    return tuple(found)


def _dispersions(entry: YamlNode, keys: Mapping[str, Key]) -> list[Dispersion]:
    """Return the dispersions of one entry: one for each key, or one of all together."""
    meanings = [each.value for each in Meaning]
    entries = entry.mapping(('keys', 'unit', *meanings))
    given = [name for name in meanings if name in entries]
    if len(given) != 1:
        raise entry.place.error(f'needs one of {", ".join(meanings)}')
    meaning, law = Meaning(given[0]), entries[given[0]]
    chosen = _chosen(entry.require('keys'), keys)
    units = {each.unit for each in chosen} if meaning is not Meaning.FACTOR else {'1'}
    if len(units) > 1:
        raise entries['keys'].place.error(f'they have different units: {", ".join(sorted(units))}')
    scale = unit_of(entry.require('unit'), units.pop())
    kinds = law.mapping(KINDS)
    if len(kinds) != 1:
        raise law.place.error(f'needs one of {", ".join(KINDS)}')
    (kind,) = kinds
    for each in chosen:
        if meaning is not Meaning.VALUE and not np.isfinite(each.nominal):
            raise entries['keys'].place.error(
                f'{each.name} has no nominal value: give its value, no {meaning.value}'
            )
        if meaning is Meaning.FACTOR and not each.nominal:
            raise entries['keys'].place.error(f'{each.name} is zero: a factor changes nothing')
    if kind == 'covariance':
        return [_joint(kinds[kind], meaning, chosen, scale)]
    distribution = _distribution(kinds[kind], kind, meaning, scale)
    return [Dispersion((each.name,), (each.nominal,), meaning, (distribution,)) for each in chosen]


def _chosen(node: YamlNode, keys: Mapping[str, Key]) -> list[Key]:
    """Return the keys that a name, a pattern or a list of them names."""
    nodes = node.sequence() if isinstance(node.value, list) else [node]
    found: dict[str, Key] = {}
    for each in nodes:
        name = each.string()
        matching = [key for key in keys if fnmatchcase(key, name)]
        if not matching:
            raise each.place.error(f'unknown key {name!r}{_near(name, keys)}')
        found |= {key: keys[key] for key in matching}
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


def _distribution(node: YamlNode, kind: str, meaning: Meaning, scale: float) -> Distribution:
    """Return the distribution of one number, in SI units."""
    if kind == 'choice':
        return _choice(node, scale)
    names = PARAMETERS[kind]
    entries = node.mapping(names)
    numbers = {}
    for name in names:
        if name not in entries and name in _DEFAULTS and meaning is Meaning.CHANGE:
            numbers[name] = _DEFAULTS[name]
            continue
        value = node.require(name).finite()
        numbers[name] = value if name in _PLAIN else scale * value
    if numbers.get('low', -np.inf) >= numbers.get('high', np.inf):
        raise entries['low'].place.error('must be below high')
    for name in ('std', 'sigma', 'median'):
        if name in numbers and numbers[name] <= 0.0:
            raise entries[name].place.error(f'must be above zero, got {entries[name].value}')
    return Continuous(kind, tuple(numbers[name] for name in names))


def _choice(node: YamlNode, scale: float) -> Choice:
    entries = node.mapping(('values', 'weights'))
    values = tuple(scale * each.finite() for each in node.require('values').sequence())
    if len(set(values)) != len(values) or not values:
        raise entries['values'].place.error('must be numbers, all different')
    weights = [1.0] * len(values)
    if 'weights' in entries:
        weights = [each.finite() for each in entries['weights'].sequence()]
    if len(weights) != len(values) or min(weights) < 0.0 or not sum(weights):
        raise entries['weights'].place.error(
            'must be as many numbers as values, none below zero, one above'
        )
    return Choice(values, tuple(weight / sum(weights) for weight in weights))


def _joint(node: YamlNode, meaning: Meaning, chosen: list[Key], scale: float) -> Dispersion:
    """Return keys that are normal together."""
    entries = node.mapping(('mean', 'matrix'))
    count = len(chosen)
    rows = [
        [scale**2 * each.finite() for each in row.sequence()]
        for row in node.require('matrix').sequence()
    ]
    if [len(row) for row in rows] != [count] * count:
        raise entries['matrix'].place.error(f'must be {count} rows of {count} numbers')
    matrix = np.array(rows)
    if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise entries['matrix'].place.error('must be symmetric and positive definite')
    mean = [0.0] * count
    if 'mean' in entries:
        mean = [scale * each.finite() for each in entries['mean'].sequence()]
    elif meaning is not Meaning.CHANGE:
        raise node.require('mean').place.error('it is missing')
    if len(mean) != count:
        raise entries['mean'].place.error(f'must be {count} numbers')
    stds = np.sqrt(np.diag(matrix))
    return Dispersion(
        tuple(each.name for each in chosen),
        tuple(each.nominal for each in chosen),
        meaning,
        tuple(Continuous('normal', (float(m), float(s))) for m, s in zip(mean, stds, strict=True)),
        tuple(map(tuple, rows)),
    )

"""Reading requirements from a campaign file: ``mass_error < 0.5 %`` in a share of the runs."""

import re

from spacerobot_id.lab.campaign.analysis.requirements import Requirement
from spacerobot_id.lab.campaign.draws.units import factor_of, names_of
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.model.description.yaml_node import YamlNode
from spacerobot_id.model.inertial_parameters import PARAMETER_NAMES, PARAMETER_UNITS

_COMPARED = re.compile(r'(\S+)\s*(<=|>=|<|>)\s*(\S+?)\s*(%|[A-Za-z].*)?$')

_ERROR = 'error.'


def read_requirements(node: YamlNode) -> tuple[Requirement, ...]:
    """Return the requirements that a list gives.

    Raises
    ------
    DescriptionError
        If a metric or a unit is unknown, or a share makes no sense; names the place.
    """
    found = tuple(_requirement(each) for each in node.sequence())
    names = [each.name for each in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise node.sequence()[place].place.error(f'two requirements are named {name!r}')
    return found


def _requirement(node: YamlNode) -> Requirement:
    entries = node.mapping(('name', 'require', 'share', 'confidence'))
    text = node.require('require').string().strip()
    metric, relation, bound = _parsed(entries['require'], text)
    return Requirement(
        entries['name'].string() if 'name' in entries else text,
        metric,
        relation,
        bound,
        text,
        _probability(node.require('share')),
        _probability(entries['confidence']) if 'confidence' in entries else 0.95,
    )


def _parsed(node: YamlNode, text: str) -> tuple[str, str, float]:
    """Return metric, relation and bound in SI units."""
    if text in METRICS and METRICS[text].is_flag:
        return text, '', 1.0
    match = _COMPARED.match(text)
    if match is None:
        flags = ', '.join(name for name, each in METRICS.items() if each.is_flag)
        raise node.place.error(f'must be like mass_error < 0.5 %, or one of {flags}; got {text!r}')
    metric, relation, number, unit = match.groups()
    wanted = _unit_of_metric(node, metric)
    given = unit or '1'
    if given not in names_of(wanted):
        known = ', '.join(names_of(wanted))
        raise node.place.error(f'{metric}: unit {given!r} is none of {known}')
    try:
        bound = float(number) * factor_of(given, wanted)
    except ValueError:
        raise node.place.error(f'{number!r} is no number') from None
    return metric, relation, bound


def _unit_of_metric(node: YamlNode, metric: str) -> str:
    """Return the unit of a metric, or of the error of a parameter."""
    if metric in METRICS:
        return METRICS[metric].unit
    if metric.startswith(_ERROR):
        name = metric.partition(':')[0].rpartition('.')[2]
        if name in PARAMETER_NAMES:
            return PARAMETER_UNITS[PARAMETER_NAMES.index(name)]
    known = ', '.join(METRICS)
    raise node.place.error(
        f'{metric!r} is no metric; known are {known}, and error.PARAMETER such as error.L1.mx'
    )


def _probability(node: YamlNode) -> float:
    """Return a share: a number between 0 and 1, or per cent as a text."""
    value = node.value
    if isinstance(value, str) and value.strip().endswith('%'):
        try:
            share = 0.01 * float(value.strip()[:-1])
        except ValueError:
            raise node.place.error(f'must be like 99 %, got {value!r}') from None
    else:
        share = node.finite()
    if not 0.0 < share < 1.0:
        raise node.place.error(f'must be between 0 and 1, or 0 % and 100 %, got {value!r}')
    return share

"""Reading outputs from YAML files: keys that are not known are errors that name file and key."""

from collections.abc import Sequence
from pathlib import Path

from spacerobot_id.estimation.write_back.body_values import NAMES
from spacerobot_id.estimation.write_back.output import Filling, Kind, Output, Subject
from spacerobot_id.measurement.adapters.adapter_yaml import constant, read_axes, unit_in_si
from spacerobot_id.measurement.adapters.axes import Axes
from spacerobot_id.measurement.adapters.fields import is_path
from spacerobot_id.model import file_or_shipped, shipped_names
from spacerobot_id.model.description.description import Place, read_text
from spacerobot_id.model.description.yaml_node import parse_yaml, YamlNode

_FOLDER = 'config/outputs'
_KINDS = tuple(kind.value for kind in Kind)
_FOLDERS = {Kind.TOPIC: 'msg', Kind.SERVICE: 'srv'}


def output_names() -> tuple[str, ...]:
    """Return the names of the outputs that come with the package."""
    return shipped_names(_FOLDER)


def load_output(name: str | Path) -> Output:
    """Return an output.

    Parameters
    ----------
    name : str or Path
        File, or the name of one that comes with the package (``stanford_freeflyer``).

    Raises
    ------
    ConfigurationError
        If there is no such file.
    DescriptionError
        If a key is unknown, missing or has no value that it can have; names file and key.
    """
    path = file_or_shipped(name, _FOLDER, 'output')
    return parse_output(read_text(path), str(path))


def parse_output(text: str, source: str) -> Output:
    """Return the output of a YAML text; ``source`` names it in errors."""
    node = parse_yaml(text, source)
    entries = node.mapping(('description', 'axes', 'body', 'type', 'fields', *_KINDS))
    kinds = [kind for kind in Kind if kind.value in entries]
    if len(kinds) != 1:
        raise node.place.error(f'needs one of {", ".join(_KINDS)}')
    (kind,) = kinds
    fields = node.require('fields')
    fillings = tuple(_filling(path, each) for path, each in fields.mapping().items())
    if not fillings:
        raise fields.place.error('there are none')
    if kind not in _FOLDERS:
        _check_names(fillings)
    return Output(
        source,
        kind,
        entries[kind.value].string(),
        fillings,
        node.place,
        _type(node, kind),
        _subject(entries['body']) if 'body' in entries else Subject(),
        _body_axes(entries['axes']) if 'axes' in entries else Axes(),
        entries['description'].string() if 'description' in entries else '',
    )


def _type(node: YamlNode, kind: Kind) -> str:
    """Return the type of a topic or a service; parameters and files have none."""
    if kind not in _FOLDERS:
        if 'type' in node.mapping():
            raise node.require('type').place.error(f'means nothing beside {kind.value}')
        return ''
    given, folder = node.require('type'), _FOLDERS[kind]
    name = given.string()
    if len(name.split('/')) != 3 or name.split('/')[1] != folder:
        raise given.place.error(f'must be like PACKAGE/{folder}/NAME, got {name!r}')
    return name


def _check_names(fillings: Sequence[Filling]) -> None:
    """Refuse names of parameters that have elements, or have others under them."""
    for each in fillings:
        if '[' in each.path or any(o.path.startswith(f'{each.path}.') for o in fillings):
            raise each.place.error('must be the name of one parameter')


def _subject(node: YamlNode) -> Subject:
    entries = node.mapping(('link', 'less_prior'))
    is_load = 'less_prior' in entries and entries['less_prior'].boolean()
    return Subject(node.require('link').string(), is_load, node.place)


def _body_axes(node: YamlNode) -> Axes:
    node.mapping(('body',))
    return read_axes(node, Axes())


def _filling(path: str, node: YamlNode) -> Filling:
    """Return a field: a name, a constant, a list of both, or these with their unit."""
    if not is_path(path) or ':' in path:
        raise node.place.error('must be a field such as inertia.com.x or data[1], or a parameter')
    if not isinstance(node.value, dict):
        return _plain(path, node, node.place)
    entries = node.mapping(('value', 'unit', 'constant'))
    if 'constant' in entries:
        if len(entries) > 1:
            raise node.place.error('a constant stands alone, in the unit of its field')
        return Filling(path, constant=constant(entries['constant']), place=node.place)
    value = node.require('value')
    scale = unit_in_si(entries['unit']) if 'unit' in entries else 1.0
    return _plain(path, value, node.place, scale)


def _plain(path: str, node: YamlNode, place: Place, scale: float = 1.0) -> Filling:
    if isinstance(node.value, list):
        values = tuple(
            _name(each) if isinstance(each.value, str) else each.finite()
            for each in node.sequence()
        )
        return Filling(path, values, scale=scale, place=place)
    if isinstance(node.value, str):
        return Filling(path, _name(node), scale=scale, place=place)
    return Filling(path, constant=constant(node), place=place)


def _name(node: YamlNode) -> str:
    name = node.string()
    if name not in NAMES:
        raise node.place.error(
            f'no value {name!r}; there are {", ".join(NAMES)}; a text is {{constant: TEXT}}'
        )
    return name

"""Values for one node from a YAML file: plain keys, or the parameter file of several nodes."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.settings.yaml_file import load_yaml, read_text_file

_OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service')
"""Parameters that ROS itself gives every node."""

_OVERRIDES = 'qos_overrides'
"""How the names of parameters begin that ROS gives a node for its topics."""

_EVERY_NODE = ('*', '**')
"""Names of sections that are for nodes of any name."""


@dataclass(frozen=True)
class _Section:
    """A part of a parameter file: its nodes, and its values."""

    name: str
    content: object

    @property
    def node(self) -> str:
        """Name of the node, without its namespace."""
        return self.name.split('/')[-1]


def values_from_file(
    path: str | Path, node: str, plain: Collection[str], parameters: Collection[str]
) -> dict[str, object]:
    """Return the values that a YAML file has for a node, by their names.

    Parameters
    ----------
    path : str or Path
        File with plain keys, or a parameter file, of which the sections of the node count, in
        any namespace, and those for all nodes.
    node : str
        Name of the node.
    plain : collection of str
        Names that are known where the file has plain keys.
    parameters : collection of str
        Names of all parameters of the node.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, has no section for the node, or has an unknown key;
        names the file, the section and the key.
    """
    try:
        content = load_yaml(read_text_file(path))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'{path}: cannot be read: {error}') from error
    if not isinstance(content, dict):
        raise ConfigurationError(f'{path}: needs keys and values')
    if not any(_is_section(str(key), value, node) for key, value in content.items()):
        _refuse_unknown(str(path), content, plain)
        return content
    values: dict[str, object] = {}
    found = False
    for section in _sections(content, '', node):
        if section.node not in (node, *_EVERY_NODE):
            continue
        found = True
        own = _own_values(f'{path}: {section.name}', section.content)
        if section.node == node:
            _refuse_unknown(f'{path}: {section.name}', own, (*parameters, *_OF_EVERY_NODE))
        values |= own
    if not found:
        raise ConfigurationError(f'{path}: has no section for the node {node}')
    loose = [
        str(key)
        for key, value in content.items()
        if value is not None and not _is_section(str(key), value, node)
    ]
    if loose:
        raise ConfigurationError(f'{path}: {", ".join(loose)}: must stand in a section of a node')
    return values


def _is_section(key: str, value: object, node: str) -> bool:
    """Return whether a key of a file is the name of nodes, and no setting."""
    return isinstance(value, dict) or key.startswith('/') or key.split('/')[-1] == node


def _sections(content: Mapping[object, object], above: str, node: str) -> Iterator[_Section]:
    """Yield all sections; namespaces may be keys of their own."""
    for key, value in content.items():
        name = f'{above}/{key}' if above else str(key)
        is_dict = isinstance(value, dict)
        if is_dict and 'ros__parameters' not in value and name.split('/')[-1] != node:
            yield from _sections(value, name, node)
        elif is_dict or _is_section(name, value, node):
            yield _Section(name, value)


def _own_values(source: str, content: object) -> dict[str, object]:
    """Return what stands under ``ros__parameters``."""
    if not isinstance(content, dict) or not isinstance(content.get('ros__parameters'), dict):
        raise ConfigurationError(f'{source}: needs ros__parameters with keys and values')
    if len(content) > 1:
        beside = ', '.join(str(key) for key in content if key != 'ros__parameters')
        raise ConfigurationError(f'{source}: {beside}: must stand under ros__parameters')
    return content['ros__parameters']


def _refuse_unknown(source: str, values: Mapping[str, object], known: Collection[str]) -> None:
    """Raise if a key is none that is known."""
    unknown = sorted(
        str(key) for key in values if key not in known and not str(key).startswith(_OVERRIDES)
    )
    if unknown:
        raise ConfigurationError(f'{source}: unknown key {", ".join(unknown)}')

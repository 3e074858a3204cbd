"""Outputs from YAML files, by pydantic: what is wrong is an error that names file and key."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator
from typing_extensions import TypeAliasType
import yaml

from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.write_back.output import (
    body_values,
    Filling,
    Kind,
    NAMES,
    Output,
    Subject,
)
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.adapter import Axes
from spacerobot_id.measurement.adapters.adapter_yaml import BODY, Constant, Unit
from spacerobot_id.measurement.adapters.from_fields import is_path
from spacerobot_id.measurement.adapters.proposal import Value
from spacerobot_id.model import file_or_shipped, shipped_names
from spacerobot_id.model.description.description import Place, read_text
from spacerobot_id.settings.kinds import described, Finite, Flag, KeyedError, keys, ReadFrom
from spacerobot_id.settings.yaml_file import OUTERMOST, read_yaml


def value_file(result: Result, output: Output, stamp: float) -> str:
    """Return the text of the file of an output.

    Parameters
    ----------
    result : Result
        A usable result.
    output : Output
        Parameters of a node, which make a parameter file, or a file.
    stamp : float
        Time of the last sample, s.

    Raises
    ------
    ConfigurationError
        If it writes to a topic or a service.
    DescriptionError
        If a value does not show.
    """
    refuse_without_file(output)
    tree = _tree(output.filled(body_values(result, output, stamp)))
    if output.kind is Kind.PARAMETERS:
        node = output.name if output.name.startswith('/') else f'/**/{output.name}'
        tree = {node: {'ros__parameters': tree}}
    method, samples = result.method, result.estimate.samples
    lines = [f'# {method.model.name} by {method.name}, {samples} samples']
    if output.description:
        lines.append(f'# {" ".join(output.description.split())}')
    lines.append(yaml.safe_dump(tree, sort_keys=False, default_flow_style=None))
    return '\n'.join(lines)


def refuse_without_file(output: Output) -> None:
    """Raise ConfigurationError if an output writes to a topic or a service."""
    if output.kind in (Kind.TOPIC, Kind.SERVICE):
        raise ConfigurationError(
            f'{output.source}: the {output.kind.value} {output.name} can be written to live only, '
            'by ~/apply of the estimator'
        )


def file_name(output: Output) -> str:
    """Return the name of the file of an output."""
    if output.kind is Kind.FILE:
        return output.name
    return f'{output.name.rpartition("/")[2]}.yaml'


def _tree(values: Mapping[str, Value]) -> dict[str, object]:
    """Return values by dotted names as mappings of mappings."""
    tree: dict[str, object] = {}
    for path, value in values.items():
        *above, name = path.split('.')
        inner = tree
        for each in above:
            inner = inner.setdefault(each, {})
        inner[name] = value
    return tree


_FOLDER = 'config/outputs'
_FOLDERS = {Kind.TOPIC: 'msg', Kind.SERVICE: 'srv'}


def _is_field(text: str) -> str:
    if not is_path(text) or ':' in text:
        raise ValueError('must be a field such as inertia.com.x or data[1], or a parameter')
    return text


def _filling(given: Any) -> Filling:  # noqa: ANN401
    """Return what a field is filled with: a name, a constant, or a list of both."""
    if not isinstance(given, dict):
        is_value = isinstance(given, str | tuple)
        return Filling('', given) if is_value else Filling('', constant=given)
    if len(given) > 1 and 'constant' in given:
        raise ValueError('a constant stands alone, in the unit of its field')
    if 'constant' in given:
        return Filling('', constant=given['constant'])
    if 'value' not in given:
        raise KeyedError(('value',), 'it is missing')
    return replace(_filling(given['value']), scale=given.get('unit', 1.0))


def _output(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys of an output, which fit together."""
    kinds = [kind for kind in Kind if kind.value in given]
    if len(kinds) != 1:
        raise ValueError(f'needs one of {", ".join(kind.value for kind in Kind)}')
    (kind,) = kinds
    if not given['fields']:
        raise KeyedError(('fields',), 'there are none')
    _check_type(given.get('type'), kind)
    if kind not in _FOLDERS:
        _check_names(tuple(given['fields']))
    return {**given, 'kind': kind}


def _check_type(name: str | None, kind: Kind) -> None:
    """Refuse types that no topic or service has; parameters and files have none."""
    if kind not in _FOLDERS:
        if name is not None:
            raise KeyedError(('type',), f'means nothing beside {kind.value}')
        return
    if name is None:
        raise KeyedError(('type',), 'it is missing')
    if len(name.split('/')) != 3 or name.split('/')[1] != _FOLDERS[kind]:
        reason = f'must be like PACKAGE/{_FOLDERS[kind]}/NAME, got {name!r}'
        raise KeyedError(('type',), reason)


def _check_names(names: tuple[str, ...]) -> None:
    """Refuse names of parameters that have elements, or have others under them."""
    for name in names:
        if '[' in name or any(other.startswith(f'{name}.') for other in names):
            raise KeyedError(('fields', name), 'must be the name of one parameter')


_NAME = TypeAliasType('value', described(Literal[NAMES], 'A value of the estimate, by its name.'))
_VALUE = _NAME | Finite | tuple[_NAME | Finite, ...]
_IN_UNIT = {
    'value': (_VALUE, 'The same.'),
    'unit': (Unit, 'Unit of the field; beside `value`.'),
    'constant': (Constant, 'What the field always is, in place of `value`; a text, too.'),
}
_BODY = {
    'link': (str, 'Link, in its frame.'),
    'less_prior': (Flag, 'Whether what the description has of it is taken away: its load.'),
}
_KEYS = keys(
    'Which message, parameters or file is filled with which values.',
    {
        'description': (str, 'A sentence for people.'),
        'axes': (keys('', {'body': BODY}), 'Axes of what is written.'),
        'body': (
            keys('', _BODY, 'link'),
            'Whose mass properties are written; those of the whole robot by default.',
        ),
        'topic': (str, 'Topic that is published, latched.'),
        'service': (str, 'Service that is called.'),
        'parameters': (str, 'Node whose parameters are set.'),
        'file': (str, 'File that is written.'),
        'type': (str, 'Type of the topic or service, `PACKAGE/msg/NAME`.'),
        'fields': (
            Mapping[
                Annotated[str, AfterValidator(_is_field)],
                described(
                    ReadFrom(_VALUE | Flag | keys('', _IN_UNIT), _filling),
                    'A value by its name, a number, or a list of both; or one of these:',
                ),
            ],
            'Values by field of the message, or by name of the parameter.',
        ),
    },
    'fields',
)
OUTPUT_KEYS = Annotated[Any, ReadFrom(_KEYS, _output)]
"""What the file of an output may have."""


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
    given = read_yaml(OUTPUT_KEYS, text, source)
    subject = (
        Subject(**given['body'], place=Place(source, 'body')) if 'body' in given else Subject()
    )
    return Output(
        source,
        given['kind'],
        given[given['kind'].value],
        tuple(
            replace(each, path=path, place=Place(source, f'fields.{path}'))
            for path, each in given['fields'].items()
        ),
        Place(source, OUTERMOST),
        given.get('type', ''),
        subject,
        replace(Axes(), **given.get('axes', {})),
        given.get('description', ''),
    )

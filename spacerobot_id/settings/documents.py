"""The parameters of nodes as a parameter file and as a page: both follow from the declarations."""

from collections.abc import Iterator, Mapping
from dataclasses import Field
import textwrap

from spacerobot_id.settings.declaration import choices_of, own_parameters

_WIDTH = 99


def parameter_file(nodes: Mapping[str, type]) -> str:
    """Return a parameter file with every parameter at its default, explained above it.

    Parameters
    ----------
    nodes : mapping of str to type
        Settings classes by the names of the nodes.
    """
    lines = [
        '# Parameters of the nodes, every one with its default. /** matches any namespace.',
        '# Written by: spacerobot-id parameters',
    ]
    for node, settings in nodes.items():
        lines += [f'/**/{node}:', '  ros__parameters:', *_file_lines(own_parameters(settings))]
    return '\n'.join(lines) + '\n'


def parameter_page(nodes: Mapping[str, type]) -> str:
    """Return a page in Markdown: a table for each node.

    Parameters
    ----------
    nodes : mapping of str to type
        Settings classes by the names of the nodes.
    """
    parts = [
        '# Parameters of the nodes',
        'Written by `spacerobot-id parameters --page`; every default is in '
        '[config/identify.yaml](../config/identify.yaml).',
    ]
    for node, settings in nodes.items():
        rows = [_row(key, spec) for key, spec in own_parameters(settings).items()]
        head = '| parameter | default | range | meaning |\n| --- | --- | --- | --- |'
        parts += [f'## {node}', '\n'.join([head, *rows])]
    return '\n\n'.join(parts) + '\n'


def yaml_value(value: object) -> str:
    """Return a value as YAML has it."""
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return f'[{", ".join(yaml_value(each) for each in value)}]'
    text = repr(value)
    return text.replace('e', '.0e') if 'e' in text and '.' not in text else text


def _file_lines(known: Mapping[str, Field]) -> Iterator[str]:
    """Yield the lines of one node."""
    for key, spec in known.items():
        for line in textwrap.wrap(spec.metadata['description'], _WIDTH - 6):
            yield f'    # {line}'
        yield f'    {key}: {yaml_value(spec.default)}'


def _row(key: str, spec: Field) -> str:
    """Return a row of the page."""
    default = f'`{yaml_value(spec.default)}`'
    return f'| `{key}` | {default} | {_range(spec)} | {spec.metadata["description"]} |'


def _range(spec: Field) -> str:
    """Return what a parameter may be."""
    choices = choices_of(spec)
    if choices:
        return ', '.join(f'`{each}`' for each in choices)
    low, high = spec.metadata['minimum'], spec.metadata['maximum']
    parts = [
        '' if low is None else f'>= {low:g}',
        '' if high is None else f'<= {high:g}',
        'odd' if spec.metadata['odd'] else '',
    ]
    return ', '.join(part for part in parts if part)

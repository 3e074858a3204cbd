"""Schemas of YAML files: JSON Schema (2020-12) for editors, and the same as a page of keys."""

from collections.abc import Iterator, Mapping
import inspect
import re
from typing import Any

Schema = dict[str, Any]

_DIALECT = 'https://json-schema.org/draft/2020-12/schema'
_DEFINITIONS = '#/$defs/'
_FIELD = re.compile(r'^([\w, ]+) : .*$')


def field_texts(kind: type) -> dict[str, str]:
    """Return the descriptions of the fields of a dataclass in its docstring, by their names.

    Parameters
    ----------
    kind : type
        Class with a section of parameters in the style of numpydoc.
    """
    found: dict[str, str] = {}
    names: list[str] = []
    section = (inspect.getdoc(kind) or '').partition('Parameters\n----------\n')[2]
    for line in section.split('\n\n')[0].splitlines():
        heading = _FIELD.match(line)
        if heading:
            names = heading[1].split(', ')
            found |= dict.fromkeys(names, '')
        else:
            found |= {name: f'{found[name]} {line.strip()}'.strip() for name in names}
    return {
        name: re.sub(r'\bNone\b', 'left out', text.replace('``', '`'))
        for name, text in found.items()
    }


def number(text: str, **limits: float) -> Schema:
    """Return the schema of a number; limits as JSON Schema names them (``exclusiveMinimum``)."""
    return {'type': 'number', 'description': text, **limits}


def positive(text: str) -> Schema:
    """Return the schema of a number above zero."""
    return number(text, exclusiveMinimum=0.0)


def not_negative(text: str) -> Schema:
    """Return the schema of a number that is zero or above."""
    return number(text, minimum=0.0)


def string(text: str, *choices: str) -> Schema:
    """Return the schema of a text, one of the choices if there are any."""
    return {'type': 'string', 'description': text} | ({'enum': list(choices)} if choices else {})


def flag(text: str) -> Schema:
    """Return the schema of true or false."""
    return {'type': 'boolean', 'description': text}


def vector(text: str, size: int = 3) -> Schema:
    """Return the schema of some numbers."""
    items = {'type': 'number'}
    return listed(text, items) | {'minItems': size, 'maxItems': size}


def listed(text: str, items: Schema) -> Schema:
    """Return the schema of a list."""
    return {'type': 'array', 'description': text, 'items': items}


def by_name(text: str, value: Schema) -> Schema:
    """Return the schema of a mapping whose keys are names, of joints for instance."""
    return {'type': 'object', 'description': text, 'additionalProperties': value}


def record(text: str, keys: Mapping[str, Schema], *required: str) -> Schema:
    """Return the schema of a mapping with known keys."""
    schema = {'type': 'object', 'description': text, 'properties': dict(keys)}
    return schema | {'additionalProperties': False} | _if_any('required', list(required))


def either(text: str, *kinds: Schema) -> Schema:
    """Return the schema of a value of several kinds."""
    return {'description': text, 'anyOf': list(kinds)}


def defined(name: str, text: str = '') -> Schema:
    """Return the schema of what stands under a name in the definitions of the file."""
    return {'$ref': f'{_DEFINITIONS}{name}'} | ({'description': text} if text else {})


def whole_file(title: str, schema: Schema, **definitions: Schema) -> Schema:
    """Return the schema of a file, with definitions that ``defined`` refers to."""
    shared = {'$defs': definitions} if definitions else {}
    return {'$schema': _DIALECT, 'title': title, **schema, **shared}


def keys_page(schema: Schema, introduction: str) -> str:
    """Return a page in Markdown with a row for each key.

    Parameters
    ----------
    schema : dict
        Schema of a file.
    introduction : str
        What stands above the tables.
    """
    parts = [f'# {schema["title"]}', introduction]
    plain = {key: each for key, each in schema['properties'].items() if not _inner(each)}
    required = schema.get('required', ())
    parts.append(_table([('', key, each, key in required) for key, each in plain.items()]))
    for key, each in (schema['properties'] | schema.get('$defs', {})).items():
        if key not in plain:
            parts += [f'## {key}', each['description']]
            rows = list(_rows('', each))
            parts.append(_table(rows) if rows else f'It is {_kind(each)}.')
    return '\n\n'.join(parts) + '\n'


def _rows(above: str, schema: Schema) -> Iterator[tuple[str, str, Schema, bool]]:
    """Yield path, key, schema and whether it is needed, for all keys under a schema."""
    required = schema.get('required', ())
    for key, each in schema.get('properties', {}).items():
        yield above, key, each, key in required
        yield from _rows(f'{above}{key}.', each)
    if isinstance(schema.get('additionalProperties'), dict):
        value = schema['additionalProperties']
        if not _inner(value):
            yield above, 'NAME', value, False
        yield from _rows(f'{above}NAME.', value)
    if 'items' in schema and _inner(schema['items']):
        yield from _rows(f'{above}[].' if not above else f'{above[:-1]}[].', schema['items'])
    for kind in schema.get('anyOf', ()):
        yield from ((*row[:3], False) for row in _rows(above, kind))


def _inner(schema: Schema) -> bool:
    """Return whether there are keys under a schema."""
    return any(True for _ in _rows('', schema))


def _table(rows: list[tuple[str, str, Schema, bool]]) -> str:
    """Return a table of keys."""
    head = '| key | value | meaning |\n| --- | --- | --- |'
    lines = [
        f'| `{above}{key}`{" (required)" if needed else ""} | {_kind(schema)} | '
        f'{schema.get("description", "")} |'
        for above, key, schema, needed in rows
    ]
    return '\n'.join([head, *dict.fromkeys(lines)])


def _kind(schema: Schema) -> str:
    """Return a description of what a value is."""
    if '$ref' in schema:
        name = schema['$ref'].removeprefix(_DEFINITIONS)
        return f'[{name}](#{name})'
    if 'enum' in schema:
        return ', '.join(f'`{each}`' for each in schema['enum'])
    if 'anyOf' in schema:
        return ' or '.join(dict.fromkeys(_kind(each) for each in schema['anyOf']))
    if 'const' in schema:
        return f'`{schema["const"]}`'.lower()
    kind = schema.get('type')
    if isinstance(kind, list):
        return ' or '.join(_kind({'type': each}) for each in kind)
    if kind == 'array':
        size = schema.get('minItems')
        return f'{size} numbers' if size else f'list of {_kind(schema["items"])}'
    if kind == 'object':
        return 'keys' if 'properties' in schema else 'by name'
    limits = {'exclusiveMinimum': '>', 'minimum': '>=', 'maximum': '<='}
    bounds = [f'{sign} {schema[key]:g}' for key, sign in limits.items() if key in schema]
    names = {'string': 'text', 'boolean': 'true or false', 'null': 'nothing'}
    return ' '.join([names.get(kind, kind or 'any'), ', '.join(bounds)]).strip()


def _if_any(key: str, values: list[str]) -> Schema:
    """Return a key with its values, if there are any."""
    return {key: values} if values else {}

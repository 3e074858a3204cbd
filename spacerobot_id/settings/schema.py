"""Schemas of files: JSON Schema (2020-12) for editors, and the same as a page of keys."""

from collections.abc import Iterator, Mapping
from functools import cache
import inspect
import re
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from spacerobot_id.settings.kinds import type_adapter

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
    above = {key: text for base in kind.__bases__ for key, text in field_texts(base).items()}
    section = (inspect.getdoc(kind) or '').partition('Parameters\n----------\n')[2]
    for line in section.split('\n\n')[0].splitlines():
        heading = _FIELD.match(line)
        if heading:
            names = heading[1].split(', ')
            found |= dict.fromkeys(names, '')
        else:
            found |= {name: f'{found[name]} {line.strip()}'.strip() for name in names}
    return above | {
        name: re.sub(r'\bNone\b', 'left out', text.replace('``', '`'))
        for name, text in found.items()
    }


class _Generator(GenerateJsonSchema):
    """What writes schemas: descriptions are those of the docstrings."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        """Return the schema of a value; its default is as the description says."""
        return self.generate_inner(schema['schema'])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Schema:
        """Return the schema of a mapping with known keys."""
        found = super().dataclass_schema(schema)
        texts, fields = field_texts(schema['cls']), schema['schema']['fields']
        for each in fields:
            known = found['properties'][each.get('validation_alias', each['name'])]
            known.setdefault('description', texts.get(each['name'], ''))
        return found | {'description': inspect.getdoc(schema['cls']).partition('\n')[0]}


@cache
def schema_of(kind: type, title: str = '') -> Schema:
    """Return the schema of a file that is read as a type.

    Parameters
    ----------
    kind : type
        Dataclass whose fields are keys, or another type that pydantic knows.
    title : str
        Title of the schema.
    """
    found = type_adapter(kind).json_schema(schema_generator=_Generator)
    definitions = found.pop('$defs', {})
    shared = {key: each for key, each in definitions.items() if key.islower()}
    found = _inlined({**found, '$defs': shared} if shared else found, definitions)
    return {'$schema': _DIALECT, 'title': title, **found}


def _inlined(schema: Any, definitions: Mapping[str, Schema]) -> Any:  # noqa: ANN401
    """Return a schema with the dataclasses where they are named; named kinds stay apart."""
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    name = schema.get('$ref', '').removeprefix(_DEFINITIONS)
    if name and not name.islower():
        beside = {key: each for key, each in schema.items() if key != '$ref'}
        return _inlined(definitions[name] | beside, definitions)
    return {
        'anyOf' if key == 'oneOf' else key: _inlined(each, definitions)
        for key, each in schema.items()
        if key != 'discriminator' and not (key == 'title' and isinstance(each, str))
    }


def known_keys(schema: Schema, path: tuple[str | int, ...], content: object) -> list[str]:
    """Return the keys that may stand beside one in a file.

    Parameters
    ----------
    schema : dict
        Schema of the file.
    path : tuple
        Keys and numbers of entries that lead to the key.
    content : object
        The file: of several kinds of mappings that which shares most keys with it is meant.
    """
    kinds = _kinds(schema, schema)
    for part in path[:-1]:
        content = content[part]
        below = [
            each['items'] if isinstance(part, int) else _value(each, part)
            for each in kinds
            if ('items' if isinstance(part, int) else 'type') in each
        ]
        kinds = [each for one in below for each in _kinds(one, schema)]
    known = [list(each.get('properties', ())) for each in kinds]
    return max(known, key=lambda keys: (len([key for key in keys if key in content]), len(keys)))


def _value(schema: Schema, key: str) -> Schema:
    """Return the schema of the value of a key."""
    return schema.get('properties', {}).get(key, schema.get('additionalProperties') or {})


def _kinds(schema: Schema, whole: Schema) -> list[Schema]:
    """Return the schemas of all kinds that a value may have."""
    name = schema.get('$ref', '').removeprefix(_DEFINITIONS)
    schema = whole['$defs'][name] if name else schema
    if 'anyOf' in schema:
        return [kind for each in schema['anyOf'] for kind in _kinds(each, whole)]
    return [schema]


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
        if not _inner(value) and 'description' in value:
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
    names = {'integer': 'whole number', 'boolean': 'true or false', 'null': 'nothing'}
    return ' '.join([names.get(kind, kind or 'any'), ', '.join(bounds)]).strip()

"""Pages and schemas that follow from the code are as the code would write them now."""

import json
from pathlib import Path
import sys

import jsonschema
import pytest
import yaml

from spacerobot_id.estimation.write_back.output_yaml import parse_output
from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.measurement.adapters.adapter_yaml import parse_adapter
from spacerobot_id.methods.documents import SENSOR_SETS, takes
from spacerobot_id.methods.registry import method_class, method_names
from spacerobot_id.model.description.robot_yaml import read_robot_yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'docs'))

from generate import generated, SCHEMAS  # noqa: E402

FOLDERS = {'robot': 'robots', 'adapter': 'adapters', 'output': 'outputs'}
READERS = {'robot': read_robot_yaml, 'adapter': parse_adapter, 'output': parse_output}
FILES = [
    (name, path)
    for name, folder in FOLDERS.items()
    for path in sorted((ROOT / 'config' / folder).glob('*.yaml'))
]
LEAST = {
    'robot': {},
    'adapter': {'topics': [{'topic': 'a', 'type': 'sensor_msgs/msg/Imu', 'imu': None}]},
    'output': {'file': 'a.yaml', 'fields': {'mass': 'mass'}},
}
"""The least that each kind of file must say."""


@pytest.mark.parametrize('path', generated())
def test_file_is_what_the_code_writes(path):
    """``python docs/generate.py`` writes it again."""
    assert (ROOT / path).read_text(encoding='utf-8') == generated()[path]


@pytest.mark.parametrize(('name', 'path'), FILES, ids=lambda each: getattr(each, 'name', each))
def test_shipped_files_are_as_their_schema_says(name, path):
    schema = json.loads((ROOT / f'config/schemas/{name}.json').read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    faults = list(validator.iter_errors(yaml.safe_load(path.read_text())))
    assert not faults, faults[0].message


def mappings(schema, path=()):
    """Yield path and keys of every mapping with known keys under a schema."""
    if 'properties' in schema:
        yield path, schema
        for key, each in schema['properties'].items():
            yield from mappings(each, (*path, key))
    for each in schema.get('anyOf', ()):
        yield from mappings(each, path)
    if 'items' in schema:
        yield from mappings(schema['items'], (*path, 0))
    if isinstance(schema.get('additionalProperties'), dict):
        names = schema.get('propertyNames', {}).get('enum', ['NAME'])
        yield from mappings(schema['additionalProperties'], (*path, names[0]))


def least(schema, definitions):
    """Return a value that a schema allows."""
    if '$ref' in schema:
        return least(definitions[schema['$ref'].split('/')[-1]], definitions)
    if 'enum' in schema or 'const' in schema:
        return schema.get('const', schema.get('enum', [None])[0])
    if 'anyOf' in schema:
        return least(schema['anyOf'][0], definitions)
    if schema['type'] == 'array':
        return [least(schema['items'], definitions)] * schema.get('minItems', 1)
    if schema['type'] == 'object':
        required = schema.get('required', ())
        return {key: least(schema['properties'][key], definitions) for key in required}
    return {'number': 1.0, 'integer': 2, 'string': 'a', 'boolean': True, 'null': None}[
        schema['type']
    ]


def planted(content, path, value):
    """Return a file's content with a value at a path."""
    if not path:
        return value
    key, *rest = path
    if key == 0:
        first = content[0] if isinstance(content, list) and content else {}
        return [planted(first, rest, value)]
    content = dict(content) if isinstance(content, dict) else {}
    return content | {key: planted(content.get(key), rest, value)}


CASES = [
    pytest.param(
        name, path, schema, id='.'.join(map(str, (name, *path, *schema['properties'])))[:80]
    )
    for name, make in SCHEMAS.items()
    for path, schema in mappings(make())
]


@pytest.mark.parametrize(('name', 'path', 'schema'), CASES)
def test_the_reader_knows_the_keys_of_the_schema_and_no_others(name, path, schema):
    """An unknown key anywhere is refused, with exactly the keys that the schema has there."""
    definitions = SCHEMAS[name]().get('$defs', {})
    value = least(schema, definitions) if path else LEAST[name]
    content = planted(LEAST[name], path, value | {'not_a_key': 1})
    with pytest.raises(DescriptionError) as raised:
        READERS[name](yaml.safe_dump(content), 'file.yaml')
    known = str(raised.value).partition('unknown key; known are ')[2].split(', ')
    assert 'not_a_key' in str(raised.value)
    assert sorted(known) == sorted(schema['properties']), raised.value


def test_every_method_is_proposed_for_some_sensors():
    proposed = {
        name for name in method_names() for each in SENSOR_SETS if takes(method_class(name), each)
    }
    assert proposed == set(method_names())


def test_slow_poses_and_thrusters_lead_to_momentum_balance():
    """The two cases in which another method would run and be wrong."""
    for each in SENSOR_SETS:
        if each.is_slow or 'thrust' in each.streams:
            names = [name for name in method_names() if takes(method_class(name), each)]
            assert names == ['momentum_balance'], each.description

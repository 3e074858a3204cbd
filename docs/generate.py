"""Write what follows from the code, for the docs and the editors: python docs/generate.py."""

from collections.abc import Callable, Mapping
from functools import partial
import json
from pathlib import Path

from policies import DIFFERENCES, policy_text
import yaml

from spacerobot_id.cli.parameters import NODES
from spacerobot_id.estimation.write_back.output_yaml import OUTPUT_KEYS
from spacerobot_id.measurement.adapters.adapter_yaml import ADAPTER_KEYS, NUMBERS
from spacerobot_id.methods.documents import methods_page, which_method_page
from spacerobot_id.model.description.robot_yaml import RobotKeys
from spacerobot_id.settings.documents import parameter_file, parameter_page
from spacerobot_id.settings.schema import keys_page, Schema, schema_of

ROOT = Path(__file__).resolve().parents[1]

SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    'robot': partial(schema_of, RobotKeys, 'robot.yaml by key'),
    'adapter': partial(schema_of, ADAPTER_KEYS, 'Adapters by key'),
    'output': partial(schema_of, OUTPUT_KEYS, 'Outputs by key'),
}
"""Schemas of files by their names."""

_ABOUT = {
    'robot': 'The YAML file beside a URDF, of the same stem. It has what URDF cannot: wheels, '
    'thrusters, limits, noise, and what the simulator adds. All keys are optional; '
    'with `dh` the file is a robot of its own, without a URDF. '
    '[config/robots/servicer.yaml](../../config/robots/servicer.yaml) is an example.',
    'adapter': 'How the messages of a test bed become readings: see [adapters](../adapters.md), '
    'which has an example. `spacerobot-id topics BAG` proposes one.',
    'output': 'Where an estimate is written: see [outputs](../outputs.md), which has an example.',
}


def key_page(name: str) -> str:
    """Return the page of a kind of files, key by key."""
    introduction = (
        f'{_ABOUT[name]}\n\n'
        'Units are SI. `NAME` stands for a name of your own, `[]` for each entry of a list. The '
        f'same for editors: [config/schemas/{name}.json](../../config/schemas/{name}.json), named '
        f'in the first line of a file by `# yaml-language-server: $schema=/path/to/{name}.json`. '
        'Written by `python docs/generate.py`.'
    )
    return keys_page(SCHEMAS[name](), introduction) + _PRESETS.get(name, str)()


def output_presets() -> str:
    """Return the presets of outputs: what each writes, field by field."""
    parts = ['\n## Presets']
    for path in sorted((ROOT / 'config/outputs').glob('*.yaml')):
        content = yaml.safe_load(path.read_text(encoding='utf-8'))
        (kind,) = {'topic', 'service', 'parameters', 'file'} & content.keys()
        rows = [f'| `{field}` | `{value}` |' for field, value in content['fields'].items()]
        parts += [
            f'### {path.stem}',
            f'{content["description"]} ({kind} `{content[kind]}`)',
            '\n'.join(['| field | value |', '| --- | --- |', *rows]),
        ]
    return '\n\n'.join(parts) + '\n'


def adapter_presets() -> str:
    """Return the presets of adapters: topics, types, and what each gives."""
    parts = ['\n## Presets']
    for path in sorted((ROOT / 'config/adapters').glob('*.yaml')):
        content = yaml.safe_load(path.read_text(encoding='utf-8'))
        rows = [
            f'| `{each["topic"]}` | `{each["type"]}` | '
            f'{", ".join(f"`{key}`" for key in each if key in NUMBERS)} |'
            for each in content['topics']
        ]
        parts += [
            f'### {path.stem}',
            content['description'],
            '\n'.join(['| topic | type | gives |', '| --- | --- | --- |', *rows]),
        ]
    return '\n\n'.join(parts) + '\n'


_PRESETS: Mapping[str, Callable[[], str]] = {'output': output_presets, 'adapter': adapter_presets}


def schema_text(name: str) -> str:
    """Return a schema as it stands in a file."""
    return json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False) + '\n'


def generated() -> dict[str, str]:
    """Return the texts of all files that follow from the code, by their paths."""
    files = {
        'config/identify.yaml': parameter_file(NODES),
        'docs/parameters.md': parameter_page(NODES),
        'docs/methods.md': methods_page(),
        'docs/reference/which_method.md': which_method_page(),
    }
    for name in SCHEMAS:
        files[f'docs/reference/{name}_yaml.md'] = key_page(name)
        files[f'config/schemas/{name}.json'] = schema_text(name)
    for name in DIFFERENCES:
        files[f'config/sros2/{name}.xml'] = policy_text(name)
    return files


def main() -> None:
    """Write them."""
    for path, text in generated().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()

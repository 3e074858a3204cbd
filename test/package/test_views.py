"""Layouts of viewers name topics that the nodes have, and fields that their types have."""

import json
from pathlib import Path
import re
from xml.etree import ElementTree

from rosbags.typesys import get_typestore, Stores
import yaml

ROOT = Path(__file__).parents[2]
VIEWS = ROOT / 'config/views'
DOCS = (ROOT / 'docs/interfaces.md').read_text()
LATCHED = 'Transient Local'
STORE = get_typestore(Stores.ROS2_JAZZY)
OTHER_TYPES = {
    '/diagnostics': 'diagnostic_msgs/msg/DiagnosticArray',
    '/base_pose': 'geometry_msgs/msg/PoseStamped',
    '/applied_wrench': 'geometry_msgs/msg/WrenchStamped',
}


def documented():
    """Return the types of the topics in the tables of each node, by absolute name."""
    found = {}
    for node in ('simulator', 'planner', 'estimator'):
        (section,) = re.findall(rf'^## {node}\n(.*?)(?=^## |\Z)', DOCS, re.MULTILINE | re.DOTALL)
        for names, kind in re.findall(r'^\| (`[^|]*) \| ([^|]*) \|', section, re.MULTILINE):
            for name in re.findall('`([^`]*)`', names):
                package, _, short = kind.partition('/')
                absolute = name.replace('~', f'/{node}', 1) if '~' in name else f'/{name}'
                full = f'{package}/msg/{short.strip()}'
                found[absolute.replace('//', '/')] = full
    return found | OTHER_TYPES


TYPES = documented()


def has_fields(kind, path):
    """Return whether a type has fields, one inside the other."""
    for name in path:
        fields = dict(STORE.fielddefs[kind][1])
        if name not in fields:
            return False
        kind = fields[name][1] if fields[name][0].name == 'NAME' else None
    return True


def topics_in(value, key=''):
    """Yield what a layout of Foxglove calls a topic, with its fields."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if key == 'topics':
                yield name
            yield from topics_in(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from topics_in(inner, key)
    elif key in ('topic', 'topicPath', 'topicToRender', 'value') and isinstance(value, str):
        yield value


def assert_known(path, separator):
    """Hold that a path of a layout begins with a topic whose type has the fields that follow."""
    topic = max(
        (each for each in TYPES if (path + separator).startswith(each + separator)), key=len
    )
    fields = [each.partition('[')[0] for each in path[len(topic) :].split(separator) if each]
    assert has_fields(TYPES[topic], fields), path


def test_foxglove():
    """Every panel stands in the layout, once."""
    content = json.loads((VIEWS / 'foxglove.json').read_text())
    paths = set(topics_in(content['configById']))
    assert len(paths) > 10
    for path in paths:
        assert_known(path, '.')
    panels = re.findall(r'"(?:first|second)": "([^"]*)"', json.dumps(content['layout']))
    assert sorted(panels) == sorted(content['configById'])


def test_plotjuggler():
    root = ElementTree.parse(VIEWS / 'plotjuggler.xml').getroot()
    curves = [each.attrib['name'] for each in root.iter('curve')]
    assert len(curves) == len(set(curves)) > 15
    for path in curves:
        assert_known(path, '/')


def test_rviz():
    """Topics that are latched are subscribed to as such; the others as best effort."""
    content = yaml.safe_load((VIEWS / 'identify.rviz').read_text())
    displays = content['Visualization Manager']['Displays']
    topics = {
        each.get('Topic', each.get('Description Topic'))['Value']: each
        for each in displays
        if 'Topic' in each or 'Description Topic' in each
    }
    assert set(topics) <= set(TYPES)
    for name, display in topics.items():
        profile = display.get('Topic', display.get('Description Topic'))
        relative = name.replace('/estimator', '~', 1)
        latched = bool(re.search(rf'`{relative}`[^|]* latched \|', DOCS))
        assert (profile['Durability Policy'] == LATCHED) == latched
        kind = display['Class'].rpartition('/')[2]
        assert TYPES[name].endswith(
            {'RobotModel': 'String', 'Pose': 'PoseStamped'}.get(kind, kind)
        )

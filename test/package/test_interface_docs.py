"""docs/interfaces.md has the topics and services of the policy, which are those of the nodes."""

from pathlib import Path
import re
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
POLICY = ElementTree.parse(ROOT / 'config/sros2/policy.xml').getroot()
DOCS = (ROOT / 'docs/interfaces.md').read_text()
NODES = ('simulator', 'planner', 'estimator')
EVERY_NODE_HAS = {'/parameter_events', '/rosout', '/clock', '~/transition_event'} | {
    f'~/{name}'
    for name in (
        *('change_state', 'get_state', 'get_available_states', 'get_available_transitions'),
        *('get_transition_graph', 'get_type_description', 'describe_parameters'),
        *('get_parameters', 'get_parameter_types', 'list_parameters', 'set_parameters'),
        'set_parameters_atomically',
    )
}
RIGHTS = {'in': ('topics', 'subscribe'), 'out': ('topics', 'publish')}


def granted(node, kind, right):
    """Return the names that the policy gives to a node alone."""
    lists = POLICY.findall(
        f'./enclaves/enclave[@path="/{node}"]/profiles/profile/{kind}[@{right}="ALLOW"]'
    )
    return {each.text.replace('*', 'NAME') for found in lists for each in found} - EVERY_NODE_HAS


def cells(node):
    """Return the first cells of the tables in a node's section."""
    (section,) = re.findall(rf'^## {node}\n(.*?)(?=^## |\Z)', DOCS, re.MULTILINE | re.DOTALL)
    return re.findall(r'^\| (`[^|]*) \|', section, re.MULTILINE)


def documented(node, ending):
    """Return the names of a node's tables whose cell ends so; services end with their name."""
    return {
        name
        for cell in cells(node)
        if (re.sub(r', (latched|optional)', '', cell).rsplit('`', 1)[1].strip() or 'service')
        == ending
        for name in re.findall('`([^`]*)`', cell)
    }


@pytest.mark.parametrize('direction', RIGHTS)
@pytest.mark.parametrize('node', NODES)
def test_topics_are_those_of_the_policy(node, direction):
    """The planner's inputs of other methods are in the text below the table."""
    assert documented(node, direction) == granted(node, *RIGHTS[direction])


@pytest.mark.parametrize('node', NODES)
def test_services_are_those_of_the_policy(node):
    assert documented(node, 'service') == granted(node, 'services', 'reply')

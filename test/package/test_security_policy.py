"""The SROS 2 policy grants what the nodes use, as the node graph shows it, and nothing else."""

from contextlib import ExitStack
from fnmatch import fnmatch
from xml.etree import ElementTree

import pytest
from ros_harness import Client, ROBOTS, running

CONFIG = ROBOTS.parent
POLICY = ElementTree.parse(CONFIG / 'sros2/policy.xml').getroot()
LAUNCHED = {
    'identify': ('naveen_dual_arm', 'naveen_dual_arm_prior'),
    'free_flyer': ('space_cobot_loaded', 'space_cobot'),
    'air_bearing': ('air_bearing', 'air_bearing_prior'),
    'angular_momentum': ('christidi_spatial_arm', 'christidi_spatial_arm_prior'),
}
"""Robots of the simulator and of the others in the launch files of a whole demonstration."""

PARTS = {'onboard', 'simulator'}
"""Launch files of some of the nodes of ``identify``, with the same parameters."""
NODES = ('simulator', 'planner', 'estimator', 'mission')
FOUND_BY = {
    ('topics', 'publish'): 'get_publisher_names_and_types_by_node',
    ('topics', 'subscribe'): 'get_subscriber_names_and_types_by_node',
    ('services', 'reply'): 'get_service_names_and_types_by_node',
    ('services', 'request'): 'get_client_names_and_types_by_node',
}
KINDS = ('topics', 'services')
OF_OTHER_METHODS = {'/base_wrench', '/thruster_commands'}
MOVES_A_ROBOT = {'/joint_trajectory', '/wheel_trajectory'} | OF_OTHER_METHODS
SETS_PARAMETERS = {'set_parameters', 'set_parameters_atomically', 'change_state'}


def absolute(node, name):
    """Return a name of the policy as it is in the graph."""
    return name if name.startswith('/') else f'/{name.replace("~", node, 1)}'


def granted(node, kind, right, policy=POLICY):
    """Return what a policy allows a node."""
    (profile,) = policy.findall(f'./enclaves/enclave[@path="/{node}"]/profiles/profile')
    assert profile.attrib == {'ns': '/', 'node': node}
    lists = profile.findall(f'{kind}[@{right}="ALLOW"]')
    return {absolute(node, each.text) for found in lists for each in found}


@pytest.fixture(scope='module', name='launched', params=LAUNCHED)
def nodes_of_a_launch_file(request):
    """Return a node that sees those of a launch file at work, and their policy."""
    name = request.param
    truth, prior = LAUNCHED[name]
    file = 'policy' if name == 'identify' else name
    files = ('--params-file', str(CONFIG / f'{name}.yaml'), '-p', 'use_sim_time:=true')
    with ExitStack() as stack:
        for node in NODES[:-1]:
            robot = ROBOTS / f'{truth if node == "simulator" else prior}.urdf'
            stack.enter_context(running(node, {}, (*files, '-p', f'robot:={robot}')))
        policy = ElementTree.parse(CONFIG / f'sros2/{file}.xml').getroot()
        yield stack.enter_context(Client()), policy


def test_F40_every_launch_file_has_a_policy():
    """With the robots and the parameters that are tried here."""
    files = {each.name.split('.')[0]: each for each in (CONFIG.parent / 'launch').glob('*.py')}
    assert set(files) == set(LAUNCHED) | PARTS
    for name, (truth, _) in LAUNCHED.items():
        assert f'{truth}.urdf' in files[name].read_text()
        assert name == 'identify' or f'{name}.yaml' in files[name].read_text()
    for name in PARTS:
        text = files[name].read_text()
        assert 'identify.yaml' in text
        assert any(f'{robot}.urdf' in text for robot in LAUNCHED['identify'])


def used(graph, node, kind, right):
    """Return what a node has."""
    return {name for name, _ in getattr(graph.node, FOUND_BY[kind, right])(node, '/')}


def matches(names, patterns):
    """Return whether each name has a pattern, and each pattern a name."""
    return all(any(fnmatch(name, each) for each in patterns) for name in names) and all(
        any(fnmatch(name, each) for name in names) for each in patterns
    )


@pytest.mark.parametrize(('kind', 'right'), FOUND_BY)
@pytest.mark.parametrize('node', NODES[:-1])
def test_F40_every_right_is_used_and_everything_used_is_a_right(launched, node, kind, right):
    graph, policy = launched
    allowed = granted(node, kind, right, policy)

    def agree():
        try:
            return matches(used(graph, node, kind, right), allowed)
        except RuntimeError:  # the node is not in the graph yet
            return False

    try:
        graph.wait_until(agree)
    except TimeoutError:
        pytest.fail(f'used: {used(graph, node, kind, right)}, allowed: {allowed}')


def test_F40_the_policy_has_these_nodes_and_no_wrong_words():
    assert POLICY.tag == 'policy'
    enclaves = [each.attrib['path'] for each in POLICY.find('enclaves')]
    assert enclaves == [f'/{node}' for node in NODES]
    rights = {(each.tag, *each.attrib) for each in POLICY.iter() if each.tag in KINDS}
    assert rights == set(FOUND_BY)
    values = {
        value for each in POLICY.iter() if each.tag in KINDS for value in each.attrib.values()
    }
    assert values == {'ALLOW'}


def test_F40_the_mission_asks_only_for_what_others_answer_and_hears_what_they_say():
    answers = set().union(*(granted(node, 'services', 'reply') for node in NODES[:-1]))
    assert granted('mission', 'services', 'request') <= answers
    published = set().union(*(granted(node, 'topics', 'publish') for node in NODES[:-1]))
    assert granted('mission', 'topics', 'subscribe') <= published


def test_F40_only_the_planner_moves_the_robot_and_nobody_sets_parameters():
    for node in NODES:
        moves = granted(node, 'topics', 'publish') & MOVES_A_ROBOT
        assert moves == (set() if node != 'planner' else MOVES_A_ROBOT - OF_OTHER_METHODS)
        asked = {name.rpartition('/')[2] for name in granted(node, 'services', 'request')}
        assert not asked & SETS_PARAMETERS


def test_F40_wildcards_stand_for_links_alone():
    names = [each.text for each in POLICY.iter() if each.text and '*' in each.text]
    assert names == ['~/links/*/inertia']

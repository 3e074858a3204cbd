"""SROS 2 policies of the launch files of other methods: how they differ from policy.xml."""

from pathlib import Path
from xml.etree import ElementTree

POLICY = Path(__file__).parents[1] / 'config/sros2/policy.xml'

DIFFERENCES = {
    'free_flyer': {
        ('planner', 'publish'): '+base_wrench -joint_trajectory -wheel_trajectory',
        ('planner', 'subscribe'): '+base_pose +base_twist -joint_states',
        ('estimator', 'subscribe'): (
            '+applied_wrench +base_wrench -base_twist -imu/data -joint_states'
        ),
    },
    'air_bearing': {
        ('simulator', 'publish'): '-applied_wrench -base_twist',
        ('planner', 'publish'): '+thruster_commands -wheel_trajectory',
        ('planner', 'subscribe'): '+base_pose',
        ('estimator', 'subscribe'): '+applied_wrench +base_wrench +thruster_commands',
    },
    'angular_momentum': {
        ('simulator', 'publish'): '-base_twist',
        ('planner', 'publish'): '-wheel_trajectory',
        ('planner', 'subscribe'): '+base_pose',
        ('estimator', 'subscribe'): '-base_twist',
    },
}
"""Topics that nodes have more (+) and less (-), by launch file, node and right."""


def policy_text(name: str) -> str:
    """Return the policy of a launch file.

    Parameters
    ----------
    name : str
        Launch file without its endings.
    """
    policy = ElementTree.parse(POLICY).getroot()
    for (node, right), words in DIFFERENCES[name].items():
        (topics,) = policy.findall(f'.//enclave[@path="/{node}"]//topics[@{right}="ALLOW"]')
        change = {word[1:]: word[0] for word in words.split()}
        names = {each.text for each in topics}
        unknown = [key for key, sign in change.items() if (key in names) is (sign == '+')]
        if unknown:
            raise ValueError(f'{name}: {node}, {right}: {", ".join(unknown)}: nothing to change')
        names = names - change.keys() | {key for key, sign in change.items() if sign == '+'}
        topics[:] = []
        for each in sorted(names):
            ElementTree.SubElement(topics, 'topic').text = each
    ElementTree.indent(policy, '  ')
    text = ElementTree.tostring(policy, encoding='unicode')
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<!-- Of {name}.launch.py; policy.xml explains it. Written by docs/generate.py. -->\n'
        f'{text}\n'
    )

"""Links have the topics of their names, also where no topic can have such a name."""

import pytest
from rclpy.validate_topic_name import validate_topic_name

from spacerobot_id.nodes.estimator.estimate_outputs import link_topics


@pytest.mark.parametrize(
    'name', ['arm-1', 'link.001', 'left arm', 'Träger', '1st', 'a/b', 'a~', '{x}', 'ɐ', '', 'a__b']
)
def test_every_name_of_a_link_gives_a_topic(name):
    (topic,) = link_topics([name]).values()
    validate_topic_name(topic)


def test_names_that_topics_can_have_are_as_they_were():
    names = ['bus', 'arm_link_2', 'A_9', '_x']
    assert link_topics(names) == {name: f'~/links/{name}/inertia' for name in names}


@pytest.mark.parametrize('names', [['arm-1', 'arm_1', 'arm.1'], ['arm_1', 'arm.1', 'arm-1']])
def test_no_two_links_have_one_topic(names):
    """That whose name it is keeps it."""
    topics = link_topics(names)
    assert topics == {'arm_1': '~/links/arm_1/inertia', 'arm-1': '', 'arm.1': ''}
    assert sorted(link_topics(['a.b', 'a-b']).values()) == ['', '~/links/a_b/inertia']

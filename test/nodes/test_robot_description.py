"""The prior model from the topic ``robot_description``, as robot_state_publisher latches it."""

import pytest
from ros_harness import Client, NodeProcess, running
from small_robot import small_robot_prior
from std_msgs.msg import String

from spacerobot_id.model import urdf_from_robot, write_robot
from spacerobot_id.model.description.robot_writer import yaml_from_robot
from spacerobot_id.nodes.common import qos

ROBOT = small_robot_prior()
FROM_TOPIC = {'robot': 'robot_description', 'description_timeout': 20.0}


def settings(tmp_path, text):
    """Return the parameters of a node whose YAML file is somewhere."""
    path = tmp_path / 'elsewhere.yaml'
    path.write_text(text)
    return FROM_TOPIC | {'robot_yaml': str(path)}


@pytest.mark.parametrize('name', ['estimator', 'planner', 'simulator'])
def test_a_node_takes_the_description_of_the_topic(name, tmp_path):
    """Published before the node starts, or while it waits; the YAML file is where it says."""
    given = settings(tmp_path, yaml_from_robot(ROBOT))
    with Client() as client:
        publisher = client.node.create_publisher(String, 'robot_description', qos.latched())
        publisher.publish(String(data=urdf_from_robot(ROBOT)))
        with running(name, given) as node:
            node.wait_for_output('waiting for a URDF on /robot_description')
            state = {'estimator': 'estimator/minimal_parameters'}
            received = client.record(String, state.get(name, f'{name}/status'), qos.latched())
            client.wait_for(received)


def test_wheels_of_a_yaml_file_that_do_not_fit_are_an_error(tmp_path):
    """It names that file, not the topic."""
    text = 'wheels: [{joint: nothing}]'
    with Client() as client:
        publisher = client.node.create_publisher(String, 'robot_description', qos.latched())
        publisher.publish(String(data=urdf_from_robot(ROBOT)))
        node = NodeProcess('planner', settings(tmp_path, text))
        assert node.exit_code() == 1
    assert "elsewhere.yaml: wheels[0]: joint 'nothing' is unknown" in node.final_output


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        (None, 'robot: nothing was published on /robot_description within 0.5 s'),
        ('<robot/>', 'robot_description: link ?: the robot has no links'),
    ],
)
def test_a_description_that_is_none_is_said_without_a_traceback(text, reason):
    """Nothing published, or no robot."""
    with Client() as client:
        publisher = client.node.create_publisher(String, 'robot_description', qos.latched())
        wait = 0.5
        if text:
            publisher.publish(String(data=text))
            wait = 20.0
        given = {'robot': 'robot_description', 'description_timeout': wait}
        node = NodeProcess('estimator', given)
        assert node.exit_code() == 1
    assert reason in node.final_output
    assert 'Traceback' not in node.final_output


@pytest.mark.parametrize('name', ['estimator', 'simulator'])
def test_a_base_is_freed_by_a_parameter(name, tmp_path):
    """And a link that does not exist is refused by name."""
    write_robot(ROBOT, tmp_path / 'robot.urdf')
    path = str(tmp_path / 'robot.urdf')
    node = NodeProcess(name, {'robot': path, 'free_base': 'nobody'})
    assert node.exit_code() == 1
    assert 'link nobody: it is to be the free base' in node.final_output

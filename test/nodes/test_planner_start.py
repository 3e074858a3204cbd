"""What the planner node refuses at its start: robots, boxes, files, names."""

from lifecycle_msgs.srv import GetState
import numpy as np
from planner_client import planner, robots_folder
import pytest
from ros_harness import NodeProcess, ROBOTS

from spacerobot_id.excitation import save_plan
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


def test_F39_a_robot_is_needed():
    node = NodeProcess('planner', {})
    assert node.exit_code() == 1
    assert 'robot: the path of a URDF is needed' in node.final_output
    assert 'Traceback' not in node.final_output


def test_a_box_that_is_not_whole_is_refused_at_the_start(folder):
    """Before anybody counts on it."""
    robot = str(folder / 'prior.urdf')
    node = NodeProcess('planner', {'robot': robot, 'keep_in_upper': [1.0, 1.0, 1.0]})
    assert node.exit_code() == 1
    assert 'keep_in_upper: means nothing without keep_in_frame' in node.final_output
    assert 'Traceback' not in node.final_output


def test_a_plan_of_joints_is_none_for_free_flyer(tmp_path):
    """Nothing would move the base by it."""
    names, resting = ('joint', 'wheel'), np.zeros((2, 2))
    save_plan(ExcitationPlan(names, resting, np.ones(1)), tmp_path / 'plan.yaml')
    robot = str(ROBOTS / 'space_cobot.urdf')
    path = str(tmp_path / 'plan.yaml')
    node = NodeProcess('planner', {'robot': robot, 'method': 'free_flyer', 'plan_file': path})
    assert node.exit_code() == 1
    assert 'plan_file: such a plan moves joint, wheel, not the base' in node.final_output
    assert 'Traceback' not in node.final_output


BOX = {'keep_in_lower': [-9.0, -9.0, -9.0], 'keep_in_upper': [9.0, 9.0, 9.0]}


@pytest.mark.parametrize(
    ('wrong', 'message'),
    [
        ({'keep_in_frame': 'claw', **BOX}, 'keep_in_frame: claw: no frame to keep in a box'),
        (
            {'keep_in_frame': 'base', **BOX, 'keep_in_upper': [-9.0, 9.0, 9.0]},
            'keep_in_frame: base: its box has no room',
        ),
        ({'of_interest': ['claw']}, 'of_interest: claw: of interest, but no link'),
        ({'plan_file': 'nowhere.yaml'}, 'plan_file: nowhere.yaml: cannot be read'),
        ({'method': 'free_flyer', 'of_interest': ['claw']}, 'of_interest: claw: of interest'),
    ],
)
def test_what_the_robot_has_not_is_refused_before_it_is_to_plan(folder, wrong, message):
    """The node lives on, unconfigured."""
    with planner(folder, 'refused', autostart=False, **wrong) as (node, client):
        assert not client.change_state('planner', 'configure')
        node.wait_for_output(f'cannot configure: {message}')
        state = client.call(GetState, 'planner/get_state').current_state.label
    assert state == 'unconfigured'


def test_corners_of_a_box_have_three_coordinates(folder):
    robot = str(folder / 'prior.urdf')
    node = NodeProcess('planner', {'robot': robot, 'keep_in_lower': [1.0, 1.0]})
    assert node.exit_code() == 1
    assert 'keep_in_lower: must have 0 or 3 entries, got 2' in node.final_output
    assert 'Traceback' not in node.final_output

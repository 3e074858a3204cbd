"""The launch files start the nodes they name, with the arguments ROS 2 users expect."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.settings import settings_from_values

launch_ros = pytest.importorskip('launch_ros')
launch = pytest.importorskip('launch')

ROOT = Path(__file__).parents[2]
ARGUMENTS = {'namespace', 'use_sim_time', 'params_file', 'robot', 'log_level'}
TRUTH = 'config/robots/naveen_dual_arm.urdf'
WHOLE = ('air_bearing', 'free_flyer', 'angular_momentum', 'identify')
PRIOR = 'config/robots/naveen_dual_arm_prior.urdf'


@dataclass(frozen=True)
class Started:
    """What a launch file would start."""

    package: str
    executable: str
    name: str
    namespace: str
    log_level: str
    params_file: str
    parameters: dict


class RecordedNode(launch.Action):
    """Stands in for a node's action: returns what would be started, and starts nothing."""

    started, viewers = None, None

    def __init__(self, **keywords):
        super().__init__(condition=keywords.pop('condition', None))
        self.keywords = keywords

    def execute(self, context):
        if self.keywords['package'] == 'rviz2':
            arguments = launch.utilities.normalize_to_list_of_substitutions
            self.viewers.append(
                launch.utilities.perform_substitutions(
                    context, arguments(self.keywords['arguments'][1])
                )
            )
            return
        parameters = launch_ros.utilities.normalize_parameters(self.keywords['parameters'])
        file, values = launch_ros.utilities.evaluate_parameters(context, parameters)
        self.started.append(
            Started(
                *(self.keywords[key] for key in ('package', 'executable', 'name')),
                self.keywords['namespace'].perform(context),
                self.keywords['ros_arguments'][1].perform(context),
                str(file),
                values,
            )
        )


@pytest.fixture
def share(tmp_path, monkeypatch):
    """Return a share folder in which the ament index finds this checkout."""
    marker = tmp_path / 'share/ament_index/resource_index/packages/spacerobot_id'
    marker.parent.mkdir(parents=True)
    marker.touch()
    (tmp_path / 'share/spacerobot_id').symlink_to(ROOT)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    monkeypatch.setattr(launch_ros.actions, 'Node', RecordedNode)
    return tmp_path / 'share/spacerobot_id'


def include(share, name, **arguments):
    return launch.actions.IncludeLaunchDescription(
        str(share / f'launch/{name}.launch.py'), launch_arguments=arguments.items()
    )


def started_by(share, name, **arguments):
    """Carry out a launch file with the nodes' actions replaced; return what they recorded."""
    RecordedNode.started, RecordedNode.viewers = [], []
    service = launch.LaunchService(noninteractive=True)
    service.include_launch_description(
        launch.LaunchDescription([include(share, name, **arguments)])
    )
    assert service.run() == 0
    return {node.name: node for node in RecordedNode.started}


@pytest.mark.parametrize(
    'name', ['air_bearing', 'angular_momentum', 'free_flyer', 'identify', 'onboard', 'simulator']
)
def test_arguments_are_offered_and_described(share, name):
    description = launch.LaunchDescription([include(share, name)])
    offered = {argument.name: argument for argument in description.get_launch_arguments()}
    of_tf = {'publish_tf'} if name in (*WHOLE, 'onboard') else set()
    assert set(offered) == ARGUMENTS | of_tf | ({'prior', 'rviz'} if name in WHOLE else set())
    assert all(len(argument.description) > 10 for argument in offered.values())


@pytest.mark.parametrize(
    ('name', 'robots', 'use_sim_time'),
    [
        ('simulator', {'simulator': TRUTH}, True),
        ('onboard', {'planner': PRIOR, 'estimator': PRIOR}, False),
        ('identify', {'simulator': TRUTH, 'planner': PRIOR, 'estimator': PRIOR}, True),
    ],
)
def test_defaults(share, name, robots, use_sim_time):
    """The simulator is given the true robot, planner and estimator the prior."""
    assert started_by(share, name) == {
        node: Started(
            package='spacerobot_id',
            executable=node,
            name=node,
            namespace='',
            log_level='info',
            params_file=str(share / 'config/identify.yaml'),
            parameters={'robot': str(share / robot), 'use_sim_time': use_sim_time}
            | ({'publish_tf': False} if node == 'estimator' else {}),
        )
        for node, robot in robots.items()
    }


def test_arguments_reach_every_node(share):
    nodes = started_by(
        share,
        'identify',
        namespace='sat',
        use_sim_time='false',
        params_file='/p.yaml',
        robot='/r.urdf',
        log_level='debug',
    )
    robots = {'simulator': '/r.urdf', 'planner': '/r_prior.urdf', 'estimator': '/r_prior.urdf'}
    assert set(nodes) == set(robots)
    for node in nodes.values():
        assert (node.namespace, node.log_level) == ('sat', 'debug')
        assert node.params_file == '/p.yaml'
        own = {'publish_tf': False} if node.name == 'estimator' else {}
        assert node.parameters == {'robot': robots[node.name], 'use_sim_time': False} | own


def test_angular_momentum_has_its_own_robot_and_parameters(share):
    """The same three nodes, with those of [Christidi 2017]."""
    nodes = started_by(share, 'angular_momentum')
    robot = str(share / 'config/robots/christidi_spatial_arm')
    assert {name: node.parameters['robot'] for name, node in nodes.items()} == {
        'simulator': f'{robot}.urdf',
        'planner': f'{robot}_prior.urdf',
        'estimator': f'{robot}_prior.urdf',
    }
    params_file = str(share / 'config/angular_momentum.yaml')
    assert {node.params_file for node in nodes.values()} == {params_file}
    other = started_by(share, 'angular_momentum', params_file='/p.yaml', robot='/r.urdf')
    assert other['estimator'].params_file == '/p.yaml'
    assert other['estimator'].parameters['robot'] == '/r_prior.urdf'


def test_a_free_flyer_is_simulated_with_a_load_that_nobody_else_knows(share):
    """Its own parameters, which say the methods; the prior is the robot alone."""
    nodes = started_by(share, 'free_flyer')
    robots = {each: node.parameters['robot'] for each, node in nodes.items()}
    assert robots['simulator'] == str(share / 'config/robots/space_cobot_loaded.urdf')
    assert robots['planner'] == robots['estimator']
    assert robots['planner'] == str(share / 'config/robots/space_cobot.urdf')
    given = {node.params_file for node in nodes.values()}
    assert given == {str(share / 'config/free_flyer.yaml')}
    content = yaml.safe_load((share / 'config/free_flyer.yaml').read_text())
    for node, settings in (('planner', PlannerNodeSettings), ('estimator', EstimatorSettings)):
        parameters = content[f'/**/{node}']['ros__parameters']
        assert settings_from_values(settings, parameters).method == 'free_flyer'


def test_a_robot_on_a_table_has_its_own_robot_and_parameters(share):
    """The simulator has what is off in it; planner and estimator have the description."""
    nodes = started_by(share, 'air_bearing')
    robot = str(share / 'config/robots/air_bearing')
    assert {name: node.parameters['robot'] for name, node in nodes.items()} == {
        'simulator': f'{robot}.urdf',
        'planner': f'{robot}_prior.urdf',
        'estimator': f'{robot}_prior.urdf',
    }
    params_file = str(share / 'config/air_bearing.yaml')
    assert {node.params_file for node in nodes.values()} == {params_file}


def test_rviz_is_started_on_request_and_given_frames(share):
    nodes = started_by(share, 'identify', rviz='true')
    assert nodes['estimator'].parameters['publish_tf'] is True
    assert RecordedNode.viewers == [str(share / 'config/views/identify.rviz')]
    started_by(share, 'identify')
    assert RecordedNode.viewers == []


def test_the_prior_can_be_named(share):
    nodes = started_by(share, 'identify', prior='/known.urdf')
    assert nodes['simulator'].parameters['robot'] == str(share / TRUTH)
    assert nodes['planner'].parameters['robot'] == '/known.urdf'
    assert nodes['estimator'].parameters['robot'] == '/known.urdf'

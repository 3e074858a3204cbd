"""Launch files where launch_ros is not installed: they run, and what they name is there."""

from pathlib import Path
import runpy
import sys
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(each.name for each in (ROOT / 'launch').glob('*.launch.py'))
NAMES = {
    'launch': ('LaunchDescription',),
    'launch.actions': ('DeclareLaunchArgument', 'GroupAction', 'IncludeLaunchDescription'),
    'launch.conditions': ('IfCondition',),
    'launch.substitutions': ('LaunchConfiguration', 'PathJoinSubstitution', 'PythonExpression'),
    'launch_ros': (),
    'launch_ros.actions': ('Node',),
    'launch_ros.parameter_descriptions': ('ParameterValue',),
    'launch_ros.substitutions': ('FindPackageShare',),
}
MADE = []


class Recorded(SimpleNamespace):
    """What a launch file has made: its kind, and what it was given."""

    def __init__(self, kind, *given, **named):
        super().__init__(kind=kind, given=given, named=named)
        MADE.append(self)


@pytest.fixture(name='run')
def run_with_recorders(monkeypatch):
    """Return what runs a launch file, and gives what that has made."""
    for module, names in NAMES.items():
        made = ModuleType(module)
        for name in names:
            setattr(
                made, name, lambda *given, _kind=name, **named: Recorded(_kind, *given, **named)
            )
        monkeypatch.setitem(sys.modules, module, made)

    def run(name):
        MADE.clear()
        runpy.run_path(str(ROOT / 'launch' / name))['generate_launch_description']()
        return list(MADE)

    return run


def of_kind(made, kind):
    return [each for each in made if each.kind == kind]


def file_of(path):
    """Return the file in the package that a path of substitutions is; None for another."""
    parts = path.given[0]
    if isinstance(parts[0], Recorded) and parts[0].kind == 'PathJoinSubstitution':
        parts = [*parts[0].given[0], *parts[1:]]
    if not all(isinstance(each, str) for each in parts[1:]):
        return None
    return ROOT.joinpath(*parts[1:])


def included(made):
    """Yield the files of the package that are included, each with the arguments it is given."""
    for each in of_kind(made, 'IncludeLaunchDescription'):
        file = file_of(each.given[0])
        if file is not None:
            yield file, dict(each.named['launch_arguments'])


def offered(made, run):
    """Return the arguments of a launch file: its own, and those of the files it includes."""
    own = {each.given[0] for each in of_kind(made, 'DeclareLaunchArgument')}
    return own.union(*(offered(run(file.name), run) for file, _ in included(made)))


@pytest.mark.parametrize('name', FILES)
def test_files_and_arguments_that_a_launch_file_names_are_there(run, name):
    made = run(name)
    for path in of_kind(made, 'PathJoinSubstitution'):
        file = file_of(path)
        assert file is None or file.exists(), file
    for file, arguments in included(made):
        assert set(arguments) <= offered(run(file.name), run), file
    used = {each.given[0] for each in of_kind(made, 'LaunchConfiguration')}
    assert used <= offered(made, run)


def test_nodes_have_parameters_that_they_know(run):
    from spacerobot_id.estimation.node_settings import EstimatorSettings
    from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
    from spacerobot_id.settings import own_parameters

    settings = {'estimator': EstimatorSettings, 'planner': PlannerNodeSettings}
    nodes = {each.named['name']: each for each in of_kind(run('onboard.launch.py'), 'Node')}
    assert set(nodes) == set(settings)
    for name, node in nodes.items():
        given = set(node.named['parameters'][1]) - {'use_sim_time'}
        assert given <= set(own_parameters(settings[name]))


def test_rviz_has_a_condition_and_a_layout(run):
    (viewer,) = of_kind(run('identify.launch.py'), 'Node')
    assert viewer.named['package'] == 'rviz2'
    assert viewer.named['condition'].given[0].given == ('rviz',)
    assert file_of(viewer.named['arguments'][1]).suffix == '.rviz'

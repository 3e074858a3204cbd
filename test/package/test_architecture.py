"""Imports only go down, and only the nodes know ROS."""

import ast
from pathlib import Path
import re
import subprocess
import sys

import pytest

import spacerobot_id

ROOT = Path(spacerobot_id.__file__).parent
LAYERS = [  # lowest first; packages of one layer do not import each other
    {'exceptions', 'troubleshooting', 'whole_file'},
    {'spatial', 'settings', 'statistics'},
    {'model'},
    {'measurement', 'kinematics'},
    {'multibody', 'regressor'},
    {'methods'},
    {'excitation', 'estimation', 'simulation'},
    {'report', 'flight'},
    {'api'},
    {'cli', 'nodes'},
    {'lab'},  # what is never on board: nothing else imports it
]
LAB_LAYERS = [{'faults'}, {'fault_injection', 'papers'}, {'campaign'}, {'cli'}]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ROS_MODULES = {'rclpy', 'tf2_ros', 'ament_index_python', 'launch', 'launch_ros'}
ROS_ENDINGS = ('_interfaces', '_msgs', '_srvs')
PACKAGES = {path.stem for path in ROOT.iterdir() if path.suffix == '.py' or path.is_dir()}
PACKAGES -= {'__init__', '__main__', '__pycache__'}


def imports_in(source, package):
    """Yield the absolute name of each import in the source of a module of this package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            stem = '.'.join((*base, *filter(None, [node.module])))
            yield from (f'{stem}.{alias.name}' for alias in node.names)


def imports_of(name):
    """Yield (file, absolute module name) for each import made inside one package."""
    folder = ROOT / name
    for path in sorted(folder.rglob('*.py')) if folder.is_dir() else [ROOT / f'{name}.py']:
        package = ('spacerobot_id', *path.relative_to(ROOT).parent.parts)
        yield from ((path, module) for module in imports_in(path.read_text(), package))


def is_ros(module):
    root = module.split('.')[0]
    return root in ROS_MODULES or root.endswith(ROS_ENDINGS)


def test_nothing_outside_methods_asks_which_method_it_is():
    """Neither by its class nor by what only some have."""
    by_class = r'isinstance\((\w+\.)*method, [A-Z]'
    asks = re.compile(r'(type|getattr)\((\w+\.)*method\b|' + by_class)
    found = [
        str(path)
        for path in ROOT.rglob('*.py')
        if 'methods' not in path.relative_to(ROOT).parts and asks.search(path.read_text())
    ]
    assert found == []


def test_every_package_has_a_layer():
    assert set(RANK) >= PACKAGES


@pytest.mark.parametrize('name', sorted(PACKAGES - {'nodes'}))
def test_core_does_not_import_ros(name):
    for path, module in imports_of(name):
        assert not is_ros(module), f'{path}: {module}'


@pytest.mark.parametrize('name', sorted(PACKAGES & set(RANK)))
def test_imports_go_down(name):
    for path, module in imports_of(name):
        package, inner, *_ = (*module.split('.'), '')
        if package == 'spacerobot_id' and inner in RANK and inner != name:
            assert RANK[inner] < RANK[name], f'{path}: {module}'


def test_nodes_import_no_study():
    for path, module in imports_of('nodes'):
        assert not module.startswith('spacerobot_id.lab.papers'), f'{path}: {module}'


def test_nodes_load_reports_when_one_is_asked_for():
    """Inside of a function, and nowhere but where the estimator writes its page."""
    importing = {path.name for path, module in imports_of('nodes') if '.report' in module}
    assert importing == {'page_writer.py'}
    loaded = modules_after('spacerobot_id.nodes.estimator.node')
    for name in ('spacerobot_id.report', 'jinja2', 'matplotlib', 'plotly'):
        assert not [each for each in loaded if (each + '.').startswith(name + '.')], name


@pytest.mark.parametrize(
    ('statement', 'module'),
    [
        ('import rclpy.qos', 'rclpy.qos'),
        ('from spacerobot_id import nodes', 'spacerobot_id.nodes'),
        ('from . import urdf', 'spacerobot_id.model.urdf'),
        ('from ..spatial.rotations import skew', 'spacerobot_id.spatial.rotations.skew'),
        ('def late():\n    from std_srvs.srv import Trigger', 'std_srvs.srv.Trigger'),
    ],
)
def test_every_form_of_import_is_seen(statement, module):
    assert list(imports_in(statement, ('spacerobot_id', 'model'))) == [module]


def modules_after(module):
    """Return the modules that are loaded once one is imported."""
    code = f'import sys\nimport {module}\nprint(*sys.modules)\n'
    completed = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True, timeout=60.0
    )
    return completed.stdout.split()


def test_the_planner_node_loads_what_it_needs_and_no_more():
    """No plotting, no report and no laboratory."""
    loaded = modules_after('spacerobot_id.nodes.planner.node')
    for above in ('matplotlib', 'spacerobot_id.report', 'spacerobot_id.lab.papers'):
        assert not [name for name in loaded if (name + '.').startswith(above + '.')]


def test_no_module_imports_itself_by_others():
    """Imports inside of functions and for type checking count."""
    modules = {
        '.'.join(path.relative_to(ROOT.parent).with_suffix('').parts): path
        for path in ROOT.rglob('*.py')
        if path.name != '__init__.py'
    }
    imported = {}
    for name, path in modules.items():
        names = imports_in(path.read_text(), tuple(name.split('.')[:-1]))
        parents = ({each, each.rpartition('.')[0]} for each in names)
        imported[name] = set().union(*parents) & modules.keys() - {name}
    while leaves := {name for name, names in imported.items() if not names & imported.keys()}:
        imported = {name: names for name, names in imported.items() if name not in leaves}
    assert not imported, sorted(imported)


NEWER = {
    *('Self', 'assert_never', 'assert_type', 'LiteralString', 'Never', 'NotRequired', 'Required'),
    *('Unpack', 'TypeVarTuple', 'StrEnum', 'UTC', 'tomllib', 'override', 'batched'),
}
"""Names of the library that Python 3.10 does not have."""


def test_sources_are_those_of_python_3_10():
    """Grammar and names; what is imported for type checking alone is never there."""
    for path in ROOT.rglob('*.py'):
        tree = ast.parse(path.read_text(), feature_version=(3, 10))
        for node in tree.body:
            is_library = (
                isinstance(node, ast.ImportFrom) and node.module in sys.stdlib_module_names
            )
            if is_library or isinstance(node, ast.Import):
                found = NEWER & {alias.name for alias in node.names}
                assert not found, f'{path}: {found}'

"""Package.xml, setup.py, the requirements and the code agree about the package."""

from importlib.metadata import distribution
from pathlib import Path
import re
import subprocess
import sys
from xml.etree import ElementTree

from packaging.requirements import Requirement
import pytest

import spacerobot_id
from spacerobot_id.cli.main import main

ROOT = Path(__file__).parents[2]
MANIFEST = ElementTree.parse(ROOT / 'package.xml').getroot()
DISTRIBUTION = distribution('spacerobot_id')
SCRIPTS = sorted(entry.name for entry in DISTRIBUTION.entry_points)
PYPI_NAME = {'python3-yaml': 'pyyaml'}
ONLY_FROM_PIP = {
    'bokeh',
    'casadi',
    'coverage',  # rosdep's is too old to measure what tests start
    'dask',
    'example-robot-data',
    'mujoco',
    'pin',
    'plotly',
    'pyarrow',
    'pybullet',
    'pytest-xdist',
    'rosbags',
    'ruff',
    'xacro',
}


def listed(name):
    """Return the names in a requirements file."""
    lines = (ROOT / f'requirements/{name}.txt').read_text().splitlines()
    return {Requirement(line).name.lower() for line in lines if not line.startswith('#')}


def required(extra=''):
    """Return the names that setup.py requires, always or together with an extra."""
    requirements = map(Requirement, DISTRIBUTION.requires)
    return {r.name for r in requirements if not r.marker or r.marker.evaluate({'extra': extra})}


def rosdep_keys(tag):
    return {element.text for element in MANIFEST.iter(tag)}


def pypi_names(keys):
    return {PYPI_NAME.get(k, k.removeprefix('python3-')) for k in keys if k.startswith('python3-')}


def test_name_and_version_agree():
    version = MANIFEST.findtext('version')
    assert DISTRIBUTION.metadata['Name'].replace('-', '_') == MANIFEST.findtext('name')
    assert DISTRIBUTION.version == spacerobot_id.__version__ == version
    heading = rf'^{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$'
    assert re.search(heading, (ROOT / 'CHANGELOG.rst').read_text(), re.MULTILINE)


def test_license_agrees():
    license_ = MANIFEST.find('license')
    text = (ROOT / license_.get('file')).read_text()
    assert DISTRIBUTION.metadata['License'] == license_.text == 'Apache-2.0'
    assert 'Apache License' in text
    assert 'END OF TERMS AND CONDITIONS' in text


def test_maintainer_agrees():
    maintainer = MANIFEST.find('maintainer')
    assert DISTRIBUTION.metadata['Maintainer'] == maintainer.text
    assert DISTRIBUTION.metadata['Maintainer-email'] == maintainer.get('email')


def test_manifest_is_of_format_3_and_ament_python():
    assert MANIFEST.get('format') == '3'
    assert MANIFEST.findtext('export/build_type') == 'ament_python'


def test_runtime_requirements_agree():
    """Python libraries are listed thrice: for rosdep, for pip and for the Makefile."""
    assert required() == listed('runtime')
    assert pypi_names(rosdep_keys('exec_depend')) == required() - ONLY_FROM_PIP


def run_without_pip(code):
    """Run code where libraries that only pip has are not installed; return what it printed."""
    missing = ('bokeh', 'casadi', 'dask', 'plotly', 'pyarrow', 'rosbags', 'xacro')
    hide = f'import sys; sys.modules.update(dict.fromkeys({missing}))\n'
    done = subprocess.run([sys.executable, '-c', hide + code], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.parametrize('node', ['simulator', 'planner', 'estimator', 'mission', 'topics'])
def test_nodes_run_with_what_rosdep_knows(node):
    """So that they can be released with ROS."""
    run_without_pip(f'import spacerobot_id.nodes.{node}.node')


def test_logs_without_their_library_are_an_error_that_names_it():
    printed = run_without_pip(
        'from spacerobot_id.measurement.bag.reader import read_bag\n'
        'from spacerobot_id.measurement.bag.writer import write_bag\n'
        'from spacerobot_id.exceptions import ConfigurationError\n'
        'for use in (lambda: read_bag("bag"), lambda: write_bag("bag", None)):\n'
        '    try:\n        use()\n'
        '    except ConfigurationError as error:\n        print(error)\n'
    )
    wanted = 'logs are read and written with rosbags, which is not installed: pip install rosbags'
    assert printed.splitlines() == [wanted, wanted]


def test_test_requirements_agree():
    extra = required('test') - required()
    assert extra == listed('test') - {'colcon-common-extensions'}
    assert pypi_names(rosdep_keys('test_depend')) == extra - ONLY_FROM_PIP


def test_docs_requirements_agree():
    assert required('docs') - required() == listed('docs')


def test_ros_comes_as_wheels_where_there_is_none():
    keys = rosdep_keys('exec_depend') - {'launch', 'launch_ros'}  # there are no wheels of these
    packages = {key.replace('_', '-') for key in keys if not key.startswith('python3-')}
    assert {f'ros-jazzy-{name}' for name in packages} <= listed('ros-jazzy')


def test_requirements_are_pinned():
    assert listed('runtime') | listed('ros-jazzy') | listed('test') | listed('docs') <= listed(
        'constraints'
    )


def test_executables_are_the_three_nodes_and_the_command_line():
    assert SCRIPTS == ['estimator', 'planner', 'simulator', 'spacerobot-id']


@pytest.mark.parametrize('name', SCRIPTS)
def test_executable_can_be_loaded(name):
    (entry,) = DISTRIBUTION.entry_points.select(name=name)
    assert callable(entry.load())


@pytest.mark.parametrize(
    'file',
    [
        'config/identify.yaml',
        'config/robots/naveen_dual_arm.urdf',
        'config/robots/naveen_dual_arm.yaml',
        'config/robots/naveen_dual_arm_prior.urdf',
        'config/robots/naveen_dual_arm_prior.yaml',
        'config/sros2/policy.xml',
    ],
)
def test_defaults_of_the_launch_files_are_shipped(file):
    assert (ROOT / file).is_file()


def test_an_old_pydantic_ends_commands_with_a_sentence(monkeypatch):
    """Ubuntu 24.04 packages the first one, whose names are others and which has no core."""
    monkeypatch.setattr(spacerobot_id, 'find_spec', lambda name: None)
    with pytest.raises(SystemExit, match='needs pydantic 2: pip install'):
        main(['model', 'nothere.urdf'])

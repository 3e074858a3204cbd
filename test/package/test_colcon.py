"""The package builds, installs and tests with colcon, as on a machine that has ROS 2."""

from functools import partial
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

from diagnostic_msgs.msg import DiagnosticArray
from logs import servicer_log
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.nodes.common import qos

pytest.importorskip('colcon_core')

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LEFT_OUT = ('.*', '__pycache__', '*.egg-info', 'build', 'install', 'log', 'out')
QUICK_TESTS = ['test/package/test_architecture.py', 'test/package/test_packaging.py']


def run(*command, cwd):
    """Run a command and return what it printed; if it fails, so does the test."""
    completed = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


def run_sourced(command, workspace):
    """Run a shell command in the environment that the workspace sets up."""
    return run('bash', '-c', f'. install/setup.bash && {command}', cwd=workspace)


@pytest.fixture(scope='module')
def workspace(tmp_path_factory):
    """Return a workspace in which a copy of this tree has been built."""
    path = tmp_path_factory.mktemp('workspace')
    source = path / 'src/spacerobot_id'
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    run(sys.executable, '-m', 'colcon', 'build', cwd=path)
    return path


@pytest.fixture(scope='module')
def prefix(workspace):
    return workspace / 'install/spacerobot_id'


@pytest.mark.parametrize('name', ['simulator', 'planner', 'estimator', 'spacerobot-id'])
def test_executables_are_where_ros2_run_looks(prefix, name):
    assert os.access(prefix / 'lib/spacerobot_id' / name, os.X_OK)


def test_package_is_in_the_ament_index(prefix):
    assert (prefix / 'share/ament_index/resource_index/packages/spacerobot_id').is_file()
    assert (prefix / 'share/spacerobot_id/package.xml').is_file()


@pytest.mark.parametrize('folder', ['config', 'config/robots', 'launch'])
def test_shared_files_are_installed(prefix, folder):
    here, installed = (
        {path.name for path in (root / folder).iterdir() if path.is_file()}
        for root in (ROOT, prefix / 'share/spacerobot_id')
    )
    assert here
    assert here == installed


def test_installed_package_is_the_one_that_runs(workspace, prefix):
    """The build is imported, not the checkout that the environment may hold as editable."""
    script = 'import spacerobot_id; print(spacerobot_id.__file__)'
    printed = run_sourced(f'{sys.executable} -c "{script}"', workspace)
    assert Path(printed.strip()).is_relative_to(prefix)


def test_installed_command_line_starts(workspace):
    command = 'install/spacerobot_id/lib/spacerobot_id/spacerobot-id'
    assert 'usage' in run_sourced(f'{command} --help', workspace)


def test_nodes_start_from_the_install_space(workspace):
    """Each as ``ros2 run`` starts it, and heard by others."""
    start = 'cd "$0" && . install/setup.bash && exec install/spacerobot_id/lib/spacerobot_id/"$@"'
    node = partial(running, launcher=('bash', '-c', start, str(workspace)))
    given = {'robot': str(ROOT / 'config/robots/servicer.urdf')}
    with (
        node('simulator', given | {'motion': 'kinematic'}),  # which compiles nothing
        node('planner', given),
        node('estimator', given),
        Client() as client,
    ):
        messages = (
            client.record(JointState, 'joint_states', qos.sensor_input()),
            client.record(String, 'planner/status', qos.latched()),
            client.record(DiagnosticArray, '/diagnostics', 10),
        )
        client.wait_until(lambda: all(messages), 300.0)


def test_a_log_is_identified_from_the_install_space(workspace, tmp_path):
    """With the robot's description that is installed there."""
    write_bag(tmp_path / 'bag', servicer_log())
    command = 'install/spacerobot_id/lib/spacerobot_id/spacerobot-id identify'
    robot = 'install/spacerobot_id/share/spacerobot_id/config/robots/servicer.urdf'
    printed = run_sourced(f'{command} {tmp_path}/bag --robot {robot} --json 2>&1', workspace)
    result = json.loads(printed.splitlines()[-1])
    assert result['usable']


def test_colcon_test_passes(workspace):
    """Runs the quick tests only: the rest run already, and this one would never end."""
    colcon = f'{sys.executable} -m colcon'
    run_sourced(f'{colcon} test --pytest-args {" ".join(QUICK_TESTS)}', workspace)
    result = run_sourced(f'{colcon} test-result --verbose', workspace)
    assert re.search(r'Summary: [1-9]\d* tests, 0 errors, 0 failures, 0 skipped', result)

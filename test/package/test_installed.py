"""The tests run what a user installs, and the wheel alone does all that needs no ROS."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import sysconfig
import venv

import pytest

import spacerobot_id
from spacerobot_id.model.shipped import shipped_file

ROOT = Path(__file__).parents[2]
PACKAGE = Path(spacerobot_id.__file__).parent
ROBOT = 'config/robots/servicer_prior.urdf'
IMPORTS = """
import importlib, pkgutil, sys
import spacerobot_id
missing = set()
for module in pkgutil.walk_packages(spacerobot_id.__path__, 'spacerobot_id.'):
    if module.name.endswith('__main__'):
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing.add(f'{module.name.split(".")[1]}:{error.name.partition(".")[0]}')
print(len([name for name in sys.modules if name.startswith('spacerobot_id.')]), *sorted(missing))
"""


def is_override():
    """Whether a developer has put the checkout first by hand, to test without installing."""
    return str(ROOT) in os.environ.get('PYTHONPATH', '').split(os.pathsep)


def files_in(folder, patterns=('*.py',)):
    """Return the contents of a folder's files by their path in it."""
    found = (path for pattern in patterns for path in folder.rglob(pattern))
    return {path.relative_to(folder): path.read_bytes() for path in found if path.is_file()}


@pytest.mark.skipif(is_override(), reason='the checkout is first in PYTHONPATH')
def test_the_package_is_the_installed_one():
    assert PACKAGE.is_relative_to(sysconfig.get_path('purelib'))


@pytest.mark.skipif(
    is_override() or sys.version_info < (3, 11), reason='PYTHONPATH, or no PYTHONSAFEPATH'
)
def test_processes_started_in_the_checkout_take_the_installed_one():
    code = 'import spacerobot_id; print(spacerobot_id.__file__)'
    ran = subprocess.run(
        [sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert Path(ran.stdout.strip()).parent == PACKAGE


def test_every_module_and_page_is_installed_as_it_is_here():
    """Folders without ``__init__.py`` are left out of a wheel; an old wheel is another package."""
    patterns = ('*.py', 'page/*')
    assert files_in(ROOT / 'spacerobot_id', patterns) == files_in(PACKAGE, patterns)


@pytest.mark.parametrize('folder', ['config', 'launch'])
def test_every_shared_file_is_installed(folder):
    for path in (each for each in (ROOT / folder).rglob('*') if each.is_file()):
        if '__pycache__' not in path.parts:
            assert shipped_file(path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_all_that_flies_runs_without_the_laboratory(tmp_path):
    """Modules are imported and commands run; those of the laboratory say what they need."""
    shutil.copytree(PACKAGE, tmp_path / 'spacerobot_id', ignore=shutil.ignore_patterns('lab'))
    environment = os.environ | {'PYTHONPATH': str(tmp_path)}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    count, *missing = run('-c', IMPORTS).stdout.split()
    assert missing == []
    assert int(count) > len(files_in(tmp_path / 'spacerobot_id')) - 10
    command = ('-m', 'spacerobot_id')
    assert 'bus' in run(*command, 'model', str(shipped_file(ROBOT))).stdout
    for name in ('campaign', 'inject-faults', 'reproduce'):
        refused = run(*command, name, 'servicer')
        assert refused.returncode == 2
        assert refused.stderr == (
            f'spacerobot-id: {name} needs the laboratory, which is not installed\n'
        )


@pytest.fixture(name='alone', scope='module')
def wheel_in_an_empty_environment(tmp_path_factory):
    """Return the executables of an environment that has the wheel and what it requires."""
    folder = tmp_path_factory.mktemp('alone')
    pip = [sys.executable, '-m', 'pip', '--quiet', '--disable-pip-version-check']
    clean([*pip, 'wheel', '--no-deps', '--wheel-dir', folder / 'wheel', sources(folder)], folder)
    (wheel,) = (folder / 'wheel').glob('*.whl')
    venv.create(folder / 'venv', with_pip=False)
    pinned = ['--constraint', ROOT / 'requirements/constraints.txt']
    clean(
        [*pip, '--python', folder / 'venv/bin/python', 'install', '--no-compile', wheel, *pinned],
        folder,
    )
    return folder / 'venv/bin'


def sources(folder):
    """Return a copy of what a wheel is built of: building writes beside it."""
    kept = ('spacerobot_id', 'config', 'launch', 'resource')
    for name in kept:
        shutil.copytree(
            ROOT / name, folder / 'source' / name, ignore=shutil.ignore_patterns('__pycache__')
        )
    for name in ('setup.py', 'setup.cfg', 'pyproject.toml', 'package.xml', 'LICENSE', 'README.md'):
        shutil.copy(ROOT / name, folder / 'source')
    page = 'docs/reference/trouble.md'
    (folder / 'source' / page).parent.mkdir(parents=True)
    shutil.copy(ROOT / page, folder / 'source' / page)
    return folder / 'source'


def clean(command, folder):
    """Run a command in a folder as a user would, without the tests' environment; its output."""
    foreign = re.compile('PYTHON|VIRTUAL_ENV|LD_LIBRARY_PATH|_ROS_WHEELS|AMENT|ROS_|COV')
    environment = {name: value for name, value in os.environ.items() if not foreign.match(name)}
    ran = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200.0,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert 'Traceback' not in ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_every_module_of_the_wheel_is_imported_without_the_test_tools(alone, tmp_path):
    """Nodes alone miss something, which is ROS, and campaigns their extra."""
    count, *missing = clean([alone / 'python', '-c', IMPORTS], tmp_path).split()
    assert int(count) > len(files_in(PACKAGE)) - len(files_in(PACKAGE / 'nodes')) - 10
    needs = r'nodes:(rclpy|\w+_(msgs|interfaces|srvs))|lab:(dask|distributed)'
    assert [each for each in missing if not re.fullmatch(needs, each)] == []


@pytest.mark.slow
def test_commands_of_the_wheel_run_in_an_empty_folder(alone, tmp_path):
    """From a model to a plan, a flight after it, its identification and its page."""
    command = alone / 'spacerobot-id'
    robot = clean([alone / 'python', '-c', _SHIPPED.format(ROBOT)], tmp_path).strip()
    truth = robot.replace('_prior', '')
    assert Path(robot).is_relative_to(alone.parent)
    assert 'bus' in clean([command, 'model', robot], tmp_path)
    assert 'gyro' in clean([command, 'parameters'], tmp_path)
    assert 'adapter' in clean([command, 'explain', 'joint_states: not one message'], tmp_path)
    plan = ['plan', robot, '--duration', '6', '--out', 'PLAN.yaml']
    clean([command, *plan], tmp_path)
    clean([command, 'simulate', truth, '--plan', 'PLAN.yaml', '--out', 'BAG'], tmp_path)
    assert 'joint_states' in clean([command, 'topics', 'BAG'], tmp_path)
    clean([command, 'identify', 'BAG', '--robot', robot, '--out-urdf', 'NEW.urdf'], tmp_path)
    clean([command, 'report', 'BAG', '--robot', robot, '--out', 'PAGES'], tmp_path)
    assert (tmp_path / 'NEW.urdf').stat().st_size > 1000
    assert list((tmp_path / 'PAGES').glob('*.html'))


_SHIPPED = 'from spacerobot_id.model.shipped import shipped_file; print(shipped_file({!r}))'

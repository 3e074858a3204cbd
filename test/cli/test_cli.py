"""The command line: what it prints, where, and with which exit code."""

import json
import subprocess
import sys

import numpy as np
import pytest
from robots import dual_arm, published_parameters
from ros_harness import ROBOTS, ROOT

import spacerobot_id
from spacerobot_id.cli.main import main
from spacerobot_id.cli.processes import environment
from spacerobot_id.cli.terminal import COMPILING, compiling_notice
from spacerobot_id.model import PARAMETER_NAMES

DUAL_ARM = str(ROBOTS / 'naveen_dual_arm.urdf')
SERVICER = str(ROBOTS / 'servicer.urdf')


def run(*arguments):
    """Run the command in a process of its own; return what became of it."""
    return subprocess.run(
        [sys.executable, '-m', 'spacerobot_id', *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope='module', name='model')
def model_of_the_dual_arm():
    """Return what ``model --json`` prints of the dual-arm robot."""
    done = run('model', DUAL_ARM, '--json')
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_52_minimal_parameters_of_the_paper(model):
    """In the paper's order, equal to its table to 6e-4, with names and units."""
    published = published_parameters()
    minimal = model['minimal']
    assert len(minimal['names']) == len(minimal['values']) == len(minimal['units']) == 52
    true = np.array([float(row['true']) for row in published])
    np.testing.assert_allclose(minimal['values'], true, rtol=0.0, atol=6e-4)
    assert minimal['units'] == [row['unit'] for row in published]
    assert [name.split('.')[0] for name in minimal['names']] == [row['link'] for row in published]
    assert len(set(minimal['names'])) == 52


@pytest.mark.parametrize(
    ('arguments', 'near'),
    [
        (['identfy', 'bag'], 'identify'),
        (['simulate', SERVICER, '--out', 'bag', '--mode', 'flyng'], 'flying'),
        (['qqq'], None),
    ],
)
def test_a_choice_that_is_misspelt_is_asked_about(arguments, near):
    """Only where one is near."""
    done = run(*arguments)
    assert done.returncode == 2
    assert ('did you mean' in done.stderr) == (near is not None)
    assert near is None or f'did you mean {near}?' in done.stderr


def test_minimal_parameters_are_written_as_formulas(model):
    """Sums over the links' parameters give the values; as text and for LaTeX."""
    robot = dual_arm()
    pairs = zip(robot.link_names, robot.links, strict=True)
    links = {name: link.inertial.vector for name, link in pairs}
    sums = [
        sum(factor * links[link][PARAMETER_NAMES.index(name)] for factor, link, name in terms)
        for terms in model['minimal']['terms']
    ]
    np.testing.assert_allclose(sums, model['minimal']['values'], rtol=1e-12)
    text = run('model', DUAL_ARM, '--formulas').stdout
    assert 'L2.Ixx-Iyy = L2.Ixx - L2.Iyy - L3.m\n' in text
    assert text.count(' = ') == 52
    latex = run('model', SERVICER, '--formulas', 'latex').stdout
    assert r'm_{\mathrm{arm\_link\_2}}' in latex
    assert latex.count('&=') == 59


def test_what_can_be_identified(model):
    """The ranks of each set of measurements, what is lost, and a sentence about it."""
    table = {row['measured']: row for row in model['identifiability']}
    ranks = {measured: row['rank'] for measured, row in table.items()}
    assert ranks == {
        'linear and angular momentum': 52,
        'angular momentum alone': 51,
        'angular momentum, no base velocity': 52,
        'zero momentum, no known wheel momentum': 51,
        'joint torques alone': 42,
    }
    assert {row['total'] for row in table.values()} == {52}
    assert table['angular momentum alone']['lost'] == ['L0.m']
    assert table['linear and angular momentum']['lost'] == []
    assert all(row['verdict'] for row in table.values())


def test_the_model_names_its_parts(model):
    assert model['robot'] == 'naveen_dual_arm'
    assert model['links'] == [f'L{number}' for number in range(7)]
    assert model['joints'] == [f'joint_{number}' for number in range(1, 7)]
    assert model['wheels'] == ['wheel_1', 'wheel_2', 'wheel_3']


def test_json_alone_is_on_standard_output_and_warnings_are_on_the_other(capsys):
    """Of inertias that cannot be, one line each, naming file and link."""
    assert main(['model', DUAL_ARM, '--json']) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)['robot'] == 'naveen_dual_arm'
    warned = captured.err.splitlines()
    assert len(warned) == 2
    assert all(line.startswith(f'warning: {DUAL_ARM}: link L') for line in warned)


@pytest.mark.parametrize(
    ('robot', 'lines'),
    [
        (
            DUAL_ARM,
            [
                'naveen_dual_arm: 7 links, 6 joints, 3 reaction wheels, 2265.0 kg',
                '52 minimal parameters',
                'L0.m 2265.0 kg',
            ],
        ),
        (SERVICER, ['59 minimal parameters']),
    ],
)
def test_text_for_people(capsys, robot, lines):
    """Parts, what can be identified, and a line for each parameter."""
    assert main(['model', robot]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert all(len(line) < 200 for line in printed)
    printed = [' '.join(line.split()) for line in printed]
    for line in lines:
        assert line in printed
    assert 'What can be identified' in printed


def test_a_robot_without_warnings_is_silent_on_standard_error(capsys):
    assert main(['model', SERVICER, '--json']) == 0
    captured = capsys.readouterr()
    assert captured.err == ''
    assert len(json.loads(captured.out)['minimal']['values']) == 59


@pytest.mark.parametrize('form', [[], ['--json']])
@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (None, 'cannot be read'),
        ('<robot name="a"><link name="b"/>', ''),
        ('<robot name="a"/>', ''),
        ('not a robot', ''),
    ],
)
def test_exit_code_1_and_the_file_when_the_work_fails(tmp_path, capsys, form, content, reason):
    """One line on standard error, nothing on standard output, no traceback."""
    path = tmp_path / 'broken.urdf'
    if content is not None:
        path.write_text(content)
    assert main(['model', str(path), *form]) == 1
    captured = capsys.readouterr()
    assert captured.out == ''
    assert captured.err.startswith(f'spacerobot-id: {path}: ')
    assert reason in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    'arguments', [[], ['fly'], ['model'], ['model', '--json'], ['model', SERVICER, '--fast']]
)
def test_exit_code_2_for_wrong_usage(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ''
    assert 'usage: spacerobot-id' in captured.err


@pytest.mark.parametrize('arguments', [['--help'], ['model', '--help'], ['demo', '--help']])
def test_help_is_on_standard_output(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    captured = capsys.readouterr()
    assert captured.err == ''
    assert 'usage: spacerobot-id' in captured.out


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit):
        main(['--help'])
    printed = capsys.readouterr().out
    for command in ('model', 'demo'):
        assert command in printed


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as ended:
        main(['--version'])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f'spacerobot-id {spacerobot_id.__version__}\n'


def test_exit_codes_of_a_process():
    """As a shell sees them."""
    assert run('model', '/nowhere.urdf').returncode == 1
    assert run('fly').returncode == 2


def test_the_nodes_of_a_demonstration_keep_to_themselves(monkeypatch):
    """On this machine, in a domain of their own; what the user has set stays."""
    monkeypatch.delenv('ROS_DOMAIN_ID')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE')
    assert environment()['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert 1 <= int(environment()['ROS_DOMAIN_ID']) <= 101
    monkeypatch.setenv('ROS_DOMAIN_ID', '42')
    assert environment()['ROS_DOMAIN_ID'] == '42'


def test_it_is_said_when_the_simulation_is_being_compiled(capsys):
    """After a while, and not where it was cancelled before."""
    for cancelled in (True, False):
        notice = compiling_notice(0.05)
        notice.start()
        if cancelled:
            notice.cancel()
        notice.join()
        assert capsys.readouterr().err == ('' if cancelled else f'{COMPILING}\n')

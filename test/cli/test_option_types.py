"""Options: numbers below zero are values, and what is written is checked before the work."""

import os

import pytest
from ros_harness import ROBOTS

from spacerobot_id.cli.main import _parser, main

SERVICER = str(ROBOTS / 'servicer.urdf')
WRITING = (
    ('plan', SERVICER, '--out'),
    ('identify', 'no_bag', '--robot', SERVICER, '--out-urdf'),
    ('identify', 'no_bag', '--robot', SERVICER, '--write', 'stanford_freeflyer', '--write-to'),
    ('report', 'no_bag', '--robot', SERVICER, '--out'),
    ('simulate', SERVICER, '--out'),
    ('inject-faults', 'no_bag', '--robot', SERVICER, '--out'),
    ('campaign', 'servicer', '--out'),
    ('reproduce', 'all', '--out'),
    ('demo', '--out'),
)
"""Commands that write, up to the place where."""


def ending(capsys, *arguments):
    """Return the exit code of a command, and what it says on standard error."""
    try:
        code = main(list(map(str, arguments)))
    except SystemExit as end:
        code = end.code
    return code, capsys.readouterr().err


@pytest.mark.parametrize('command', WRITING, ids=' '.join)
def test_what_cannot_be_written_is_said_before_the_work_and_nothing_is_left(
    capsys, tmp_path, command
):
    """In a place that is no folder: the option is named, the bag not looked for."""
    (tmp_path / 'file').write_text('')
    code, error = ending(capsys, *command, tmp_path / 'file' / 'new' / 'x.yaml')
    assert code == 2
    assert f'argument {command[-1]}: {tmp_path / "file"} is no folder' in error
    assert [each.name for each in tmp_path.iterdir()] == ['file']


@pytest.mark.parametrize('command', [WRITING[place] for place in (0, 1, 2)], ids=' '.join)
def test_a_file_is_no_folder_and_no_device(capsys, tmp_path, command):
    code, error = ending(capsys, *command, tmp_path)
    assert (code, f'{tmp_path} is a folder' in error) == (2, True)
    code, error = ending(capsys, *command, os.devnull)
    assert (code, f'{os.devnull} is no regular file' in error) == (2, True)


def test_a_folder_of_others_is_not_written_to(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'access', lambda _path, _mode: False)
    code, error = ending(capsys, *WRITING[1], tmp_path / 'robot.urdf')
    assert (code, f'the folder {tmp_path} is not writable' in error) == (2, True)


def test_the_true_robot_is_read_before_the_log(capsys, tmp_path):
    """Nothing is fitted, and no folder is left."""
    arguments = 'report', tmp_path / 'no_bag', '--robot', SERVICER, '--out', tmp_path / 'page'
    code, error = ending(capsys, *arguments, '--truth', tmp_path / 'nothere.urdf')
    assert (code, 'nothere.urdf' in error) == (1, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    'texts', [('1e-3', '-2e-5', '3e-4'), ('-.5', '-1E6', '-0'), ('-inf', '-nan', '-1.')]
)
def test_numbers_below_zero_are_values(texts):
    """Of every command that takes some."""
    for command in ('plan', 'simulate', 'identify'):
        given = [command, 'x', '--angular-momentum', *texts]
        given += ['--robot', 'r'] if command == 'identify' else ['--out', 'y.yaml']
        options = _parser(given).parse_args(given)
        assert repr(options.angular_momentum) == repr([float(each) for each in texts])


def test_lists_that_begin_below_zero_are_values():
    given = ['plan', 'x', '--start', '-1e-2,-0.5,0', '--out', 'y.yaml']
    assert _parser(given).parse_args(given).start == '-1e-2,-0.5,0'


def test_options_are_still_options(capsys):
    for unknown in ('-x', '--nan', '-e5', '-inferior'):
        code, error = ending(capsys, 'model', SERVICER, unknown)
        assert code == 2, unknown
        assert 'unrecognized arguments' in error

"""The page of troubles, as ``explain`` reads it."""

import inspect
import json
from pathlib import Path
import re

import pytest

from spacerobot_id import exceptions
from spacerobot_id.cli.main import main
from spacerobot_id.troubleshooting import read_troubles, troubles_of

PAGE = Path(__file__).parents[2] / 'docs/reference/trouble.md'
TROUBLES = read_troubles(PAGE)
OF_OTHERS = {
    *('hz', 'reindex', 'FOLDER', 'echo', 'NODE', 'ROS_DISTRO-PACKAGE', 'out-urdf', 'MESSAGE'),
    *('dom', 'minidom', 'schemas', 'e-5'),
}
"""Words of ROS, of Python and of the shell."""


def test_every_kind_of_error_and_warning_has_an_entry():
    """By the name of its class, which finds it."""
    kinds = [
        name
        for name, kind in vars(exceptions).items()
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__subclasses__() == []
    ]
    assert len(kinds) > 8
    for name in kinds:
        found = troubles_of(f'spacerobot_id.exceptions.{name}'.rpartition('.')[2], TROUBLES)
        assert [each.title for each in found] == [name]


def test_all_of_the_page_is_read():
    """Every heading of the third level is an entry of its own, every line of code a message."""
    text = PAGE.read_text(encoding='utf-8')
    titles = re.findall('^### (.*)$', text, re.MULTILINE)
    assert [trouble.title for trouble in TROUBLES] == titles
    assert len({trouble.id for trouble in TROUBLES}) == len(titles)
    messages = [text for trouble in TROUBLES for text in trouble.messages]
    assert messages == re.findall('^- `(.*)`$', text, re.MULTILINE)


def test_sentences_are_complete():
    for trouble in TROUBLES:
        for text in (trouble.cause, trouble.cure):
            assert text.endswith(('.', ')')), f'{trouble.title}: {text}'
            assert '\n#' not in text


@pytest.mark.parametrize(
    ('message', 'title'),
    [
        ('value is frozen: the same in 25 samples, while the robot moves', 'The value is frozen'),
        ('robot.urdf: link arm: its mass of -1 kg is negative', 'Mass and inertia of a link'),
        ('joint_states: rejected: joint elbow is missing', 'Joints of joint_states'),
        (
            '[WARN] [1700.1] [estimator]: joint_states: rejected: joint elbow is missing',
            'Joints of joint_states',
        ),
        (
            'warning: chi-square per degree of freedom is 3.7, where chance allows 1 +- 0.05: the '
            'noise is not as stated; multiply standard deviations by 1.92',
            'Chi-square is not 1',
        ),
        (
            'servicer.yaml: wheel: unknown key; known are wheels, noise',
            'An unknown or missing key',
        ),
    ],
)
def test_a_message_as_it_is_said_finds_its_trouble(message, title, capsys):
    assert troubles_of(message, TROUBLES)[0].title == title
    assert main(['explain', *message.split()]) == 0
    assert capsys.readouterr().out.startswith(title)


def test_a_message_of_something_else_is_not_explained(capsys):
    assert not troubles_of('Segmentation fault', TROUBLES)
    assert main(['explain', 'Segmentation fault']) == 1
    assert 'nothing is known' in capsys.readouterr().err


def test_explanations_are_json_too(capsys):
    assert main(['explain', '--json', 'joint elbow is missing']) == 0
    first, *_ = json.loads(capsys.readouterr().out)
    assert first['cure']


def test_an_entry_is_found_by_its_id_and_by_its_messages():
    """Those whose gaps are filled, too; an id alone is that entry."""
    for trouble in TROUBLES:
        assert troubles_of(trouble.id, TROUBLES) == [trouble]
        for text in trouble.messages:
            assert trouble in troubles_of(text.replace('...', 'elbow 3'), TROUBLES)


def test_settings_that_are_advised_exist():
    """Every name in code is a word of the source, of ROS, or of the shell."""
    source = [
        each.read_text(encoding='utf-8') for each in Path(exceptions.__file__).parent.rglob('*.py')
    ]
    words = {word for text in source for word in re.findall(r'[A-Za-z_][\w-]+', text)}
    prose = re.sub('^- `.*`$', '', PAGE.read_text(encoding='utf-8'), flags=re.MULTILINE)
    named = {
        word
        for code in re.findall('`([^`]+)`', prose)
        for word in re.findall(r'[A-Za-z_][\w-]+', code)
    }
    assert named - words <= OF_OTHERS, named - words - OF_OTHERS


def test_an_error_on_a_terminal_names_its_entry(monkeypatch, capsys):
    """By the words of the message, and by its class where no entry has them."""
    monkeypatch.setattr('sys.stderr.isatty', lambda: True, raising=False)
    assert main(['model', 'nothere.urdf']) == 1
    message, hint = capsys.readouterr().err.splitlines()
    assert 'nothere.urdf' in message
    assert hint.endswith('spacerobot-id explain the-file-cannot-be-read')

"""The page of troubles has all messages of the package, and no others."""

import json
import re

import pytest
from source_messages import every_message, every_text, sources

from spacerobot_id.cli.main import main
from spacerobot_id.troubleshooting import CHAPTERS, troubles_of

MANY, SHARE = 14, 0.4
"""Letters, and share of a text, by which an entry is no chance match."""

TROUBLES = [trouble for chapter in CHAPTERS for trouble in chapter.troubles]
ORDINARY = {
    *('spacerobot-id: interrupted', 'centre of mass, ...', 'seen well', 'the file', 'the text'),
    *('base velocity', 'base position', 'base attitude', 'base twist', 'base wrench'),
    *('the gyro', 'the twist', 'other forces', 'other torques', 'scatter of pulses'),
    "other forces within a pulse over a thruster's",
    'other forces between wrenches over their changes',
    "other forces over the wrench's own",
    "other torques over the wrench's own",
    *('change of lasting forces', 'change of lasting torques', 'no settings', 'rad or m'),
    *('memory of lasting forces and torques', 'noise of ... over that stated'),
    *('sensor messages of ROS 2', '--ros-args and what follows', 'python -m spacerobot_id.nodes'),
    *('clean up', 'are looked for', '... samples, rank ...', 'condition number', 'chi square'),
    *('median relative std', 'outliers and changes', 'likely cause', 'velocity source'),
    *('refining over ... samples', 'published on ..., subscribers: ...', 'the live estimator'),
    *('the refined estimate', 'planner and estimator', 'the plan', 'the end of the motion'),
    *('motion complete', 'one interval', 'starting as soon as it is planned', 'at rest'),
    *('stopped on request', 'planning, then starting', 'motion of ... s', 'planning ended'),
    *('started a motion of ... s', 'at rest within ...', 'planned in ... s', 'at rest at ... s'),
    *('... kg on ...', 'all ... minimal parameters can be identified', 'momentum in the plane'),
    *(
        'linear and angular momentum',
        'angular momentum alone',
        'zero momentum in the plane, no wheels',
    ),
    *('angular momentum, no base velocity', 'zero momentum, no known wheel momentum'),
    *('reaction wheels', 'pure torque', 'no momentum conserved', '... momentum conserved'),
    *(
        'in the plane',
        'thrusters commanded',
        'payload on ...',
        'joint torque',
        'thruster commands',
    ),
    *('angular momentum', 'joint positions', 'joint rates', 'joint torques alone'),
    *('wheel angles', 'wheel rates'),
    *('Instead of the above', 'No messages', 'The truth of a simulator, no sensor'),
}
"""Names and states that are reported when all is well."""


OF_OTHERS = {
    *('hz', 'reindex', 'FOLDER', 'echo', 'NODE', 'ROS_DISTRO-PACKAGE', 'out-urdf'),
    *('dom', 'minidom', 'schemas', 'e-5'),
}
"""Words of ROS, of Python and of the shell."""


def letters(text):
    return len(re.sub('[^A-Za-z]', '', text))


def is_explained(text):
    """Return whether words of an entry are those of a text: a good part of it, or many."""
    return any(
        letters(words) >= min(MANY, SHARE * letters(text)) and pattern.fullmatch(text)
        for trouble in TROUBLES
        for words, pattern in zip(trouble.messages, trouble.patterns, strict=True)
    )


def test_everything_that_is_said_has_a_cause_and_a_cure():
    """A new error or warning needs an entry in ``spacerobot_id/troubleshooting``."""
    unknown = [
        f'{message.place}: {message.text}'
        for message in every_message()
        if message.text not in ORDINARY and not is_explained(message.text)
    ]
    assert not unknown, '\n'.join(sorted(unknown))


def test_nothing_is_explained_that_is_never_said():
    texts = every_text()
    dead = [
        f'{trouble.title}: {words}'
        for trouble in TROUBLES
        for words, pattern in zip(trouble.messages, trouble.patterns, strict=True)
        if not any(pattern.fullmatch(text) for text in texts)
    ]
    assert not dead, '\n'.join(dead)


def test_nothing_ordinary_is_left_in_the_list_that_is_never_said():
    assert {message.text for message in every_message()} >= ORDINARY


def test_titles_are_different_and_sentences_complete():
    titles = [trouble.title for trouble in TROUBLES]
    assert len(set(titles)) == len(titles)
    for trouble in TROUBLES:
        for text in (trouble.cause, trouble.cure):
            assert text.endswith(('.', ')')), f'{trouble.title}: {text}'


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
    assert troubles_of(message)[0].title == title
    assert main(['explain', *message.split()]) == 0
    assert capsys.readouterr().out.startswith(title)


def test_a_message_of_something_else_is_not_explained(capsys):
    assert not troubles_of('Segmentation fault')
    assert main(['explain', 'Segmentation fault']) == 1
    assert 'nothing is known' in capsys.readouterr().err


def test_explanations_are_json_too(capsys):
    assert main(['explain', '--json', 'joint elbow is missing']) == 0
    first, *_ = json.loads(capsys.readouterr().out)
    assert first['cure']


def test_settings_that_are_advised_exist():
    """Every name in code is a word of the source, of ROS, or of the shell."""
    texts = [path.read_text(encoding='utf-8') for path, _ in sources()]
    words = {word for text in texts for word in re.findall(r'[A-Za-z_][\w-]+', text)}
    named = {
        word
        for chapter in CHAPTERS
        for each in (chapter.introduction, *(f'{t.cause} {t.cure}' for t in chapter.troubles))
        for code in re.findall('`([^`]+)`', each)
        for word in re.findall(r'[A-Za-z_][\w-]+', code)
    }
    assert named - words <= OF_OTHERS, named - words - OF_OTHERS

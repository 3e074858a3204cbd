"""The tutorials, word for word: every file written, every command run, every output compared."""

from pathlib import Path

import pytest
from tutorial import CommandStep, FileStep, not_printed, run, steps

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'docs/tutorials'
QUICK = ('first_identification', 'from_a_bag', 'own_method')
SLOW = ('own_robot', 'air_bearing_table', 'grasped_payload', 'qualification_campaign')


def test_every_tutorial_is_run():
    assert {path.stem for path in FOLDER.glob('*.md')} == {*QUICK, *SLOW}


@pytest.mark.parametrize(
    'name', [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)]
)
def test_tutorial(name, tmp_path):
    run(FOLDER / f'{name}.md', tmp_path)


def test_steps_are_files_and_commands(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text(
        'Write `a.yaml`:\n\n```yaml\nx: 1\n```\n\n```console\n$ cat a.yaml\nx: 2\n$ ls\n```\n'
    )
    assert steps(page) == [
        FileStep('a.yaml', 'x: 1\n'),
        CommandStep('cat a.yaml', 'x: 2\n'),
        CommandStep('ls', ''),
    ]


@pytest.mark.parametrize(
    ('shown', 'printed', 'fits'),
    [
        ('mass 3.1 kg', 'the mass 2.98 kg', True),
        ('mass 3.1 kg', 'the weight 2.98 kg', False),
        ('one\n...\nthree', 'one two\nthree', True),
        ('three\n...\none', 'one two\nthree', False),
        ('a line that\nis broken', 'a line\nthat is broken', True),
    ],
)
def test_outputs_are_compared_word_by_word(shown, printed, fits):
    assert (not_printed(shown, printed) is None) == fits

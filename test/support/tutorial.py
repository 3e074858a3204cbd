"""Runs a tutorial as a reader would: its files written, its commands typed, its outputs seen."""

from dataclasses import dataclass
import os
from pathlib import Path
import re
import subprocess
import sys

ROOT = Path(__file__).parents[2]
GAP = '...'
_FENCE = re.compile(r'^```(\w+)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r'`([\w./-]+)`:\s*\Z')
_NUMBER = re.compile(r'[-+]?\d[\d.,]*(?:e[-+]?\d+)?')
_COMMANDS = ('spacerobot-id', 'python', 'mkdir', 'cp', 'mv', 'ls', 'cat')


@dataclass(frozen=True)
class FileStep:
    """A file that the page shows, and that its reader writes."""

    path: str
    text: str


@dataclass(frozen=True)
class CommandStep:
    """A command and what the page shows of its output."""

    command: str
    shown: str


def steps(page):
    """Return the steps of a page: ``console`` blocks, and blocks whose file is named above."""
    text = page.read_text(encoding='utf-8')
    found = []
    for block in _FENCE.finditer(text):
        kind, content = block.groups()
        named = _NAMED.search(text[: block.start()])
        if kind == 'console':
            found += _commands(content)
        elif named:
            found.append(FileStep(named[1], content))
    return found


def _commands(content):
    """Yield the commands of a block, which begin with a dollar, and what is shown below each."""
    for part in re.split(r'^\$ ', content, flags=re.MULTILINE)[1:]:
        joined = part.replace('\\\n', ' ')
        command, _, shown = joined.partition('\n')
        yield CommandStep(command, shown)


def run(page, folder):
    """Run a page in a folder; fail where a command fails or prints something else."""
    _prepare(folder)
    environment = os.environ | {'PATH': f'{folder / "bin"}:{os.environ["PATH"]}', 'COLUMNS': '100'}
    environment.pop('PYTHONSAFEPATH', None)  # the reader's scripts import one another
    for step in steps(page):
        if isinstance(step, FileStep):
            (folder / step.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.path).write_text(step.text, encoding='utf-8')
            continue
        assert step.command.split()[0] in _COMMANDS, step.command
        ran = subprocess.run(
            ['bash', '-c', step.command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=540.0,
            check=False,
        )
        assert ran.returncode == 0, f'{step.command}\n{ran.stdout}{ran.stderr}'
        missing = not_printed(step.shown, ran.stdout + ran.stderr)
        assert missing is None, (
            f'{step.command}\nthe page shows:\n{missing}\nprinted was:\n{ran.stdout}{ran.stderr}'
        )


def _prepare(folder):
    """Make a folder look like a checkout with the package installed."""
    (folder / 'bin').mkdir()
    for name, arguments in {'spacerobot-id': '-m spacerobot_id', 'python': ''}.items():
        script = folder / 'bin' / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        script.chmod(0o755)
    for name in ('config', 'examples'):
        (folder / name).symlink_to(ROOT / name)


def not_printed(shown, printed):
    """Return the first part of what a page shows that was not printed; None if all was.

    Parts stand between lines of three dots, and have to come in their order; numbers and the
    breaking of lines may differ.
    """
    words = ' '.join(_shape(printed))
    for part in re.split(r'^\s*\.\.\.\s*$', shown, flags=re.MULTILINE):
        wanted = ' '.join(_shape(part))
        if wanted not in words:
            return part
        words = words.partition(wanted)[2] if wanted else words
    return None


def _shape(text):
    """Return the words of a text, its numbers as signs."""
    return _NUMBER.sub('#', text).split()

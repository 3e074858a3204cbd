"""Colours and what is being done, on terminals alone."""

import io

import pytest

from spacerobot_id.cli.terminal import coloured, doing


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


def test_terminals_have_colours(monkeypatch):
    monkeypatch.setattr('sys.stdout', Terminal())
    monkeypatch.delenv('NO_COLOR', raising=False)
    assert coloured('usable', 'good') == '\x1b[1;32musable\x1b[0m'
    assert coloured('so', 'plain') == 'so'


@pytest.mark.parametrize('is_pipe', [True, False])
def test_pipes_have_none_nor_who_wants_none(monkeypatch, is_pipe):
    monkeypatch.setattr('sys.stdout', io.StringIO() if is_pipe else Terminal())
    monkeypatch.setenv('NO_COLOR', '1')
    if is_pipe:
        monkeypatch.delenv('NO_COLOR')
    assert coloured('not to be used', 'bad') == 'not to be used'


def test_what_is_done_is_shown_while_it_is_done(monkeypatch):
    """And wiped away, whatever happens; in a pipe nothing is written."""
    for stream, shown in ((Terminal(), 'identifying ...\r\x1b[2K'), (io.StringIO(), '')):
        monkeypatch.setattr('sys.stderr', stream)
        with pytest.raises(ValueError, match='no'), doing('identifying'):
            raise ValueError('no')
        assert stream.getvalue() == shown

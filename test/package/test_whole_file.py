"""Files are written whole or not at all, and nothing but regular files is replaced."""

import errno
import os
from pathlib import Path

import pytest

from spacerobot_id.whole_file import unwritable, write_whole


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / 'new' / 'file.yaml'
    write_whole(path, 'old', folders=True)
    assert path.stat().st_mode & 0o044  # not that of a temporary file
    path.chmod(0o640)
    write_whole(path, 'mass: 1 # größer')
    assert path.read_text(encoding='utf-8') == 'mass: 1 # größer'
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(path.parent) == ['file.yaml']


@pytest.mark.parametrize('kind', ['link', 'dangling link', 'fifo', 'folder', 'device'])
def test_what_is_no_regular_file_is_refused_and_stays(tmp_path, kind):
    """A link's target is somewhere that nobody named."""
    path, other = tmp_path / 'file.json', tmp_path / 'other'
    if kind == 'link':
        other.write_text('precious')
        path.symlink_to(other)
    elif kind == 'dangling link':
        path.symlink_to(other)
    elif kind == 'fifo':
        os.mkfifo(path)
    elif kind == 'folder':
        path.mkdir()
    else:
        path = Path('/dev/null')
    before = path.lstat().st_mode, path.lstat().st_ino
    assert unwritable(path).startswith(f'{path} is ')
    with pytest.raises(OSError, match=f'{path.name} is '):
        write_whole(path, 'text')
    assert (path.lstat().st_mode, path.lstat().st_ino) == before
    assert other.exists() is (kind == 'link')
    assert kind != 'link' or other.read_text() == 'precious'


def test_a_part_that_others_have_put_there_is_not_followed(tmp_path):
    """A draft of a name that can be guessed could be a link to anywhere."""
    precious = tmp_path / 'precious'
    precious.write_text('as it was')
    (tmp_path / 'file.json.part').symlink_to(precious)
    write_whole(tmp_path / 'file.json', 'text')
    assert precious.read_text() == 'as it was'


def test_a_full_disk_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / 'file.json'
    write_whole(path, 'old')

    def full(_descriptor):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(OSError, match='No space left'):
        write_whole(path, 'new')
    assert path.read_text() == 'old'
    assert os.listdir(tmp_path) == ['file.json']

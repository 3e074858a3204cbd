"""Files that the package writes: whole or not at all, and regular files only."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
import csv
import os
from pathlib import Path
import stat
import tempfile

_MASK = os.umask(0o077)
os.umask(_MASK)  # can only be read by being set: here, before there are threads


def unwritable(path: str | Path) -> str | None:
    """Return why a file cannot be written, in a folder that is there or is to be made.

    Parameters
    ----------
    path : str or Path
        File; nothing is wrong with it if empty.
    """
    if not str(path):
        return None
    path = Path(path)
    if path.is_symlink():
        return f'{path} is a symbolic link'
    if path.is_dir():
        return f'{path} is a folder'
    if path.exists():
        if not path.is_file():
            return f'{path} is no regular file'
        if not os.access(path, os.W_OK):
            return f'{path} is not writable'
    return unwritable_folder(path.absolute().parent)


def unwritable_folder(path: str | Path) -> str | None:
    """Return why nothing can be written to a folder, which is there or is to be made."""
    folder = Path(path).absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        return f'{folder} is no folder'
    return None if os.access(folder, os.W_OK | os.X_OK) else f'the folder {folder} is not writable'


@contextmanager
def whole_file(path: str | Path, *, folders: bool = False) -> Iterator[Path]:
    """Yield a draft beside a file, which takes its place if all goes well and is removed if not.

    Parameters
    ----------
    path : str or Path
        File; one that is there has to be a regular file and keeps its permissions.
    folders : bool
        Whether folders that are not there are made.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    path = Path(path)
    if fault := unwritable(path):
        raise OSError(fault)
    if folders:
        path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_MASK
    descriptor, name = tempfile.mkstemp('.part', '.', path.parent)
    draft = Path(name)
    try:
        yield draft
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
        draft.replace(path)
    finally:
        os.close(descriptor)
        draft.unlink(missing_ok=True)  # there still if anything failed


def write_whole(path: str | Path, text: str, *, folders: bool = False) -> None:
    """Write a text file in UTF-8; see ``whole_file``."""
    with whole_file(path, folders=folders) as draft:
        draft.write_text(text, encoding='utf-8')


def write_csv(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write a table, the heads of its columns first; its folder is made if it is not there."""
    with (
        whole_file(path, folders=True) as draft,
        draft.open('w', encoding='utf-8', newline='') as file,
    ):
        csv.writer(file).writerows(rows)

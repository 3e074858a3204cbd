"""What the estimator knows, kept in a file over a restart (F27, F35)."""

import os
from pathlib import Path

from rclpy.impl.rcutils_logger import RcutilsLogger

from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import CheckpointError
from spacerobot_id.settings.bounded_text import read_text_file


def unwritable(path: str) -> str | None:
    """Return why a file cannot be written, in a folder that is there or is to be made.

    Parameters
    ----------
    path : str
        File; nothing is wrong with it if empty.
    """
    if not path:
        return None
    if Path(path).is_dir():
        return f'{path} is a folder'
    folder = Path(path).absolute().parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        return f'{folder} is no folder'
    return None if os.access(folder, os.W_OK | os.X_OK) else f'{folder} is not writable'


def write_whole(path: Path, text: str) -> None:
    """Write a file, in a folder that is made where there is none: all of the text or nothing.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    draft = path.with_name(f'{path.name}.part')
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft.open('w') as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


class EstimatorCheckpoint:
    """A file with what is known, written whole or not at all.

    Parameters
    ----------
    path : str
        File; nothing is written or read if empty.
    configuration : str
        Hash of description and settings.
    logger : RcutilsLogger
        Logger of starts.
    """

    def __init__(self, path: str, configuration: str, logger: RcutilsLogger) -> None:
        self._path = Path(path) if path else None
        self._configuration = configuration
        self._logger = logger
        self._written = 0

    def restored(self, fresh: Identification) -> Identification:
        """Return the state of the file, or a fresh one; either is logged."""
        if self._path is None or not self._path.exists():
            return fresh
        try:
            text = read_text_file(self._path)
            state = restored(fresh, text, self._configuration)
        except (OSError, UnicodeDecodeError, CheckpointError) as error:
            self._logger.warning(f'{self._path}: cold start: {error}')
            return fresh
        self._logger.info(f'{self._path}: warm start from {state.samples} samples')
        self._written = state.samples
        return state

    def is_due(self, live: Identification) -> bool:
        """Return whether there is a file and more to write to it than last time.

        What may be far off, as samples are too few as yet, is not written.
        """
        is_more = live.samples != self._written and not live.shortages
        return self._path is not None and is_more

    def write(self, live: Identification) -> None:
        """Write what is known; there has to be a file."""
        try:
            write_whole(self._path, checkpoint_text(live, self._configuration))
        except OSError as error:
            self._logger.error(f'{self._path}: no checkpoint: {error}')
            return
        self._written = live.samples

    def forget(self) -> None:
        """Remove the file: what it holds is no longer wanted."""
        self._written = 0
        if self._path is None:
            return
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self._logger.error(f'{self._path}: not removed: {error}')

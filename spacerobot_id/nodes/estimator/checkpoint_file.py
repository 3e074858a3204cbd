"""What the estimator knows, kept in a file over a restart (F27, F35)."""

from itertools import count
from pathlib import Path

from rclpy.impl.rcutils_logger import RcutilsLogger

from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import CheckpointError
from spacerobot_id.settings.yaml_file import read_text_file
from spacerobot_id.whole_file import write_whole


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
        self._is_foreign = False

    def restored(self, fresh: Identification) -> Identification:
        """Return the state of the file, or a fresh one; either is logged."""
        if self._path is None or not self._path.is_file():
            return fresh
        try:
            text = read_text_file(self._path)
            state = restored(fresh, text, self._configuration)
        except (OSError, UnicodeDecodeError, CheckpointError) as error:
            self._is_foreign = True
            self._logger.warning(f'{self._path}: cold start: {error}')
            return fresh
        self._is_foreign = False
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
            self._put_aside()
            write_whole(self._path, checkpoint_text(live, self._configuration), folders=True)
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
            self._put_aside()
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self._logger.error(f'{self._path}: not removed: {error}')

    def _put_aside(self) -> None:
        """Keep a file that was refused beside, under a name that is free."""
        if not self._is_foreign:
            return
        names = (self._path.with_name(f'{self._path.name}.refused-{k}') for k in count(1))
        beside = next(name for name in names if not name.exists())
        self._path.rename(beside)
        self._is_foreign = False
        self._logger.warning(f'{self._path}: what was refused is kept as {beside}')

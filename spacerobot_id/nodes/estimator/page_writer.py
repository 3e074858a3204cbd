"""The page of ``~/save``: written in a thread of its own, by modules that are loaded for it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
import threading

from spacerobot_id.estimation.excitation_report import excitation_report
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.log_record import StreamSummary


class PageWriter:
    """Writes the page of a result while the node goes on.

    Parameters
    ----------
    on_written : callable
        Called in the thread with the path of a page that was written.
    on_error : callable
        Called in the thread with the path of a page that was not, and the exception.
    """

    def __init__(
        self, on_written: Callable[[Path], None], on_error: Callable[[Path, Exception], None]
    ) -> None:
        self._on_written, self._on_error = on_written, on_error
        self._thread: threading.Thread | None = None

    def write(
        self,
        state: Identification,
        result: Result,
        streams: tuple[StreamSummary, ...],
        path: Path,
    ) -> bool:
        """Begin to write a page; return whether no other one is being written.

        Parameters
        ----------
        state : Identification
            State behind the result.
        result : Result
            What is known.
        streams : tuple of StreamSummary
            How the messages came.
        path : Path
            Its JSON file, beside which the page is written.
        """
        if self._thread is not None and self._thread.is_alive():
            return False
        work = (state, result, streams, path)
        self._thread = threading.Thread(target=self._run, args=work, name='page', daemon=True)
        self._thread.start()
        return True

    def close(self, timeout: float = 5.0) -> None:
        """Wait for the page that is being written, s at most."""
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(
        self,
        state: Identification,
        result: Result,
        streams: tuple[StreamSummary, ...],
        path: Path,
    ) -> None:
        page = path.with_suffix('.html')
        try:
            _write(state, result, streams, page)
        except Exception as error:
            self._on_error(page, error)
            return
        self._on_written(page)


def _write(
    state: Identification, result: Result, streams: tuple[StreamSummary, ...], page: Path
) -> None:
    """Write the page, and the tables beside it."""
    from spacerobot_id.report.page.render import write_page
    from spacerobot_id.report.result_files import Subject, write_tables
    from spacerobot_id.report.result_page import result_page

    if not state.recorded:
        raise EstimationError('no samples were used since the start')
    record = Record.concatenate(state.recorded)
    if result.residuals is None:
        judged = state.judged()
        result = replace(result, residuals=judged.residuals, quality=judged.quality)
    result = replace(result, excitation=excitation_report(result.method, record))
    subject = Subject(result, record, len(record), 'the live estimator', streams)
    write_page(result_page(subject), page)
    write_tables(result, page)

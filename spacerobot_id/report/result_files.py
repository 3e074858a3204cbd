"""What a page is of, and a result as files beside it: JSON of everything, CSV of parameters."""

from collections.abc import Mapping
import csv
from dataclasses import dataclass, field
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.log_record import StreamSummary
from spacerobot_id.settings.yaml_file import read_text_file
from spacerobot_id.whole_file import write_csv


@dataclass(frozen=True, eq=False)
class Truth:
    """The true robot, where it is known.

    Parameters
    ----------
    name : str
        Where it is from.
    values : ndarray, shape (p,)
        True parameters.
    """

    name: str
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subject:
    """A result with what a reader needs to judge and to repeat it.

    Parameters
    ----------
    result : Result
        Result of an identification.
    record : Record
        All samples, those held out among them.
    used : int
        Samples from the begin that were fitted.
    source : str
        What the log is called, or the node.
    streams : sequence of StreamSummary
        How the messages came.
    command : sequence of str
        What makes the report again; empty if nothing does.
    files : mapping of str to str
        Files that went in, and hashes of their contents.
    settings : mapping of str to object
        Settings that are not as they are by default.
    truth : Truth, optional
        The true robot, where it is known.
    """

    result: Result
    record: Record
    used: int
    source: str
    streams: tuple[StreamSummary, ...] = ()
    command: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    truth: Truth | None = None

    @property
    def duration(self) -> float:
        """Time from the first sample to the last, s."""
        return float(np.ptp(self.record.times)) if len(self.record) else 0.0

    @property
    def begin(self) -> float:
        """Time of the first sample, s."""
        return float(self.record.times[0]) if len(self.record) else 0.0

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which parameters are identified, shape (p,)."""
        estimate = self.result.estimate
        return ~np.isin(estimate.names, estimate.not_identified())

    @property
    def has_failed(self) -> bool:
        """Whether nothing fits; methods that are there to be compared may be as bad as that."""
        return self.result.intervals_hold and not self.result.is_usable

    @property
    def description(self) -> NDArray[np.float64]:
        """Parameters by the description, shape (p,)."""
        return self.result.method.prior().mean[: len(self.result.estimate.names)]


JSON_NAME = 'result.json'

_PARAMETERS, _COVARIANCE = '.parameters.csv', '.covariance.csv'
"""How the tables beside a JSON file end."""


@dataclass(frozen=True, eq=False)
class SavedResult:
    """A result that was written down.

    Parameters
    ----------
    name : str
        What it is called.
    content : dict
        The JSON object of ``Result.to_dict``.
    covariance : ndarray, shape (p, p), optional
        Covariance of its parameters, where it was kept.
    """

    name: str
    content: dict
    covariance: NDArray[np.float64] | None = None

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return self.content['parameters']['names']

    def column(self, key: str) -> NDArray[np.float64]:
        """Return values, std, prior or prior_std of the parameters; NaN where not finite."""
        column = self.content['parameters'][key]
        return np.array([np.nan if each is None else each for each in column], dtype=float)


def write_tables(result: Result, path: Path) -> tuple[Path, ...]:
    """Write the parameters and their covariance as CSV; return the files.

    Parameters
    ----------
    result : Result
        Result of an identification.
    path : Path
        Its JSON file, beside which they are written.
    """
    files = path.with_suffix(_PARAMETERS), path.with_suffix(_COVARIANCE)
    estimate = result.estimate
    prior = result.method.prior().mean[: len(estimate.names)]
    unseen = set(estimate.not_identified())
    head = ('name', 'unit', 'prior', 'prior_std', 'value', 'std', 'identified')
    columns = (prior, estimate.prior_std, estimate.values, estimate.std)
    rows = zip(estimate.names, estimate.units, *(each.tolist() for each in columns), strict=True)
    seen = ((*row, str(row[0] not in unseen).lower()) for row in rows)
    write_csv(files[0], [head, *seen])
    write_csv(files[1], [estimate.names, *estimate.covariance.tolist()])
    return files


def is_result(path: Path) -> bool:
    """Return whether a path is a result that was written: its folder, or its JSON."""
    return (path / JSON_NAME).is_file() or (path.suffix == '.json' and path.is_file())


def load_result(path: Path) -> SavedResult:
    """Return a result that was written.

    Parameters
    ----------
    path : Path
        Folder of a report, or a JSON file of ``identify --json`` or ``~/save``.

    Raises
    ------
    ConfigurationError
        If it is none; names the file.
    """
    file = path / JSON_NAME if path.is_dir() else path
    try:
        content = json.loads(read_text_file(file))
        known = content['parameters']
        count = {len(known[key]) for key in ('names', 'units', 'values', 'std', 'prior')}
        content['method'], content['robot_name'], content['usable']
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigurationError(f'{file}: is no result of an identification') from error
    if len(count) != 1:
        raise ConfigurationError(f'{file}: its parameters do not belong together')
    name = path.name if path.is_dir() else path.stem
    return SavedResult(name, content, _covariance(file.with_suffix(_COVARIANCE), known['names']))


def _covariance(path: Path, names: list[str]) -> NDArray[np.float64] | None:
    """Return the covariance beside a result; None where there is none of its parameters."""
    if not path.is_file():
        return None
    with path.open(newline='') as file:
        head, *rows = csv.reader(file)
    if head != names:
        return None
    return np.array(rows, dtype=float)

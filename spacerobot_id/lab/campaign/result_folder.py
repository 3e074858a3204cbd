"""The results of a campaign: rows of runs, a Parquet file per finished batch, and one of all.

A finished run is written to the journal of its batch at once; when all runs of a batch are there
the batch becomes a Parquet file, written whole and then renamed. What a run came to and how long
it took are in tables of their own: the first does not depend on who ran it, to the last bit.
"""

from collections.abc import Iterator, Mapping
import contextlib
from dataclasses import asdict, dataclass
import fcntl
import json
import math
from pathlib import Path
from typing import Any, IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id import __version__
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.campaign_file import Campaign, CampaignInputs
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.lab.campaign.run import library, Run
from spacerobot_id.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    import pyarrow


SCHEMA = 2
"""Version of the tables; docs/campaigns.md describes them."""

_TEXT_COLUMNS = ('causes', 'errors_present')
"""Columns of text of a run that has an outcome."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Columns:
    """Columns of the table of runs, in order.

    Parameters
    ----------
    keys : tuple of str
        What is drawn.
    parameters : tuple of str
        What the method finds.
    """

    keys: tuple[str, ...]
    parameters: tuple[str, ...]

    def types(self) -> dict[str, str]:
        """Return the types of the columns by name."""
        found = {'index': 'int64', 'error': 'string', 'not_applied': 'string'}
        found |= {f'drawn.{key}': 'float64' for key in self.keys}
        found |= {f'read.{key}': 'float64' for key in self.keys}
        found |= dict.fromkeys(METRICS, 'float64') | dict.fromkeys(_TEXT_COLUMNS, 'string')
        for kind, type_name in (('error', 'float64'), ('std', 'float64'), ('identified', 'bool_')):
            found |= {f'{kind}.{name}': type_name for name in self.parameters}
        return found

    def row(self, run: Run) -> dict[str, object]:
        """Return a run as a row; what it does not have is None."""
        row: dict[str, object] = dict.fromkeys(self.types())
        row |= {'index': run.index, 'error': run.error, 'not_applied': ', '.join(run.not_applied)}
        row |= {f'drawn.{key}': _number(run.drawn[key]) for key in self.keys}
        row |= {f'read.{key}': _number(value) for key, value in run.read.items()}
        if run.outcome is not None:
            row |= {name: _number(value) for name, value in run.outcome.metrics.items()}
            row |= {name: getattr(run.outcome, name) for name in _TEXT_COLUMNS}
            for kind, kept in (('error', _number), ('std', _number), ('identified', bool)):
                values = getattr(run.outcome, kind)
                columns = zip(self.parameters, values, strict=True)
                row |= {f'{kind}.{name}': kept(value) for name, value in columns}
        return row


def _number(value: float) -> float | None:
    """Return a number, None where there is none."""
    return None if math.isnan(value) else float(value)


def columns_of(campaign: Campaign) -> Columns:
    """Return the columns of a campaign's table: the method finds those of the prior model."""
    unknowns = campaign.identify.method_for(campaign.prior).unknowns
    return Columns(campaign.draws.keys, tuple(unknowns.names[: unknowns.parameters]))


_INPUTS, _ABOUT, PLAN = 'inputs.json', 'campaign.json', 'plan.yaml'


def claim(path: Path, inputs: CampaignInputs) -> None:
    """Make a folder that of a campaign, or see that it is.

    Raises
    ------
    ConfigurationError
        If it is that of another campaign, or of another version of the package.
    """
    about = path / _ABOUT
    if about.exists():
        known = json.loads(about.read_text(encoding='utf-8'))
        if known.get('digest') == inputs.digest and known.get('schema') == SCHEMA:
            return
        version = known.get('version', 'unknown')
        why = 'other settings or robots'
        if known.get('schema') != SCHEMA:
            why = 'tables with other columns, of another version of the package'
        if version != __version__:
            why = f'version {version} of the package, this is {__version__}'
        raise ConfigurationError(
            f'--out: {path} has the results of another campaign: {why} (configuration hash '
            f'{str(known.get("digest"))[:12]}, this campaign has {inputs.digest[:12]})'
        )
    if path.exists() and any(path.iterdir()):
        raise ConfigurationError(f'--out: {path} is not empty, and no folder of a campaign')
    path.mkdir(parents=True, exist_ok=True)
    of_campaign = {'schema': SCHEMA, 'version': __version__, 'digest': inputs.digest}
    for file, content in ((path / _INPUTS, asdict(inputs)), (about, of_campaign)):
        write_whole(file, json.dumps(content, indent=2) + '\n')


def kept_inputs(path: Path) -> CampaignInputs:
    """Return the texts of the campaign of a folder.

    Raises
    ------
    ConfigurationError
        If it is no folder of a campaign.
    """
    file = path / _INPUTS
    if not file.exists():
        raise ConfigurationError(f'{path}: no folder of a campaign')
    return CampaignInputs(**json.loads(file.read_text(encoding='utf-8')))


def kept_plan(path: Path) -> str | None:
    """Return the text of the plan of a folder; None if there is none yet."""
    file = path / PLAN
    return file.read_text(encoding='utf-8') if file.exists() else None


RUNS, TIMINGS, PAGE, SUMMARY = 'runs.parquet', 'timings.parquet', 'report.html', 'summary.json'
"""Names of the final files."""

_LOCK = '.lock'

_GROUP = 5000
"""Rows of a group of the final tables."""

_TIMING_COLUMNS = (('index', 'int64'), ('seconds', 'float64'), ('memory', 'float64'))
"""Columns of the table of times: s of wall time, and memory of the process after it, bytes."""


class ResultFolder:
    """The folder of a campaign, held by one process at a time.

    Parameters
    ----------
    path : Path
        The folder.
    columns : Columns
        Columns of the table of runs.
    runs, batch : int
        Runs at most, and runs per file.
    """

    def __init__(self, path: Path, columns: Columns, runs: int, batch: int) -> None:
        self.path, self.columns = path, columns
        self._runs, self._batch = runs, batch
        self._open: dict[int, dict[int, dict[str, Row]]] = {}
        self._journals: dict[int, IO[str]] = {}
        (path / 'batches').mkdir(parents=True, exist_ok=True)
        (path / 'journal').mkdir(exist_ok=True)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder, so that no other process writes to it.

        Raises
        ------
        ConfigurationError
            If another process holds it.
        """
        with (self.path / _LOCK).open('w') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ConfigurationError(
                    f'--out: another process is at work in {self.path}'
                ) from None
            try:
                yield
            finally:
                for journal in self._journals.values():
                    journal.close()
                self._journals.clear()

    def finished_rows(self) -> Iterator[Row]:
        """Yield the rows of all runs that are finished; what a kill left over is put right."""
        for part in (self.path / 'batches').glob('*.part'):
            part.unlink()
        arrow = library('pyarrow.parquet')
        for path in sorted((self.path / 'batches').glob('runs-*.parquet')):
            number = int(path.stem.rpartition('-')[2])
            self._journal_path(number).unlink(missing_ok=True)
            yield from arrow.read_table(path).to_pylist()
        for path in sorted((self.path / 'journal').glob('*.jsonl')):
            number = int(path.stem)
            entries = self._recovered(path)
            self._open[number] = entries
            yield from [entry['run'] for entry in entries.values()]
            self._close_if_whole(number)

    def add(self, row: Row, seconds: float, memory: float) -> None:
        """Keep a finished run."""
        index = row['index']
        number = index // self._batch
        entry = {
            'run': row,
            'timing': {'index': index, 'seconds': seconds, 'memory': memory},
        }
        if number not in self._journals:
            self._journals[number] = self._journal_path(number).open('a', encoding='utf-8')
        journal = self._journals[number]
        journal.write(json.dumps(entry) + '\n')
        journal.flush()
        self._open.setdefault(number, {})[index] = entry
        self._close_if_whole(number)

    def combine(self, count: int) -> Path:
        """Write the tables of the first runs, in the order of their indices; return their path."""
        arrow = library('pyarrow.parquet')
        for kind, name in (('runs', RUNS), ('timings', TIMINGS)):
            with (
                whole_file(self.path / name) as draft,
                arrow.ParquetWriter(draft, self._schema(kind)) as writer,
            ):
                for group in self._groups(count, kind):
                    writer.write_table(group)
        return self.path / RUNS

    def _groups(self, count: int, kind: str) -> Iterator['pyarrow.Table']:
        """Yield the first runs in tables of many batches: small groups of rows cost memory."""
        joined = library('pyarrow').concat_tables
        parts, batches = [], -(-count // self._batch)
        for number in range(batches):
            first = count - number * self._batch  # none of them is missing
            parts.append(self._batch_table(number, kind).slice(0, first))
            if sum(map(len, parts)) >= _GROUP or number == batches - 1:
                yield joined(parts).combine_chunks()
                parts = []

    def _batch_table(self, number: int, kind: str) -> 'pyarrow.Table':
        """Return the table of a batch, finished or not."""
        path = self._batch_path(number, kind)
        if path.exists():
            return library('pyarrow.parquet').read_table(path, schema=self._schema(kind))
        entries = self._open.get(number, {})
        return self._table(entries, kind)

    def _close_if_whole(self, number: int) -> None:
        """Turn the journal of a batch into its Parquet files if all of its runs are there."""
        entries = self._open[number]
        whole = min(self._batch, self._runs - number * self._batch)
        if len(entries) < whole:
            return
        for kind in ('timings', 'runs'):  # the table of runs last: with it the batch is finished
            path = self._batch_path(number, kind)
            with whole_file(path) as draft:
                library('pyarrow.parquet').write_table(self._table(entries, kind), draft)
        if number in self._journals:
            self._journals.pop(number).close()
        self._journal_path(number).unlink(missing_ok=True)
        del self._open[number]

    def _table(self, entries: Mapping[int, Mapping[str, Row]], kind: str) -> 'pyarrow.Table':
        which = 'run' if kind == 'runs' else 'timing'
        rows = [entries[index][which] for index in sorted(entries)]
        return library('pyarrow').Table.from_pylist(rows, self._schema(kind))

    def _schema(self, kind: str) -> 'pyarrow.Schema':
        pyarrow = library('pyarrow')
        types = self.columns.types() if kind == 'runs' else dict(_TIMING_COLUMNS)
        return pyarrow.schema([(name, getattr(pyarrow, each)()) for name, each in types.items()])

    def _batch_path(self, number: int, kind: str) -> Path:
        return self.path / 'batches' / f'{kind}-{number:06d}.parquet'

    def _journal_path(self, number: int) -> Path:
        return self.path / 'journal' / f'{number:06d}.jsonl'

    def _recovered(self, path: Path) -> dict[int, dict[str, Row]]:
        """Return what a journal has; a line that was cut off is taken out of the file."""
        entries, whole = {}, []
        for line in path.read_text(encoding='utf-8').splitlines(keepends=True):
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if line.endswith('\n'):
                entries[entry['run']['index']] = entry
                whole.append(line)
        write_whole(path, ''.join(whole))
        return entries


def kept_row(path: Path, index: int, batch: int) -> dict[str, object] | None:
    """Return the row of a run of a folder; None if there is none."""
    file = path / 'batches' / f'runs-{index // batch:06d}.parquet'
    journal = path / 'journal' / f'{index // batch:06d}.jsonl'
    rows: list[dict[str, object]] = []
    if file.exists():
        rows = library('pyarrow.parquet').read_table(file).to_pylist()
    elif journal.exists():
        lines = journal.read_text(encoding='utf-8').splitlines()
        rows = [json.loads(line)['run'] for line in lines]
    return next((row for row in rows if row['index'] == index), None)


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of the table of runs, N rows in the order of their indices.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Numbers by name, NaN where a run has none; texts as objects.
    """

    columns: Mapping[str, NDArray]

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.columns['index'])

    def __getitem__(self, name: str) -> NDArray:
        """Return a column."""
        return self.columns[name]

    @property
    def has_outcome(self) -> NDArray[np.bool_]:
        """Which runs have an outcome."""
        return np.array([not error for error in self.columns['error']], dtype=bool)

    def names(self, prefix: str) -> tuple[str, ...]:
        """Return what columns of a prefix are of: ``drawn`` gives all keys."""
        begin = f'{prefix}.'
        return tuple(name[len(begin) :] for name in self.columns if name.startswith(begin))


def load_results(path: Path) -> Results:
    """Return the results in a Parquet file."""
    pyarrow, arrow = library('pyarrow'), library('pyarrow.parquet')
    table = arrow.read_table(path)
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pyarrow.types.is_string(column.type):
            columns[name] = np.array(column.to_pylist(), dtype=object)
        elif pyarrow.types.is_boolean(column.type):
            numbers = column.cast('int8').cast('float64')
            columns[name] = numbers.to_numpy()
        else:
            columns[name] = column.to_numpy()
    return Results(columns)


def thinned(values: NDArray[np.float64], most: int = 400) -> tuple[NDArray, NDArray]:
    """Return values in order and the shares of runs below them, for a curve of so many points.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Values in any order; what is not finite is left out.
    most : int
        Points at most, the least and the largest value among them.
    """
    ordered = np.sort(values[np.isfinite(values)])
    rows = np.arange(len(ordered))
    if len(rows) > most:
        rows = np.unique(np.linspace(0, len(ordered) - 1, most).astype(int))
    return ordered[rows], (rows + 0.5) / max(len(ordered), 1)

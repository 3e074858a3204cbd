"""Columns of the table of runs, and a run as a row of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Any

from spacerobot_id.lab.campaign.definition.campaign_file import Campaign
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.lab.campaign.run import Parameter, Run

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
    parameters : tuple of Parameter
        What the method finds.
    """

    keys: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    def types(self) -> dict[str, str]:
        """Return the types of the columns by name."""
        found = {'index': 'int64', 'error': 'string', 'not_applied': 'string'}
        found |= {f'drawn.{key}': 'float64' for key in self.keys}
        found |= {f'read.{key}': 'float64' for key in self.keys}
        found |= dict.fromkeys(METRICS, 'float64') | dict.fromkeys(_TEXT_COLUMNS, 'string')
        for kind, type_name in (('error', 'float64'), ('std', 'float64'), ('identified', 'bool_')):
            found |= {f'{kind}.{each.name}': type_name for each in self.parameters}
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
            names = [each.name for each in self.parameters]
            for kind in ('error', 'std'):
                values = getattr(run.outcome, kind).tolist()
                row |= {
                    f'{kind}.{name}': _number(each)
                    for name, each in zip(names, values, strict=True)
                }
            seen = run.outcome.identified.tolist()
            row |= {f'identified.{name}': each for name, each in zip(names, seen, strict=True)}
        return row


def _number(value: float) -> float | None:
    """Return a number, None where there is none."""
    return None if math.isnan(value) else float(value)


def columns_of(campaign: Campaign, parameters: Sequence[Parameter]) -> Columns:
    """Return the columns of a campaign's table."""
    return Columns(campaign.draws.keys, tuple(parameters))

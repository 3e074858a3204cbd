"""Rao's score test of calibrations that are off: what each would explain, from one linearisation.

All are linearised at zero beside the unknowns as fitted (Rao, 1948). The same linear equations say
how far the parameters would move with one of them switched on: what it costs to leave it off.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from spacerobot_id.estimation.batch.gauss_newton import known_information
from spacerobot_id.estimation.batch.suspects import new_names, values_for
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import chunks, Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_OF_ONE_FACTOR = frozenset({'gyro_scale', 'twist_scale'})
"""Calibrations whose unknowns may all be the same: one factor, of a unit or of all lengths."""


@dataclass(frozen=True, eq=False)
class Score:
    """What one calibration would explain, to first order.

    Parameters
    ----------
    key : str
        Setting of the calibration.
    freedom : int
        How many numbers were found: its f unknowns, or one that they share.
    gain : float
        By how much smaller the sum of squares would be.
    values : ndarray, shape (f,)
        Its f unknowns.
    std : ndarray, shape (f,)
        Their standard deviations.
    shift : ndarray, shape (p,)
        How far the parameters would move, in the standard deviations that they have without it.
    """

    key: str
    freedom: int
    gain: float
    values: NDArray[np.float64]
    std: NDArray[np.float64]
    shift: NDArray[np.float64]

    @property
    def chance(self) -> float:
        """Probability that chance alone explains as much."""
        return float(chdtrc(self.freedom, max(self.gain, 0.0)))

    @property
    def moved(self) -> float:
        """Most standard deviations by which a parameter would move."""
        return float(np.abs(self.shift).max(initial=0.0))

    def with_noise(self, variance: float) -> 'Score':
        """Return the same where the noise has that many times the variance stated."""
        root = np.sqrt(variance)
        return replace(
            self, gain=self.gain / variance, std=self.std * root, shift=self.shift / root
        )


def scores(
    method: Method,
    freed: Method,
    samples: Record,
    values: NDArray[np.float64],
    known: SquareRootInformation | None = None,
) -> list[Score]:
    """Return the score of every calibration that may be switched on; empty where none can be.

    Those whose unknowns may be one factor are judged by that, too: it shows where each of them,
    free of the others, would not.

    Parameters
    ----------
    method : Method
        Method of the fit.
    freed : Method
        The same with all calibrations switched on that the samples have streams for.
    samples : Record
        Samples to judge by, as ``freed`` can use them.
    values : ndarray, shape (u,)
        Unknowns of the fit.
    known : SquareRootInformation, optional
        What is known of them without the samples; the description by default.
    """
    if known is None:
        freed = freed.since(float(samples.times[0]))
    names = freed.unknowns.names
    own = [names.index(name) for name in method.unknowns.names]
    about = values_for(method, freed, values)
    whole = SquareRootInformation.nothing(len(names))
    try:
        for chunk in chunks(samples):
            rows = freed.equations(chunk, about)
            whole = whole.absorb(rows.matrix, rows.right, rows.count)
        if known is None:
            prior = method.since(freed.epoch).prior()
            if not np.isfinite(prior.cost(values)):  # a robot that cannot be
                return []
            known = known_information(values, prior)
    except (EstimationError, np.linalg.LinAlgError):
        return []
    prior = np.zeros((len(own), len(names)))
    prior[:, own] = known.factor
    whole = whole.absorb(prior, known.target)
    fit = _Fit(whole, own, method.unknowns.parameters)
    found = []
    for key, suspected in method.suspects.items():
        alone = method.freed(key, suspected)
        new = new_names(method, alone)
        if not new or not set(new) <= set(names):
            continue
        held = np.array([alone.unknowns.names.index(name) for name in new])
        spread = alone.unknowns.std[held - alone.unknowns.parameters]
        columns = [names.index(name) for name in new]
        found += [fit.score(key, columns, axes, spread) for axes in _directions(key, len(new))]
    return found


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fit, and what its samples say of all calibrations beside it.

    Parameters
    ----------
    whole : SquareRootInformation
        Information on the unknowns of the fit and those of all calibrations.
    own : list of int
        Places of the former.
    parameters : int
        How many of these are parameters.
    """

    whole: SquareRootInformation
    own: list[int]
    parameters: int

    @cached_property
    def without(self) -> SquareRootInformation:
        """Information with all calibrations held at zero."""
        return _of_columns(self.whole, self.own)

    @cached_property
    def std(self) -> NDArray[np.float64]:
        """Standard deviations of the unknowns of the fit, shape (u,)."""
        return np.sqrt(np.diag(self.without.covariance()))

    def score(
        self,
        key: str,
        columns: list[int],
        axes: NDArray[np.float64],
        spread: NDArray[np.float64],
    ) -> Score:
        """Return the score of a calibration.

        Parameters
        ----------
        key : str
            Its setting.
        columns : list of int
            Places of its f unknowns.
        axes : ndarray, shape (f, d)
            From the numbers that are looked for to these.
        spread : ndarray, shape (f,)
            Deviations that are tried.
        """
        count = len(self.own)
        with_it = _of_columns(self.whole, self.own, columns, axes)
        weights = np.zeros((len(axes), with_it.factor.shape[1]))
        weights[:, count:] = axes / spread[:, None]
        with_it = with_it.absorb(weights, np.zeros(len(axes)))
        after, std = with_it.values(), np.full(len(axes), np.inf)
        if with_it.has_full_rank():
            std = np.sqrt(np.diag(axes @ with_it.covariance()[count:, count:] @ axes.T))
        return Score(
            key,
            axes.shape[1],
            self.without.residual - with_it.residual,
            axes @ after[count:],
            std,
            ((after[:count] - self.without.values()) / self.std)[: self.parameters],
        )


def _directions(key: str, count: int) -> list[NDArray[np.float64]]:
    """Return matrices from the numbers that are looked for to the unknowns of a calibration."""
    every = [np.eye(count)]
    return [*every, np.ones((count, 1))] if key in _OF_ONE_FACTOR and count > 1 else every


def _of_columns(
    information: SquareRootInformation,
    columns: list[int],
    more: list[int] | None = None,
    axes: NDArray[np.float64] | None = None,
) -> SquareRootInformation:
    """Return the information on some unknowns, and on others along axes; the rest held at zero."""
    count = len(columns) + (0 if axes is None else axes.shape[1])
    nothing = SquareRootInformation.nothing(count)
    matrix = information.factor[:, columns]
    if axes is not None:
        matrix = np.hstack([matrix, information.factor[:, more] @ axes])
    held = nothing.absorb(matrix, information.target)
    return SquareRootInformation(
        held.factor, held.target, held.residual + information.residual, information.rows
    )

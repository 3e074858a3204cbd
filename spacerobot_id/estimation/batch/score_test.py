"""Rao's score test of calibrations that are off: what each would explain, from one linearisation.

All are linearised at zero beside the unknowns as fitted (Rao, 1948). The same equations give
how far the parameters would move with one of them switched on: what it costs to leave it off.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import chdtrc

from spacerobot_id.estimation.batch.gauss_newton import known_information
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import chunks, Method
from spacerobot_id.methods.solution import FittedStates, in_part
from spacerobot_id.statistics.square_root_information import SquareRootInformation


def extended_samples(method: Method, record: Record, count: int) -> tuple[Method, Record] | None:
    """Return a method with all calibrations switched on, and about as many of its samples.

    None for a method that has no likelihood of single samples, or too few of them.

    Parameters
    ----------
    method : Method
        Method of a fit.
    record : Record
        Samples, as they came.
    count : int
        Samples about that are wanted, all along the record.
    """
    if method.solves_at_once or method.is_for_comparison:
        return None
    extended, usable = _extended_and_usable(method, record)
    return None if usable is None else (extended, usable[:: 1 + len(usable) // count])


@lru_cache(maxsize=1)  # causes and assumptions ask for the same, one after the other
def _extended_and_usable(method: Method, record: Record) -> tuple[Method, Record | None]:
    """Return the method with all calibrations switched on, and the samples that it can use."""
    extended = fully_extended(method, record)
    return extended, usable_samples(extended, record)


def fully_extended(method: Method, record: Record) -> Method:
    """Return the method with every calibration switched on that the record has streams for."""
    every = method
    for key, std in method.candidate_errors.items():
        every = every.with_calibration(key, std)
    if _prepared(every, record[:1]) is not None:
        return every
    extended = method
    for key, std in method.candidate_errors.items():
        more = extended.with_calibration(key, std)
        if _prepared(more, record[:1]) is not None:
            extended = more
    return extended


def usable_samples(method: Method, record: Record) -> Record | None:
    """Return the samples that a method can use; None if it lacks a stream or finds too few."""
    prepared = _prepared(method, record)
    if prepared is None:
        return None
    usable = method.usable(prepared)
    return usable if len(usable) * method.outputs > len(method.unknowns) else None


def _prepared(method: Method, record: Record) -> Record | None:
    """Return the samples with what a method derives of them; None if it lacks a stream."""
    try:
        return method.prepared(record)
    except (EstimationError, ConfigurationError):
        return None


def values_for(
    method: Method, suspect: Method, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the unknowns of a fit by name, zero for those that only a suspect has.

    Parameters
    ----------
    method, suspect : Method
        Method of the fit, and the one with more unknowns.
    values : ndarray, shape (u,)
        Unknowns of the fit.
    """
    known = dict(zip(method.unknowns.names, values.tolist(), strict=True))
    return np.array([known.get(name, 0.0) for name in suspect.unknowns.names])


def known_for(
    method: Method, suspect: Method, known: SquareRootInformation | None
) -> SquareRootInformation | None:
    """Return what is known of the unknowns of a suspect, those that only it has by their prior.

    Parameters
    ----------
    method, suspect : Method
        Method of the fit, and the one with more unknowns.
    known : SquareRootInformation, optional
        What is known of the unknowns of the fit without the samples; the description if None,
        which is returned as it is.
    """
    if known is None:
        return None
    names, new = suspect.unknowns.names, new_names(method, suspect)
    places = [names.index(name) for name in (*method.unknowns.names, *new)]
    count, std = len(known.target), suspect.unknowns.std
    rows = np.zeros((len(names), len(names)))
    rows[:count, places[:count]] = known.factor
    for row, place in enumerate(places[count:], start=count):
        rows[row, place] = 1.0 / std[place - suspect.unknowns.parameters]
    right = np.append(known.target, np.zeros(len(new)))
    return SquareRootInformation.nothing(len(names)).absorb(rows, right, 0)


def new_names(method: Method, suspect: Method) -> list[str]:
    """Return the unknowns that only a suspect has."""
    return [name for name in suspect.unknowns.names if name not in method.unknowns.names]


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
        Their standard deviations; both of the flight that shows them most where each has its own.
    shift : ndarray, shape (p,)
        How far the parameters would move, in the standard deviations that they have without it.
    half : int, optional
        Half of the samples that alone has it: 0 or 1; all have it if None.
    """

    key: str
    freedom: int
    gain: float
    values: NDArray[np.float64]
    std: NDArray[np.float64]
    shift: NDArray[np.float64]
    half: int | None = None

    @property
    def chance(self) -> float:
        """Probability that chance alone explains as much."""
        return float(chdtrc(self.freedom, max(self.gain, 0.0)))

    @property
    def moved(self) -> float:
        """Most standard deviations by which a parameter would move."""
        return float(np.abs(self.shift).max(initial=0.0))

    def with_floor(self, floor: float) -> 'Score':
        """Return the same where no number can be known better than by a standard deviation."""
        known = np.hypot(self.std, floor)
        return replace(self, gain=self.gain * float(np.max(self.std / known) ** 2), std=known)

    def with_noise(self, variance: float) -> 'Score':
        """Return the same where the noise has that many times the variance stated."""
        root = np.sqrt(variance)
        return replace(
            self, gain=self.gain / variance, std=self.std * root, shift=self.shift / root
        )


def scores(
    method: Method,
    extended: Method,
    samples: Record,
    values: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    halves: tuple[int | None, ...] = (None,),
) -> list[Score]:
    """Return the score of every calibration that may be switched on; empty where none can be.

    Those whose unknowns may be one factor are judged by that, too: it shows where each of them,
    free of the others, would not. What is off from some time on shows most in a half of the
    samples.

    Parameters
    ----------
    method : Method
        Method of the fit.
    extended : Method
        The same with all calibrations switched on that the samples have streams for.
    samples : Record
        Samples to judge by, as ``extended`` can use them.
    values : ndarray, shape (u,)
        Unknowns of the fit.
    known : SquareRootInformation, optional
        What is known of them without the samples; the description by default.
    halves : tuple of int or None
        Halves of the samples that each calibration is looked for in: 0, 1, or None for all of
        them.
    """
    if known is None:
        extended = extended.since(float(samples.times[0]))
    names = extended.unknowns.names
    own = [names.index(name) for name in method.unknowns.names]
    about = values_for(method, extended, values)
    middle = len(samples) // 2
    try:
        shown = [
            _information(extended, each, about) for each in (samples[:middle], samples[middle:])
        ]
        if known is None:
            prior = method.since(extended.epoch).prior()
            if not np.isfinite(prior.cost(values)):  # a robot that cannot be
                return []
            known = known_information(values, prior)
    except (EstimationError, np.linalg.LinAlgError):
        return []
    order = [*own, *(place for place in range(len(names)) if place not in own)]
    rows = [np.column_stack([each.factor[:, order], each.target]) for each in shown]
    rows = np.vstack([in_part(each, len(own), half, 2) for half, each in enumerate(rows)])
    fit = _Fit(_with_known(rows, known), len(own), method.unknowns.parameters)
    return fit.scores(method, extended, halves)


def scores_of_fit(method: Method, extended: Method, fit: FittedStates) -> list[Score]:
    """Return the score of every calibration that may be switched on beside a fit of states.

    States, disturbances and sizes of noise are those of the fit, linear about it.

    Parameters
    ----------
    method, extended
        As for ``scores``.
    fit : FittedStates
        Fit with local states, as a ``Solution`` has it.
    """
    try:
        found = fit.extended_equations(extended.states)
    except (EstimationError, np.linalg.LinAlgError):
        return []
    if not len(found.of_flight):
        return []
    count = len(method.unknowns)
    both = _with_known(found.rows, found.known)
    parts = (len(both.target) - count) // len(found.of_flight)
    apart = found.of_flight & found.are_flights
    judged = _Fit(both, count, method.unknowns.parameters, parts, apart)
    return judged.scores(method, extended, (None,) if found.are_flights else (None, 0, 1))


def _information(
    extended: Method, samples: Record, values: NDArray[np.float64]
) -> SquareRootInformation:
    """Return the information of samples on all unknowns of a method, linear about some values."""
    found = SquareRootInformation.nothing(len(values))
    for chunk in chunks(samples):
        rows = extended.equations(chunk, values)
        found = found.absorb(rows.matrix, rows.right, rows.count)
    return found


def _with_known(rows: NDArray[np.float64], known: SquareRootInformation) -> SquareRootInformation:
    """Return the information of rows on the unknowns of a fit and on calibrations in each part.

    Parameters
    ----------
    rows : ndarray, shape (K, u + P c + 1)
        Rows on the u unknowns of the fit, then on the c of calibrations in each of P parts.
    known : SquareRootInformation
        What is known of those of the fit without them.
    """
    count = len(known.target)
    before = np.zeros((count, rows.shape[1]))
    before[:, :count], before[:, -1] = known.factor, known.target
    both = np.vstack([before, rows])
    return SquareRootInformation.nothing(rows.shape[1] - 1).absorb(both[:, :-1], both[:, -1])


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fit, and the information of its samples on all calibrations beside it.

    Parameters
    ----------
    both : SquareRootInformation
        Information on the u unknowns of the fit, then on the c of all calibrations in the first
        part of the samples, then on these in the next.
    count : int
        Number ``u``.
    parameters : int
        How many of these are parameters.
    parts : int
        Parts of the samples: two halves, or flights.
    apart : ndarray of bool, shape (c,), optional
        Which calibrations have numbers of their own in each part; none by default.
    """

    both: SquareRootInformation
    count: int
    parameters: int
    parts: int = 2
    apart: NDArray[np.bool_] | None = None

    def scores(
        self, method: Method, extended: Method, halves: tuple[int | None, ...]
    ) -> list[Score]:
        """Return the scores of all calibrations, those of one factor by that, too."""
        names, found = list(extended.unknowns.names), []
        others = [name for name in names if name not in method.unknowns.names]
        for key, suspected in method.candidate_errors.items():
            alone = method.with_calibration(key, suspected)
            new = new_names(method, alone)
            if not new or not set(new) <= set(names):
                continue
            held = np.array([alone.unknowns.names.index(name) for name in new])
            spread = alone.unknowns.std[held - alone.unknowns.parameters]
            places = [others.index(name) for name in new]
            found += [
                self.score(key, places, axes, spread, half)
                for axes in _directions(key, len(new))
                for half in halves
            ]
        return found

    @cached_property
    def std(self) -> NDArray[np.float64]:
        """Standard deviations of the unknowns of the fit, without any calibration, shape (u,)."""
        own = SquareRootInformation(self.both.factor[: self.count, : self.count], self._target[0])
        return np.sqrt(np.diag(own.covariance()))

    @property
    def _target(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Right-hand sides of the unknowns of the fit, and of the calibrations."""
        return self.both.target[: self.count], self.both.target[self.count :]

    def score(
        self,
        key: str,
        places: list[int],
        axes: NDArray[np.float64],
        spread: NDArray[np.float64],
        half: int | None = None,
    ) -> Score:
        """Return the score of a calibration.

        Parameters
        ----------
        key : str
            Its setting.
        places : list of int
            Places of its f unknowns among those of all calibrations.
        axes : ndarray, shape (f, d)
            From the numbers that are looked for to these.
        spread : ndarray, shape (f,)
            Deviations that are tried.
        half : int, optional
            Half of the samples that alone has it, 0 or 1; all by default.
        """
        factor, wanted = self.both.factor, self._target[1]
        is_apart = self.apart is not None and bool(self.apart[places].all())
        copies = self.parts if is_apart else 1
        directions = np.zeros((self.parts, len(wanted) // self.parts, copies * axes.shape[1]))
        for part in range(self.parts):
            if half is None or part == half:
                first = (part if is_apart else 0) * axes.shape[1]
                directions[part, places, first : first + axes.shape[1]] = axes
        slopes = factor[:, self.count :] @ directions.reshape(len(wanted), -1)
        every, prior = np.kron(np.eye(copies), axes), np.tile(spread, copies)
        found = SquareRootInformation.nothing(every.shape[1])
        found = found.absorb(every / prior[:, None], np.zeros(len(prior)))
        found = found.absorb(slopes[self.count :], wanted)
        values = found.values()
        step, own = -slopes[: self.count] @ values, factor[: self.count, : self.count]
        is_known = np.isfinite(self.std).all()
        moved = solve_triangular(own, step) if is_known else np.zeros(self.count)
        numbers = (every @ values).reshape(copies, -1)
        std = np.sqrt(np.diag(every @ found.covariance() @ every.T)).reshape(copies, -1)
        largest = int(np.argmax(np.max(np.abs(numbers) / std, axis=1)))
        return Score(
            key,
            every.shape[1],
            float(wanted @ wanted) - found.residual,
            numbers[largest],
            std[largest],
            (moved / self.std)[: self.parameters],
            half,
        )


def _directions(key: str, count: int) -> list[NDArray[np.float64]]:
    """Return matrices from the numbers that are looked for to the unknowns of a calibration."""
    every = [np.eye(count)]
    return [*every, np.ones((count, 1))] if key in _OF_ONE_FACTOR and count > 1 else every

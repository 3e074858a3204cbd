"""A method with calibrations switched on that are off: what may be wrong with a fit."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation


def freed_samples(method: Method, record: Record, count: int) -> tuple[Method, Record] | None:
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
    freed, usable = _freed_and_usable(method, record)
    return None if usable is None else (freed, usable[:: 1 + len(usable) // count])


@lru_cache(maxsize=1)  # causes and assumptions ask for the same, one after the other
def _freed_and_usable(method: Method, record: Record) -> tuple[Method, Record | None]:
    """Return the method with all calibrations switched on, and the samples that it can use."""
    freed = all_freed(method, record)
    return freed, usable_samples(freed, record)


def all_freed(method: Method, record: Record) -> Method:
    """Return the method with every calibration switched on that the record has streams for."""
    every = method
    for key, std in method.suspects.items():
        every = every.freed(key, std)
    if _prepared(every, record[:1]) is not None:
        return every
    freed = method
    for key, std in method.suspects.items():
        more = freed.freed(key, std)
        if _prepared(more, record[:1]) is not None:
            freed = more
    return freed


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

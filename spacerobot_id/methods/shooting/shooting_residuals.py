"""Measured less predicted poses of a flight cut into segments, for many bodies at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.multibody import body_inertia


class FlightArrays(NamedTuple):
    """A record as plain arrays: poses, and the steps of integration between them.

    Parameters
    ----------
    position, attitude : ndarray, shape (N, 3) and (N, 4)
        Measured positions (m) and quaternions.
    first : ndarray of int, shape (N,)
        Index of the first step after each pose; the last is the number of steps.
    steps : ndarray, shape (K,)
        Steps, s.
    wrenches : ndarray, shape (K, 6)
        Wrench through each step, N and N m.
    weights : ndarray, shape (2,)
        Reciprocals of the standard deviations of position (1/m) and attitude (1/rad).
    """

    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    first: NDArray[np.int64]
    steps: NDArray[np.float64]
    wrenches: NDArray[np.float64]
    weights: NDArray[np.float64]


def flight_arrays(
    record: Record, longest_step: float, position_std: float, attitude_std: float
) -> FlightArrays:
    """Return a record cut into steps in which the wrench is constant.

    Parameters
    ----------
    record : Record
        Poses and wrenches.
    longest_step : float
        Longest step, s.
    position_std, attitude_std : float
        Noise, m and rad.
    """
    times, commands = record.times, record.wrench.times
    between = commands[(commands > times[0]) & (commands < times[-1])]
    nodes = np.union1d(times, between)
    parts = np.maximum(np.ceil(np.diff(nodes) / longest_step - 1e-9).astype(int), 1)
    first = np.concatenate([[0], np.cumsum(parts)])[np.searchsorted(nodes, times)]
    return FlightArrays(
        np.ascontiguousarray(record.position),
        np.ascontiguousarray(record.attitude),
        first.astype(np.int64),
        np.repeat(np.diff(nodes) / parts, parts),
        np.repeat(record.wrench.at(nodes[:-1]), parts, axis=0),
        np.array([1.0 / position_std, 1.0 / attitude_std]),
    )


class Shots(NamedTuple):
    """What comes of shooting B bodies through G segments.

    Parameters
    ----------
    residuals : ndarray, shape (B, N, 6)
        Measured less predicted poses in standard deviations: position, then rotation vector in
        predicted base axes; not finite where a motion is lost.
    ends : ndarray, shape (G, B, 13)
        States at the first poses of the segments that follow; at its last pose, of the last.
    """

    residuals: NDArray[np.float64]
    ends: NDArray[np.float64]


def shoot(
    flight: FlightArrays,
    edges: NDArray[np.int64],
    bodies: NDArray[np.float64],
    states: NDArray[np.float64],
) -> Shots:
    """Return how far the predicted poses of bodies are from those measured, and where they end.

    Parameters
    ----------
    flight : FlightArrays
        Record.
    edges : ndarray of int, shape (G + 1,)
        Segment ``g`` has the poses ``edges[g]`` to ``edges[g + 1] - 1``.
    bodies : ndarray, shape (B, 10)
        Parameters.
    states : ndarray, shape (G, B, 13)
        State at the first pose of every segment.
    """
    from spacerobot_id.methods.shooting.shooting_kernel import shoot_segments  # compiles

    shots = Shots(np.empty((len(bodies), len(flight.position), 6)), np.array(states))
    inverse = np.linalg.inv(body_inertia(bodies))
    shoot_segments(flight, edges, bodies, inverse, shots)
    return shots

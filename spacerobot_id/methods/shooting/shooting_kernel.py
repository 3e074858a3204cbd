"""Bodies shot through the segments of a flight, compiled."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.shooting.shooting_residuals import FlightArrays, Shots
from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.rigid_body_step import rigid_body_step, STATE_SIZE


@compiled
def shoot_segments(
    flight: FlightArrays,
    edges: NDArray[np.int64],
    bodies: NDArray[np.float64],
    inverse: NDArray[np.float64],
    shots: Shots,
) -> None:
    """Integrate every body through every segment, in place, and compare."""
    slopes, stage = np.empty((4, STATE_SIZE)), np.empty(STATE_SIZE)
    poses = len(flight.position)
    for segment in range(len(edges) - 1):
        for body in range(len(bodies)):
            state = shots.ends[segment, body]
            for pose in range(edges[segment], edges[segment + 1]):
                _compare(flight, pose, state, shots.residuals[body, pose])
                if pose + 1 == poses:
                    continue
                for index in range(flight.first[pose], flight.first[pose + 1]):
                    rigid_body_step(
                        bodies[body],
                        inverse[body],
                        flight.wrenches[index],
                        flight.steps[index],
                        state,
                        slopes,
                        stage,
                    )


@compiled_part
def _compare(
    flight: FlightArrays,
    pose: int,
    state: NDArray[np.float64],
    residual: NDArray[np.float64],
) -> None:
    """Fill in the residual of one pose; the rotation goes the short way round."""
    for axis in range(3):
        residual[axis] = flight.weights[0] * (flight.position[pose, axis] - state[axis])
    ax, ay, az, aw = -state[3], -state[4], -state[5], state[6]
    measured = flight.attitude[pose]
    bx, by, bz, bw = measured[0], measured[1], measured[2], measured[3]
    x = aw * bx + bw * ax + ay * bz - az * by
    y = aw * by + bw * ay + az * bx - ax * bz
    z = aw * bz + bw * az + ax * by - ay * bx
    w = aw * bw - ax * bx - ay * by - az * bz
    sine = np.sqrt(x * x + y * y + z * z)
    scale = 2.0 * np.arctan2(sine, abs(w)) / sine if sine > 1e-9 else 2.0
    scale *= flight.weights[1] if w >= 0.0 else -flight.weights[1]
    residual[3], residual[4], residual[5] = scale * x, scale * y, scale * z

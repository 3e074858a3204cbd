"""Where in the arrays of the compiled kernel the parts of a state stand.

A robot with m joints and wheels has 6 + m velocities: base twist in base axes, joint rates, wheel
rates. A state is these, then m positions of joints and wheels, the work done since the start (J),
the pose of the base, and what the thrusters remember: the impulse that they owe, and what is left
of the pulse that is on.
"""

WORKS, POSE = 4, 12
"""Kinds of work: of the base's drives, joint motors, wheel motors, friction and disturbances;
position (m) and the rows of the rotation from base to inertial axes."""


def state_edges(size: int) -> list[int]:
    """Return where velocities, positions, work, position, rotation, owed and pulse end.

    Parameters
    ----------
    size : int
        Number of velocities.
    """
    return [size, 2 * size - 6, 2 * size - 2, 2 * size + 1, 2 * size + 10, 2 * size + 16]

"""What acts on a robot from outside in simulation; nothing does by default."""

from dataclasses import dataclass, field

from spacerobot_id.settings.kinds import Finite, keys, NotNegative, Vector

MOST_ORDER = 4
"""Highest order of the polynomial of a table's height."""

MONOMIALS = tuple(
    'x' * (order - power) + 'y' * power
    for order in range(1, MOST_ORDER + 1)
    for power in range(order + 1)
)
"""Names of the terms of such a polynomial: ``x``, ``y``, ``xx``, ``xy``, ``yy``, ..."""

Table = keys('', {name: (Finite, f'Coefficient of {name}.') for name in MONOMIALS})
"""Coefficients by the terms."""


@dataclass(frozen=True)
class Disturbances:
    """Forces on the whole robot, at its centre of mass and in inertial axes.

    Each link has its share by mass, as of its weight, so that joints feel them, too.

    Parameters
    ----------
    force : tuple of 3 floats
        Constant force, N.
    torque : tuple of 3 floats
        Constant torque about the centre of mass, N m.
    drag : float
        Force against the linear momentum, over it, 1/s.
    table : mapping of str to float
        Height of the table at the place of the centre of mass as a polynomial of x and y:
        coefficients by monomial (``x``, ``y``, ``xx``, ``xy``, ...), m per m to the order. The
        robot is pushed down the slope by its weight; ``x`` and ``y`` are the tilt, the others
        unevenness. Where pads share the weight this is exact up to the second order.
    """

    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    drag: NotNegative = 0.0
    table: Table = field(default_factory=dict)

    @property
    def act(self) -> bool:
        """Whether there are any."""
        return any([*self.force, *self.torque, self.drag, *self.table.values()])

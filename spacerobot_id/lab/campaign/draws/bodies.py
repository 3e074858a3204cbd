"""Links that are drawn: mass, centre of mass and shape, each apart, of bodies that can exist.

With the mass all of a body grows in proportion; the centre of mass is shifted with the inertia
about it; the shape is that of its mass about its centre of mass by six of the log-Cholesky
parameters (Rucker and Wensing, 2022): any six numbers are a body that can exist if the described
one can. All in the axes of the description.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    Link,
    log_cholesky_from_body,
)

SHAPES = ('stretch_x', 'stretch_y', 'stretch_z', 'shear_xy', 'shear_xz', 'shear_yz')
"""Names of the numbers of a shape, all zero as described: logarithms of stretches, and shears."""

FIELDS = {'mass': 'kg', 'com.x': 'm', 'com.y': 'm', 'com.z': 'm'} | {
    f'shape.{name}': '1' for name in SHAPES
}
"""Units of what can be drawn of a body."""


def described(link: Link) -> InertialParameters:
    """Return the parameters of a link in the axes of its description, about its origin."""
    return _turned(link.inertial, link.R_UL)


def has_shape(link: Link) -> bool:
    """Return whether the described body can exist, so that shapes of it can."""
    return link.inertial.is_physical()


def body_values(link: Link, nominal: Link) -> dict[str, float]:
    """Return what can be drawn of a link, as it is, its shape relative to another of its kind."""
    body, before = described(link), described(nominal)
    if not body.mass:
        return {'mass': 0.0}
    values = {'mass': body.mass} | dict(zip(('com.x', 'com.y', 'com.z'), body.com, strict=True))
    if has_shape(nominal) and has_shape(link):
        share = before.mass / body.mass
        same = InertialParameters.from_com(before.mass, before.com, share * body.inertia_about_com)
        numbers = log_cholesky_from_body(before.vector, same.vector)
        values |= {f'shape.{name}': float(numbers[k]) for k, name in enumerate(SHAPES)}
    return {key: float(value) for key, value in values.items()}


def link_with(link: Link, values: dict[str, float]) -> Link:
    """Return a link with some of its values changed, those of ``FIELDS``.

    Raises
    ------
    ValueError
        If no body can have them.
    """
    body = described(link)
    mass = values.get('mass', body.mass)
    com = np.array([values.get(f'com.{axis}', body.com[k]) for k, axis in enumerate('xyz')])
    inertia = _shaped(body, values) * (mass / body.mass)
    made = InertialParameters.from_com(mass, com, inertia)
    if mass <= 0.0 or (has_shape(link) and not made.is_physical()):
        raise ValueError('; '.join(made.defects()))
    return replace(link, inertial=_turned(made, link.R_UL.T))


def _turned(body: InertialParameters, rotation: NDArray[np.float64]) -> InertialParameters:
    """Return a body in other axes of the same origin."""
    turned = rotation @ body.inertia @ rotation.T
    return InertialParameters(body.mass, rotation @ body.first_moment, turned)


def _shaped(body: InertialParameters, values: dict[str, float]) -> NDArray[np.float64]:
    """Return the inertia about the centre of mass with another shape, the mass the same."""
    numbers = np.array([values.get(f'shape.{name}', 0.0) for name in SHAPES] + [0.0] * 4)
    if not numbers.any():
        return body.inertia_about_com
    made = bodies_from_log_cholesky(body.vector, numbers)
    return InertialParameters.from_vector(made).inertia_about_com

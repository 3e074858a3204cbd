"""Rotations, transforms and the order of components, in one place for the whole package.

Order of components
    Quaternions are ``x y z w``. Twists are ``(linear, angular)``: the velocity of a frame's
    origin, then the angular velocity. Momenta are ``(linear, angular)``, the angular part about
    the origin of the axes they are written in unless stated otherwise.

Names
    ``R_AB`` turns components in frame B into components in frame A; ``p_AB_A`` is the position of
    the origin of B from the origin of A, in the axes of A; ``w_WB_B`` is the angular velocity of B
    in W, in the axes of B. W is the inertial frame, B the base link, L a link, P its parent.

Layout
    Public functions take any leading sample axes and put components last. Kernels that work
    through the links of a tree keep components first and samples last, so that each component
    is one contiguous row: their names say so.
"""

from spacerobot_id.spatial.rotations import (
    body_rates,
    exp_so3,
    normalise_quaternion,
    rotation_aligning_z,
    rotation_from_quaternion,
    skew,
    without_flips,
)

__all__ = [
    'body_rates',
    'exp_so3',
    'normalise_quaternion',
    'rotation_aligning_z',
    'rotation_from_quaternion',
    'skew',
    'without_flips',
]

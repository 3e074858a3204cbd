"""The Newton-Euler regressor of one rigid body ([Ekal 2019] Eq. 12).

The body is a free-flyer and whatever it has grasped, arms at rest. Forces and moments are those
that the actuators give, about the origin of the base frame. The columns are in the library's
order of the ten parameters, not in that of Eq. 14.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model.inertial_parameters import INERTIA_ELEMENTS, MASS, MX
from spacerobot_id.spatial import skew


def newton_euler_regressor(motion: PoseMotion) -> NDArray[np.float64]:
    """Return the matrix that carries the ten parameters of a body to the wrench that moves it.

    Parameters
    ----------
    motion : PoseMotion
        Motion of the base frame at N samples.

    Returns
    -------
    ndarray, shape (N, 6, 10)
        Force (N), then moment about the base's origin (N m), in base axes, per unit of each of
        ``PARAMETER_NAMES``.
    """
    linear = motion.acceleration_in_base_axes
    turning = skew(motion.angular_velocity)
    changing = skew(motion.angular_acceleration)
    regressor = np.zeros((len(linear), 6, 10))
    regressor[:, :3, MASS] = linear
    regressor[:, :3, MX:] = changing + turning @ turning
    regressor[:, 3:, MX:] = -skew(linear)
    for column, elements in enumerate(INERTIA_ELEMENTS):
        for row, component in elements:
            regressor[:, 3 + row, column] += motion.angular_acceleration[:, component]
            swept = turning[:, :, row] * motion.angular_velocity[:, component, None]
            regressor[:, 3:, column] += swept
    return regressor

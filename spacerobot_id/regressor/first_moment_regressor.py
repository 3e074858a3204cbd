"""The first moment of the robot as it stands, linear in the inertial parameters."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS, MX


def first_moment_regressor(
    model: RobotModel, q: ArrayLike, columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the matrix that carries inertial parameters to mass times centre of mass.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    columns : array_like of int, shape (p,), optional
        Standard parameters wanted; all 10 (n + 1) by default.

    Returns
    -------
    ndarray, shape (N, 3, p)
        Matrix whose product with the parameters is the first moment about the base's origin in
        base axes, kg m.
    """
    poses = link_poses(model, q)
    wanted = range(10 * len(model.links)) if columns is None else columns
    regressor = np.zeros((3, len(wanted), poses.origins.shape[-1]))
    for place, column in enumerate(wanted):
        link, parameter = divmod(int(column), 10)
        if parameter == MASS:
            regressor[:, place] = poses.origins[link]
        elif parameter >= MX:
            regressor[:, place] = poses.axes[link, parameter - MX]
    return np.moveaxis(regressor, -1, 0)

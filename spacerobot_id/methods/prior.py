"""The prior: parameters from the description of the robot, and how far they may be wrong.

The prior is one of shape and one of scale. At zero momentum without moving wheels the data show
the ratios of the parameters and not their scale; a normal prior on the parameters themselves is
then met best near zero, where any ratio is cheap. Here the parameters divided by the total mass
are compared with those of the description, and the total mass on its own, as a ratio.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.methods.unknowns import Unknowns
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import MinimalParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_MASSLESS = 1e-3
"""Share of the robot's mass that a link described without any may have."""

_POINT = 1e-4
"""Least radius of gyration of a link, squared, as a share of the mean of the robot's."""


@dataclass(frozen=True, eq=False)
class DescriptionPrior:
    """The description as a prior on the minimal parameters, and zero on all other unknowns.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    minimal : MinimalParameters
        Its p minimal parameters.
    unknowns : Unknowns
        These, and what else is unknown.
    relative_std : float
        How far masses, moments and inertias may be wrong as shares: 1 for 100 %.
    mass_std : float
        How far the total mass may be wrong, as the standard deviation of its logarithm.
    known_mass : float
        Total mass as it was weighed, kg; that of the description if 0.
    mean : ndarray, shape (u,)
        Minimal parameters of the description, of the mass that is known, then zeros.
    """

    model: RobotModel
    minimal: MinimalParameters
    unknowns: Unknowns
    relative_std: float = 1.0
    mass_std: float = 0.5
    known_mass: float = 0.0
    mean: NDArray[np.float64] = field(init=False)
    _shape: SquareRootInformation = field(init=False)

    def __post_init__(self) -> None:
        model, minimal = self.model, self.minimal
        if not minimal.values(model)[MASS] > 0.0:
            raise ConfigurationError(
                f'{model.name}: neither its base nor anything that revolute joints hold to it has '
                'mass, by which the prior is scaled: describe the base with its mass'
            )
        covariance = minimal_covariance(model, minimal, self.relative_std)
        values = minimal.values(model)
        if self.known_mass:
            scale = self.known_mass / values[minimal.masses].sum()
            values, covariance = scale * values, scale**2 * covariance
        mean = np.append(values, np.zeros(len(self.unknowns.std)))
        object.__setattr__(self, 'mean', mean)
        object.__setattr__(self, '_shape', SquareRootInformation.from_prior(values, covariance))

    @classmethod
    def from_settings(
        cls,
        model: RobotModel,
        minimal: MinimalParameters,
        unknowns: Unknowns,
        settings: PriorSettings,
    ) -> 'DescriptionPrior':
        """Return the prior of settings."""
        return cls(
            model,
            minimal,
            unknowns,
            settings.relative_std,
            settings.scale_std,
            settings.known_mass,
        )

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return the sum of squares at some unknowns; infinite without a positive mass."""
        parameters, others = np.split(values, [len(self._shape.target)])
        ratio = parameters[MASS] / self.mean[MASS]
        if not ratio > 0.0:
            return np.inf
        scale = (np.log(ratio) / self.mass_std) ** 2
        zero = np.sum((others / self.unknowns.std) ** 2)
        return self._shape.cost(parameters / ratio) + float(scale + zero)

    def linearised(self, values: NDArray[np.float64]) -> SquareRootInformation:
        """Return the prior as information, linear about some unknowns of positive mass."""
        count = len(self._shape.target)
        parameters = values[:count]
        mass = parameters[MASS]
        ratio = mass / self.mean[MASS]
        slope = np.eye(count)
        slope[:, MASS] -= parameters / mass
        shape = self._shape.factor @ slope / ratio
        misfit = self._shape.target - self._shape.factor @ parameters / ratio
        others = self.unknowns.std
        rows = np.zeros((len(values) + 1, len(values)))
        rows[:count, :count] = shape
        rows[count, MASS] = 1.0 / (self.mass_std * mass)
        rows[count + 1 :, count:] = np.diag(1.0 / others)
        right = np.zeros(len(values) + 1)
        right[:count] = shape @ parameters + misfit
        right[count] = (1.0 - np.log(ratio)) / self.mass_std
        return SquareRootInformation.nothing(len(values)).absorb(rows, right)


def standard_std(model: RobotModel, relative_std: float) -> NDArray[np.float64]:
    """Return standard deviations of the standard parameters of a description.

    Mass is off by a share of itself; first moment and inertia by the same share of mass times a
    length, and times its square, where the length is the link's radius of gyration about its
    frame. So entries that are zero are uncertain too. A link without mass may have a small share
    of that of the robot, and is as large as its links are in the mean; none is a point.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    relative_std : float
        Share, 1 for 100 %.

    Returns
    -------
    ndarray, shape (10 (n + 1),)
        Standard deviations in the units of the parameters.
    """
    bodies = [link.inertial for link in model.links]
    total = sum(body.mass for body in bodies)
    gyration = 0.5 * sum(np.trace(body.inertia) for body in bodies) / total
    stds = []
    for body in bodies:
        mass = body.mass or _MASSLESS * total
        least = mass * gyration * (_POINT if body.mass else 1.0)
        second_moment = max(0.5 * np.trace(body.inertia), least)
        first_moment = np.sqrt(mass * second_moment)
        stds.append([second_moment] * 6 + [mass] + [first_moment] * 3)
    return relative_std * np.concatenate(stds)


def minimal_covariance(
    model: RobotModel, minimal: MinimalParameters, relative_std: float
) -> NDArray[np.float64]:
    """Return the covariance of the minimal parameters of a description, shape (p, p)."""
    spread = minimal.grouping * standard_std(model, relative_std)
    return spread @ spread.T

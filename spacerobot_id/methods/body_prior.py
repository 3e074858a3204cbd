"""What is known of one body beforehand, by numbers without limits: it can always exist.

Constants beside the body, such as scales of the wrench, are numbers of their own.

In space the numbers are the ten of the log-Cholesky parameters. In the plane four of them show:
mass, centre of mass along x and y, radius of gyration about z. What else the body has follows
these as its shape does, give or take what the ten numbers leave open of it, and stays unseen.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    log_cholesky_from_body,
    PARAMETER_NAMES,
    RobotModel,
)
from spacerobot_id.model.inertial_parameters import IXX, IXY, IYY, IYZ, IZX, IZZ, MASS, MX, MY, MZ
from spacerobot_id.regressor import MinimalParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_OWN_SPEED, _OWN_ANGULAR_RATE = 0.1, 0.2
"""Velocity (m/s) and rate (rad/s) that a body may have which the robot does not give it."""


def payload_std(
    model: RobotModel, minimal: MinimalParameters, settings: ChangeSettings
) -> NDArray[np.float64]:
    """Return how large the ten parameters of a body that comes or goes may be, shape (10,)."""
    mass = settings.mass or 0.2 * minimal.values(model)[MASS]
    return mass * np.array([settings.length**2] * 6 + [1.0] + [settings.length] * 3)


def brought_momentum_std(
    model: RobotModel, angular_rate: float, payload: NDArray[np.float64], speed: float = 0.0
) -> NDArray[np.float64]:
    """Return how much momentum about the centre of mass a body may bring or take, shape (2,).

    It moves as fast as a gripper does, and on its own besides.

    Parameters
    ----------
    model : RobotModel
        Robot.
    angular_rate : float
        Sum of the rates of base and joints around the change at most, rad/s.
    payload : ndarray, shape (10,)
        Standard deviations of the parameters of the body.
    speed : float
        Velocity of the base around the change at most, where it is not the arm's doing, m/s.
    """
    reach = sum(float(np.linalg.norm(joint.p_PC_P)) for joint in model.tree_joints)
    speed += _OWN_SPEED + reach * angular_rate
    mass, inertia = payload[MASS], payload[0]
    return np.array(
        [mass * speed, mass * speed * reach + inertia * (_OWN_ANGULAR_RATE + angular_rate)]
    )


def changeable_links(model: RobotModel, settings: ChangeSettings) -> list[int]:
    """Return the indices of the links that can change.

    Raises
    ------
    ConfigurationError
        If the settings name a link that does not exist; lists those that do.
    """
    unknown = [name for name in settings.links if name not in model.link_names]
    if unknown:
        raise ConfigurationError(
            f'change_links: {", ".join(unknown)}: no such link; there are '
            f'{", ".join(model.link_names)}'
        )
    if settings.links:
        return [model.link_names.index(name) for name in settings.links]
    parents = {joint.parent for joint in model.tree_joints}
    return [index for index in range(len(model.links)) if index not in parents]


_STEP = 1e-6
"""Step of the central differences of the parameters by the numbers."""

_LONGEST = 1.0
"""Longest step of a number that a fit may take at once."""

_BODY = len(PARAMETER_NAMES)
"""Number of the parameters of a body, which come first."""

_SEEN, _UNSEEN = (IZZ, MASS, MX, MY), (IXX, IYY, IXY, IYZ, IZX, MZ)
"""Parameters that motion in the plane shows, and the others."""


@dataclass(frozen=True, eq=False)
class BodyPrior:
    """A body about a reference, its ten numbers normal and independent.

    Parameters
    ----------
    reference : ndarray, shape (10,)
        Parameters of a body that can exist, in the order of ``PARAMETER_NAMES``.
    std : float
        Standard deviation of the numbers: for one, masses by a factor of seven, and the centre of
        mass by a radius of gyration.
    planar : bool
        Whether the body only moves along x and y and turns about z.
    others_std : ndarray, shape (c,)
        Standard deviations of the constants beside the parameters; their means are zero.
    """

    reference: NDArray[np.float64]
    std: float
    planar: bool = False
    others_std: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def mean(self) -> NDArray[np.float64]:
        """Parameters of the reference, and zeros for the constants, shape (10 + c,)."""
        return np.append(self.reference, np.zeros(len(self.others_std)))

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of the unknowns to first order, shape (10 + c, 10 + c)."""
        spread = self.std * self.slope(self.mean)
        return spread @ spread.T

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return the sum of squares at some unknowns; infinite where no body has them."""
        if not self.is_possible(values):
            return np.inf
        return float(np.sum((self.numbers(values) / self.std) ** 2))

    def linearised(self, values: NDArray[np.float64]) -> SquareRootInformation:
        """Return the prior as information, linear about some unknowns."""
        numbers = self.numbers(values)
        factor = np.linalg.inv(self.slope(values)) / self.std
        nothing = SquareRootInformation.nothing(len(numbers))
        return nothing.absorb(factor, factor @ values - numbers / self.std)

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether a body can have these parameters, as far as they show."""
        if not np.isfinite(values).all():
            return False
        if not self.planar:
            return InertialParameters.from_vector(values[:_BODY]).is_physical()
        izz, mass, mx, my = values[list(_SEEN)]
        return bool(mass > 0.0 and izz * mass > mx**2 + my**2)

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a step leads that goes over bodies that can exist; none goes too far.

        Parameters
        ----------
        values : ndarray, shape (10 + c,)
            Unknowns to start from.
        linear : ndarray, shape (10 + c,)
            Where the step ends if it is straight.
        """
        step = np.linalg.solve(self.slope(values), linear - values)
        step *= min(1.0, _LONGEST / max(np.abs(step[:_BODY]).max(), _LONGEST))
        numbers = self.numbers(values) + step
        return np.append(self._bodies(numbers[:_BODY]), numbers[_BODY:] * self._others)

    def numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of a body and of the constants, shape (10 + c,)."""
        body, others = np.split(values, [_BODY])
        return np.append(self._body_numbers(body), others / self._others)

    def slope(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the slope of the unknowns by the numbers, shape (10 + c, 10 + c)."""
        numbers, steps = self._body_numbers(values[:_BODY]), _STEP * np.eye(_BODY)
        ahead, behind = (self._bodies(numbers + sign * steps) for sign in (1.0, -1.0))
        slope = np.diag(np.append(np.zeros(_BODY), self._others))
        slope[:_BODY, :_BODY] = (ahead - behind).T / (2.0 * _STEP)
        return slope

    @property
    def _others(self) -> NDArray[np.float64]:
        """What a number of each constant is worth: all numbers have the same deviation."""
        return self.others_std / self.std

    def _body_numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of a body, shape (10,)."""
        if not self.planar:
            return log_cholesky_from_body(self.reference, values)
        numbers, before = np.empty(_BODY), _Lamina.of(self.reference)
        after = _Lamina.of(values)
        numbers[IZZ] = np.log(after.gyration / before.gyration)
        numbers[MASS] = 0.5 * np.log(after.mass / before.mass)
        numbers[[MX, MY]] = (after.com - before.com) / before.gyration
        shaped = _shaped(self.reference, numbers[None])[0]
        unseen = list(_UNSEEN)
        numbers[unseen] = ((values - shaped) / self._open)[unseen]
        return numbers

    def _bodies(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the bodies of numbers, shape (..., 10)."""
        if not self.planar:
            return bodies_from_log_cholesky(self.reference, numbers)
        bodies, unseen = _shaped(self.reference, numbers), list(_UNSEEN)
        bodies[..., unseen] += (self._open * numbers)[..., unseen]
        return bodies

    @cached_property
    def _open(self) -> NDArray[np.float64]:
        """By how much each parameter is open beside what the plane shows, (10,).

        As much as in space, and no less than what the plane shows changes of it.
        """
        steps = _STEP * np.eye(_BODY)
        slopes = (_shaped(self.reference, steps) - _shaped(self.reference, -steps)) / (2.0 * _STEP)
        in_space = BodyPrior(self.reference, 1.0).slope(self.reference)
        return np.maximum(np.linalg.norm(slopes, axis=0), np.linalg.norm(in_space, axis=1))


@dataclass(frozen=True, eq=False)
class _Lamina:
    """A body seen from above: mass (kg), centre of mass (m), radius of gyration about z (m)."""

    mass: float
    com: NDArray[np.float64]
    gyration: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> '_Lamina':
        """Return what is seen of a body from above."""
        com = values[[MX, MY]] / values[MASS]
        return cls(values[MASS], com, np.sqrt(values[IZZ] / values[MASS] - com @ com))


def _shaped(about: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a body larger and heavier as a whole, and moved along x and y, shape (..., 10)."""
    body, gyration = InertialParameters.from_vector(about), _Lamina.of(about).gyration
    stretch, heavier = np.exp(numbers[..., IZZ]), np.exp(2.0 * numbers[..., MASS])
    moved = gyration * numbers[..., [MX, MY]]
    shape = numbers.shape[:-1]
    flat = zip(stretch.ravel(), heavier.ravel(), moved.reshape(-1, 2), strict=True)
    bodies = [
        InertialParameters.from_com(
            mass * body.mass,
            body.com + np.append(place, 0.0),
            mass * size**2 * body.inertia_about_com,
        ).vector
        for size, mass, place in flat
    ]
    return np.array(bodies).reshape(*shape, _BODY)

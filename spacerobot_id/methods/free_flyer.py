"""Free-flyers: the ten parameters of base and grasped object from poses under known wrenches.

Maximum likelihood over the trajectory: the equations of motion are integrated under the wrenches
that acted, and the measured poses are fitted. The states along the flight are eliminated segment
by segment (multiple shooting); arms are at rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream_needs import FREE_FLYER, StreamNeeds
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.method import FoundNoise, LinearPrior, Method, Residuals, Solution
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.shooting.trajectory_likelihood import (
    flight_residuals,
    LikelihoodSettings,
    trajectory_likelihood,
)
from spacerobot_id.methods.unknowns import laid_out, Unknowns
from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    PARAMETER_NAMES,
    PARAMETER_UNITS,
    RobotModel,
)
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

_SLOPE = 1e-6
"""Step of the central differences of the parameters by their log-Cholesky numbers."""


@dataclass(frozen=True, eq=False)
class FreeFlyer(Method):
    """A body that poses and wrenches are known of.

    Parameters
    ----------
    model : RobotModel
        Robot without its load; its joints stay at zero.
    reference : InertialParameters
        The robot alone, in base axes: where the fit starts.
    likelihood : LikelihoodSettings
        How the fit is done.
    unknowns : Unknowns
        The ten parameters.
    """

    name: ClassVar[str] = 'free_flyer'
    summary: ClassVar[str] = 'one body from poses under known wrenches'
    needs: ClassVar[StreamNeeds] = FREE_FLYER
    gauge: ClassVar[str] = 'how the parameters divide between the links'
    solves_at_once: ClassVar[bool] = True
    first_fit: ClassVar[float] = 5.0
    refit_growth: ClassVar[float | None] = 0.3
    no_gate: ClassVar[str] = (
        'the states along a flight are fitted with the body, so that no pose is judged alone'
    )

    model: RobotModel
    reference: InertialParameters
    likelihood: LikelihoodSettings
    unknowns: Unknowns = field(default_factory=lambda: laid_out(PARAMETER_NAMES, PARAMETER_UNITS))

    @classmethod
    def from_model(cls, model: RobotModel) -> 'Self':
        """Return the method with the noise of the poses that the description states.

        Raises
        ------
        ConfigurationError
            If the noise of the poses is not given, or the robot cannot exist.
        """
        noise, reference = model.noise, whole_robot(model, np.zeros(len(model.joints)))
        if not min(noise.base_position, noise.base_attitude) > 0.0:
            raise ConfigurationError(
                f'noise: base_position and base_attitude are needed by the method {cls.name}'
            )
        if not reference.is_physical():
            raise ConfigurationError(f'{model.name}: {"; ".join(reference.defects())}')
        return cls(model, reference, LikelihoodSettings(noise.base_position, noise.base_attitude))

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot."""
        return cls.from_model(model)

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return the information of the Newton-Euler regressor along a motion of the base."""
        from spacerobot_id.methods.information.free_flyer import FreeFlyerInformation

        return FreeFlyerInformation([model])

    @property
    def outputs(self) -> int:
        """Number of readings of a pose: position and rotation vector."""
        return 6

    @property
    def output_units(self) -> tuple[str, ...]:
        """Units of position and rotation vector."""
        return ('m',) * 3 + ('rad',) * 3

    @property
    def masses(self) -> Sequence[int]:
        """Place of the mass."""
        return (MASS,)

    def prior(self) -> LinearPrior:
        """Return the robot alone, as wide as the fit takes it, to first order."""
        slope = self.likelihood.prior_std * self._slope(self.reference.vector)
        return LinearPrior(self.reference.vector, slope @ slope.T)

    def prepared(self, record: Record) -> Record:
        """Return the poses.

        Raises
        ------
        EstimationError
            If poses or wrenches are missing.
        """
        if record.wrench is None or record.position is None or record.attitude is None:
            raise EstimationError(f'{self.name} needs base_pose and base_wrench or applied_wrench')
        return record

    def is_moving(self, record: Record) -> NDArray[np.bool_]:
        """Return at which poses a wrench acts, shape (N,)."""
        return np.any(record.wrench.at(record.times) != 0.0, axis=1)

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return all poses from the first samples on in which a wrench acts."""
        return record if begun or self.is_moving(record).any() else record[:0]

    def solution(
        self,
        record: Record,
        start: NDArray[np.float64],
        known: SquareRootInformation | None,
        noise: Sequence[FoundNoise] = (),
    ) -> Solution:
        """Return the most likely body, given its flight."""
        reference, prior = self.reference.vector, None
        if known is not None:
            reference = known.values()
            prior = SquareRootInformation(
                np.linalg.qr(known.factor @ self._slope(reference), mode='r'), np.zeros(10)
            )
        fit = trajectory_likelihood(record, reference, self.likelihood, prior)
        information = SquareRootInformation.from_prior(fit.values, fit.covariance)
        information = replace(
            information, residual=fit.chi_square * fit.freedom, rows=fit.freedom + 10
        )
        return Solution(
            fit.values,
            information,
            fit.iterations,
            cost=information.residual,
            condition=fit.condition,
        )

    def residuals(self, record: Record, values: NDArray[np.float64]) -> Residuals:
        """Return measured less predicted poses, the states along the flight fitted to them."""
        found = flight_residuals(record, values, self.likelihood)
        stds = np.repeat([self.likelihood.position_std, self.likelihood.attitude_std], 3)
        return Residuals(found.residuals, found.residuals * stds, found.fitted)

    def gram(self, record: Record) -> NDArray[np.float64]:
        """Return zeros: excitation is judged by the fit itself."""
        return np.zeros((10, 10))

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether a body can have these parameters."""
        return InertialParameters.from_vector(values).is_physical()

    def robot(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> InertialParameters | None:
        """Return the whole robot, its load with it."""
        return InertialParameters.from_vector(values)

    def _slope(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the slope of the parameters by their log-Cholesky numbers, shape (10, 10)."""
        nudges = _SLOPE * np.eye(10)
        ahead, behind = (bodies_from_log_cholesky(values, sign * nudges) for sign in (1.0, -1.0))
        return (ahead - behind).T / (2.0 * _SLOPE)

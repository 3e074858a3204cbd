"""Free-flyers: the ten parameters of base and grasped object from poses under known wrenches.

Momentum balance of a robot without joints ([Ekal 2019] with its noise where it is, in the poses):
the robot and its load are one body, arms are at rest. In the plane four of the ten show. Errors of
the wrench and of the poses can be unknown beside them, as for `MomentumBalance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import FREE_FLYER, StreamNeeds
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.body_prior import BodyPrior
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings, with_calibration
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.unknowns import Unknowns
from spacerobot_id.model import (
    InertialParameters,
    Link,
    PARAMETER_NAMES,
    RobotModel,
)
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

_OF_POSES = frozenset({'calibrate', 'pose_mounting', 'pose_point'})
"""Settings of the calibrations of poses; how late they are is the delay of the wrench."""

_PRIOR_STD = 2.0
"""How far off the robot alone may be, in the numbers of ``BodyPrior``."""


@dataclass(frozen=True, eq=False)
class OneBody(MomentumBalance):
    """Momentum balance of one body, which goes over bodies that can exist.

    Sizes of noise are looked for only where something disturbs the flight.
    """

    refit_interval: ClassVar[float] = 0.0
    may_be_undisturbed: ClassVar[bool] = True
    longest_step: ClassVar[float] = 0.05

    def flights(self, record: Record, *, live: bool = False) -> list[Flight]:
        """Return the flights that the poses and wrenches of a record are of."""
        return super().flights(_without_joints(record), live=live)

    def nodes(self, flight: Flight) -> NDArray[np.float64]:
        """Return the times at which the wrench changes, s: between them it is constant."""
        return flight.commands.times

    def condition(
        self, values: NDArray[np.float64], information: SquareRootInformation
    ) -> float | None:
        """Return the condition number of the ten parameters in the numbers of the prior."""
        count = len(PARAMETER_NAMES)
        slope = self.prior().slope(values)[:count, :count]
        return float(np.linalg.cond(information.of_first(count).factor @ slope))

    def prior(self) -> BodyPrior:
        """Return the body of the description, with room for a load."""
        body = self.model.links[0].inertial.vector
        return BodyPrior(body, _PRIOR_STD, self.planar, self.unknowns.std)

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether a body can have these parameters."""
        return self.prior().is_possible(values)

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a step leads that goes over bodies that can exist."""
        return self.prior().stepped(values, linear)


@dataclass(frozen=True, eq=False)
class FreeFlyer(Method):
    """A body that poses and wrenches are known of.

    Parameters
    ----------
    model : RobotModel
        Robot without its load; its joints stay at zero.
    planar : bool
        Whether the base can only move along x and y and turn about z.
    actuators : ActuatorSettings
        Which errors of the wrench, and which disturbances, are unknown.
    calibration : CalibrationSettings
        Which errors of the poses are unknown.
    body : OneBody
        The robot as one body, in base axes.
    unknowns : Unknowns
        The ten parameters, and what is unknown beside them.
    """

    name: ClassVar[str] = 'free_flyer'
    summary: ClassVar[str] = 'one body from poses under known wrenches'
    needs: ClassVar[StreamNeeds] = FREE_FLYER
    takes: ClassVar[frozenset[str]] = _OF_POSES | {
        'planar',
        'wrench_scale',
        'known_strengths',
        'delay.wrench',
        'disturbance_force',
        'disturbance_torque',
        'drag',
        'unevenness',
        'unevenness_order',
    }
    gauge: ClassVar[str] = 'how the parameters divide between the links'
    solves_at_once: ClassVar[bool] = True
    fits_several_flights: ClassVar[bool] = True
    no_gate: ClassVar[str] = (
        'the states along a flight are fitted with the body, so that no pose is judged alone'
    )

    model: RobotModel
    planar: bool = False
    actuators: ActuatorSettings = ActuatorSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    body: OneBody = field(init=False)
    unknowns: Unknowns = field(init=False)

    def __post_init__(self) -> None:
        model, noise = self.model, self.model.noise
        whole = whole_robot(model, np.zeros(len(model.joints)))
        if not min(noise.base_position, noise.base_attitude) > 0.0:
            raise ConfigurationError(
                f'noise: base_position and base_attitude are needed by the method {self.name}'
            )
        if not whole.is_physical():
            raise ConfigurationError(f'{model.name}: {"; ".join(whole.defects())}')
        known = {key: model.calibration[key] for key in self.takes & model.calibration.keys()}
        base = Link(model.links[0].name, whole)
        alone = RobotModel(model.name, [base], [], noise=noise, calibration=known)
        body = OneBody(
            alone, planar=self.planar, calibration=self.calibration, actuators=self.actuators
        )
        others = body.unknowns.names[len(PARAMETER_NAMES) :]
        object.__setattr__(self, 'body', body)
        object.__setattr__(
            self, 'unknowns', replace(body.unknowns, names=(*PARAMETER_NAMES, *others))
        )

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot."""
        return cls(model, settings.planar, settings.actuators, settings.calibration)

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return the information of the Newton-Euler regressor along a motion of the base."""
        from spacerobot_id.methods.information.free_flyer import FreeFlyerInformation

        return FreeFlyerInformation([model])

    @property
    def states(self) -> OneBody:
        """The body that moves."""
        return self.body

    @property
    def outputs(self) -> int:
        """Number of readings of a pose: position and rotation vector."""
        return 6

    @property
    def output_units(self) -> tuple[str, ...]:
        """Units of position and rotation vector."""
        return self.body.output_units[: self.outputs]

    @property
    def masses(self) -> Sequence[int]:
        """Place of the mass."""
        return (MASS,)

    def prior(self) -> BodyPrior:
        """Return the robot alone, with room for a load."""
        return self.body.prior()

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

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return none: excitation is judged by the fit itself."""
        return self.body.excitation_rows(record)

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether a body can have these parameters."""
        return self.body.is_possible(values)

    @property
    def candidate_errors(self) -> dict[str, float]:
        """Errors of wrench and poses that are taken for none, with deviations to try."""
        return {key: std for key, std in self.body.candidate_errors.items() if key in self.takes}

    def with_calibration(self, key: str, std: float) -> 'Self':
        """Return the method with an error of wrench or poses unknown."""
        return replace(
            self,
            actuators=with_calibration(self.actuators, key, std),
            calibration=with_calibration(self.calibration, key, std),
        )

    def described(self, values: NDArray[np.float64]) -> RobotModel:
        """Return the description with what was found of the poses."""
        found = self.body.described(values).calibration
        return replace(self.model, calibration={**self.model.calibration, **found})

    def robot(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> InertialParameters | None:
        """Return the whole robot, its load with it."""
        return InertialParameters.from_vector(values[: len(PARAMETER_NAMES)])


def _without_joints(record: Record) -> Record:
    """Return the poses and wrenches of a record alone."""
    none = np.zeros((len(record), 0))
    return Record(
        record.times,
        none,
        none,
        none,
        position=record.position,
        attitude=record.attitude,
        wrench=record.wrench,
    )

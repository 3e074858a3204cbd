"""Momentum balance: any robot under known wrenches, from poses and whatever else is measured.

The momentum of the system is not constant but known: it changes by the wrenches that thrusters
give. Position, attitude and momentum are integrated over short segments (multiple shooting); poses
at any rate from some 5 Hz, gyro and twist are fitted where they were read. What else acts on the
robot is process noise on force and torque about its centre of mass, and as large as the data show.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError, InsufficientDataError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.balance.actuators.actuator_settings import (
    actuator_groups,
    ActuatorSettings,
)
from spacerobot_id.methods.balance.actuators.commands import of_record
from spacerobot_id.methods.balance.balance_fit import begin_fit, fit_from_poses
from spacerobot_id.methods.balance.balance_solution import left_of, sizes_of, solution_of
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.balance.flight_fit import BalanceFit
from spacerobot_id.methods.balance.live.body_change import likeliest_change
from spacerobot_id.methods.balance.live.fixed_lag import changed, renewing, smoothed
from spacerobot_id.methods.balance.live.past import Past
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.methods.balance.rough_clock import (
    clock_shortage,
    long_enough,
    time_for_clock,
)
from spacerobot_id.methods.calibrations.active import CALIBRATIONS, Calibrations
from spacerobot_id.methods.calibrations.settings import (
    CALIBRATION_KEYS,
    CalibrationSettings,
    freed,
)
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.prior import DescriptionPrior
from spacerobot_id.methods.settings import ChangeSettings, MethodSettings, PriorSettings
from spacerobot_id.methods.solution import (
    Changed,
    FoundNoise,
    FreedEquations,
    Residuals,
    Smoothed,
    Solution,
)
from spacerobot_id.methods.unknowns import (
    gyro_bias_groups,
    laid_out,
    NuisanceSettings,
    SUSPECTED_NUISANCE,
    Unknowns,
    wheel_scale_groups,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import minimal_parameters, MinimalParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

_LEAST = 1e-7
"""Least noise of a pose, m and rad: where none is stated, no weight is infinite."""

_WARM_UP_SAMPLES = 30
"""Samples of the fit that kernels are compiled by, a tenth of a second apart."""

_OF_THRUSTERS = {'strength': 0.3, 'strength_loss': 0.2, 'dead_time': 0.03}
"""Deviations of errors of thrusters that are tried as unknown where they are taken for none."""

_OF_WRENCHES = {'wrench_scale': 0.1, 'delay.wrench': 0.1, 'drag': 0.1}
"""The same of what acts on the base: a share, s, 1/s."""

_OF_FLIGHT = ('delay.base_pose', 'delay.imu', 'delay.base_twist', 'disturbance', 'gyro_bias')
"""Unknowns that each flight has of its own."""

_PAUSE = 5.0
"""Time without samples that divides two flights, s."""

_UNSEEN, _OFTEN = 1.0, 10.0
"""Time without joint positions that does so, too, s, and over their usual distance."""

_COARSE = 0.2
"""Length of segments that a change is looked for with in a whole flight, s."""

_MOST_GROWTH = 0.5
"""Most by which the mass may change in a step, as a share of it."""


@dataclass(frozen=True, eq=False)
class MomentumBalance(Method):
    """A robot that poses, joints and wrenches are known of.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    nuisance : NuisanceSettings
        Bias of the gyro and scales of wheels, where they are unknown.
    planar : bool
        Whether the base can only move along x and y and turn about z.
    prior_settings : PriorSettings
        How far the description may be wrong.
    calibration : CalibrationSettings
        Which errors of sensors and geometry are unknown.
    actuators : ActuatorSettings
        Which errors of the base's actuators, and which disturbances, are unknown.
    gyro_std : float
        Noise of the gyro, rad/s.
    minimal : MinimalParameters
        The p minimal parameters of the model.
    calibrations : Calibrations
        Errors of sensors and geometry that are unknown.
    unknowns : Unknowns
        Parameters, and all else that is unknown.
    """

    name: ClassVar[str] = 'momentum_balance'
    summary: ClassVar[str] = 'linear and angular momentum under known wrenches, from poses'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED,
        gyro=Need.USED,
        velocity=Need.USED,
        pose=Need.NEEDED,
        wrench=Need.USED,
        thrust=Need.USED,
        own_stamps=True,
    )
    takes: ClassVar[frozenset[str]] = CALIBRATION_KEYS | {
        'prior_relative_std',
        'prior_mass_std',
        'known_mass',
        'known_strengths',
        'planar',
        'gyro_noise',
        'gyro_bias',
        'wheel_scale',
        'strength',
        'wrench_scale',
        'strength_loss',
        'dead_time',
        'delay.wrench',
        'disturbance_force',
        'disturbance_torque',
        'drag',
        'thrust_direction',
        'unevenness',
        'unevenness_order',
        'allocate_wrench',
        'gate',
        'settle_time',
        'change_links',
        'change_mass',
    }
    gauge: ClassVar[str] = (
        'without turning wheels the common scale of parameters and strengths: the mass or one '
        'strength has to be known'
    )
    solves_at_once: ClassVar[bool] = True
    fits_several_flights: ClassVar[bool] = True
    first_fit: ClassVar[float] = 5.0
    refit_interval: ClassVar[float] = 1.0
    longest_step: ClassVar[float] = 0.0125
    """Longest step of integration, s."""

    model: RobotModel
    nuisance: NuisanceSettings = NuisanceSettings()
    planar: bool = False
    prior_settings: PriorSettings = PriorSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    actuators: ActuatorSettings = ActuatorSettings()
    gyro_std: float = 0.0
    minimal: MinimalParameters = field(init=False)
    calibrations: Calibrations = field(init=False)
    unknowns: Unknowns = field(init=False)

    def __post_init__(self) -> None:
        minimal = minimal_parameters(self.model)
        streams = ('gyro', 'velocity', 'pose')
        calibrations = Calibrations.from_settings(
            self.model, self.calibration, streams, self.takes
        )
        groups = wheel_scale_groups(self.nuisance, self.model.wheel_names)
        groups += gyro_bias_groups(replace(self.nuisance, gyro_bias_walk=0.0))
        groups += calibrations.groups(self.model)
        groups += actuator_groups(self.actuators, self.model, self.free)
        object.__setattr__(self, 'minimal', minimal)
        object.__setattr__(self, 'calibrations', calibrations)
        object.__setattr__(self, 'unknowns', laid_out(minimal.names, minimal.units, groups))
        if not self.gyro_std > 0.0:
            object.__setattr__(self, 'gyro_std', self.model.noise.base_angular_velocity)

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot."""
        return cls(
            model,
            settings.nuisance,
            settings.planar,
            settings.prior,
            settings.calibration,
            settings.actuators,
            settings.gyro_noise,
        )

    def with_gyro_noise(self, std: float) -> 'Self':
        """Return the method with another noise of the gyro, rad/s; with its own if zero."""
        return replace(self, gyro_std=std) if std > 0.0 else self

    @property
    def free(self) -> list[int]:
        """Components of the twist, and of the momentum, that are free."""
        return free_axes(self.planar)

    @property
    def free_state(self) -> list[int]:
        """Components of a state's change, pose and momentum, that are free."""
        return self.free + [6 + k for k in self.free]

    @property
    def pose_std(self) -> tuple[float, float]:
        """Standard deviations of position (m) and attitude (rad)."""
        noise = self.model.noise
        return max(noise.base_position, _LEAST), max(noise.base_attitude, _LEAST)

    @property
    def velocity_std(self) -> float:
        """Standard deviation of the base's velocity, m/s."""
        return max(self.model.noise.base_linear_velocity, _LEAST)

    @property
    def usual_mass(self) -> float:
        """Mass in the description, kg."""
        return float(sum(link.inertial.mass for link in self.model.links))

    @property
    def usual_inertia(self) -> float:
        """Inertia about the centre of mass in the description, its joints at zero."""
        inertia = whole_robot(self.model, np.zeros(len(self.model.joints))).inertia_about_com
        return float(inertia[2, 2] if self.planar else np.trace(inertia) / 3.0)

    @property
    def is_of_flight(self) -> NDArray[np.bool_]:
        """Which unknowns each flight has of its own: clocks, disturbances, biases; shape (u,)."""
        found = np.zeros(len(self.unknowns), dtype=bool)
        for key, place in self.unknowns.places.items():
            found[place] = key in _OF_FLIGHT
        return found

    @property
    def outputs(self) -> int:
        """Number of readings of a sample: pose and twist."""
        return 12

    @property
    def output_units(self) -> tuple[str, ...]:
        """Units of position, rotation vector, angular and linear velocity."""
        return ('m',) * 3 + ('rad',) * 3 + ('rad/s',) * 3 + ('m/s',) * 3

    def prior(self) -> DescriptionPrior:
        """Return the description as a prior of shape and one of scale."""
        return DescriptionPrior.from_settings(
            self.model, self.minimal, self.unknowns, self.prior_settings
        )

    def prepared(self, record: Record) -> Record:
        """Return the samples.

        Raises
        ------
        EstimationError
            If joints or poses are missing.
        """
        if record.q is None or record.position is None or record.attitude is None:
            raise EstimationError(f'{self.name} needs joint_states and base_pose')
        return record

    def is_moving(self, record: Record) -> NDArray[np.bool_]:
        """Return in which samples a joint, a wheel or the base moves, or a wrench acts."""
        moving = np.any(np.abs(np.nan_to_num(record.qd)) > 10.0 * self._least_rate, axis=1)
        if record.thrust is not None:
            moving |= np.any(record.thrust.at(record.times) != 0.0, axis=1)
        if record.wheel_rates is not None:
            moving |= np.any(np.abs(np.nan_to_num(record.wheel_rates)) > 1e-3, axis=1)
        if record.wrench is not None:
            moving |= np.any(record.wrench.at(record.times) != 0.0, axis=1)
        return moving

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return all samples from the first ones on in which something moves."""
        return record if begun or self.is_moving(record).any() else record[:0]

    @property
    def _least_rate(self) -> float:
        return max(self.model.noise.joint_rate, 1e-6)

    def flights(self, record: Record, *, live: bool = False) -> list[Flight]:
        """Return the flights that a record is of: one between each two pauses.

        Where joints are not read they may move, so that another one begins after that. Where the
        clock of poses is to be found, those too short for it are left out if others are not.

        Parameters
        ----------
        record : Record
            Samples.
        live : bool
            Whether more samples come: all flights are returned then, but for a latest one that
            is too short as yet.
        """
        read = np.flatnonzero(record.has_joints())
        steps = np.diff(record.times[read])
        unseen = max(_UNSEEN, _OFTEN * float(np.median(steps))) if len(steps) else np.inf
        ends = np.flatnonzero(np.diff(record.times) > _PAUSE) + 1
        ends = np.union1d(ends, read[1:][steps > unseen])
        parts = [record[rows] for rows in np.split(np.arange(len(record)), ends)]
        parts = [part for part in parts if Flight.is_enough(part)] or parts[:1]
        if live and len(parts) > 1 and np.ptp(parts[-1].times) < self.first_fit:
            parts = parts[:-1]
        flights = [self.flight(part) for part in parts]
        if not live:
            return long_enough(self, flights)
        is_short = flights[-1].length < time_for_clock(self, flights[-1])
        return flights[:-1] if is_short and len(flights) > 1 else flights

    def flight(self, record: Record) -> Flight:
        """Return the flight that a record without pauses is of."""
        return Flight.of(record, self.model, of_record(record, self.model.thrusters, self.free))

    def nodes(self, flight: Flight) -> NDArray[np.float64]:
        """Return times at which steps of integration end besides those of readings, s."""
        return np.zeros(0)

    def fit(
        self,
        flights: Sequence[Flight],
        start: NDArray[np.float64] | None = None,
        known: SquareRootInformation | None = None,
    ) -> BalanceFit:
        """Return the most likely unknowns of flights, with the prior from the description."""
        start = self.prior().mean if start is None else start
        return self.fitted(flights, start, known)

    def compile_kernels(self) -> None:
        """Compile the kernels by a step of a fit at rest; they are kept on disk if they can be."""
        times, count = 0.1 * np.arange(_WARM_UP_SAMPLES), len(self.model.joints)
        rest = {'q': count, 'qd': count, 'wheel_rates': len(self.model.wheels)}
        rest |= {'base_twist': 6, 'position': 3}
        record = Record(
            times,
            attitude=np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1)),
            **{name: np.zeros((len(times), width)) for name, width in rest.items()},
        )
        with suppress(EstimationError, np.linalg.LinAlgError):
            begin_fit(self, [self.flight(record)], self.prior().mean).further(1).fit()

    def starts(
        self, record: Record, about: NDArray[np.float64], known: SquareRootInformation
    ) -> Iterator[NDArray[np.float64]]:
        """Yield values whose clocks, where these are roughly known, were looked for."""
        yield begin_fit(self, self.flights(record), about, known).point.values[0]

    def solution(
        self,
        record: Record,
        start: NDArray[np.float64],
        known: SquareRootInformation | None,
        noise: Sequence[FoundNoise] = (),
    ) -> Solution:
        """Return the most likely unknowns, given a flight."""
        if known is not None:
            known = replace(known, residual=0.0)  # that of other samples
        flights = self.flights(record)
        found = self.fitted(flights, start, known, first=sizes_of(self, noise))
        longest = max(flights, key=lambda each: each.length)
        short = clock_shortage(self, longest.length, time_for_clock(self, longest))
        return replace(solution_of(self, record, found), shortages=short)

    def smoothed(
        self,
        record: Record,
        start: NDArray[np.float64],
        known: SquareRootInformation | None,
        past: Past | None,
    ) -> Smoothed:
        """Return the most likely unknowns, given the latest samples and what came before."""
        flights = self.flights(record, live=True)
        short = clock_shortage(self, flights[-1].length, time_for_clock(self, flights[-1]))
        if past is None and short:
            raise InsufficientDataError(*short)
        found, past = smoothed(self, flights, start, known, past)
        solution = solution_of(self, record, found)
        if past.clock is not None:
            short = clock_shortage(self, past.clock.length, past.clock.needed)
            solution = replace(solution, shortages=short)
        return Smoothed(solution, past)

    def renewing(self, record: Record, start: NDArray[np.float64], past: Past) -> Past:
        """Return the past with a fit of all samples that are kept begun."""
        return renewing(self, self.flights(record, live=True), start, past)

    def changed_lately(
        self,
        record: Record,
        values: NDArray[np.float64],
        past: Past,
        change: ChangeSettings,
    ) -> Changed | None:
        """Return what is known if a body came or went within the latest samples; None if not."""
        flights = self.flights(record, live=True)
        return changed(self, flights[0], values, past, change) if len(flights) == 1 else None

    def seems_changed(
        self,
        record: Record,
        values: NDArray[np.float64],
        noise: Sequence[FoundNoise],
        change: ChangeSettings,
    ) -> bool:
        """Return whether a body may have come or gone within one flight."""
        flights, sizes = self.flights(record), sizes_of(self, noise)
        if len(flights) != 1 or sizes is None:
            return False
        flight = flights[0].coarser(_COARSE)
        fit = begin_fit(self, [flight], values, given=[sizes], held=True).ended()
        found = likeliest_change(self, fit, change, float(flight.edges[0]) + change.settle)
        return found is not None and found.is_sure

    def fitted(
        self,
        flights: Sequence[Flight],
        start: NDArray[np.float64],
        known: SquareRootInformation | None = None,
        *,
        first: NoiseSizes | None = None,
        held: bool = False,
    ) -> BalanceFit:
        """Return the most likely unknowns and sizes of noise, as ``fit_from_poses`` does."""
        return fit_from_poses(self, flights, start, known, first=first, held=held)

    def residuals(self, record: Record, values: NDArray[np.float64]) -> Residuals:
        """Return measured less predicted readings, states and pushes fitted to them."""
        return left_of(self, record, self.fitted(self.flights(record), values, held=True))

    def gram(self, record: Record) -> NDArray[np.float64]:
        """Return zeros: excitation is judged by the fit itself."""
        return np.zeros((len(self.minimal), len(self.minimal)))

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether the total mass is positive."""
        return bool(np.isfinite(values).all() and values[MASS] > 0.0)

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a linear step leads that is not too far for the mass."""
        change = abs(linear[MASS] / values[MASS] - 1.0)
        return values + (linear - values) * min(1.0, _MOST_GROWTH / max(change, 1e-12))

    @property
    def suspects(self) -> dict[str, float]:
        """Errors that are taken for none, with deviations to try.

        Joints are as described: what is left of their errors is noise of poses and gyro.
        """
        found = {each.key: each.suspected for each in CALIBRATIONS if each.stream}
        found |= SUSPECTED_NUISANCE | _OF_WRENCHES
        if self.model.thrusters:
            found |= _OF_THRUSTERS
        if not self.model.wheels:
            del found['wheel_scale']
        known = self.takes - self.unknowns.places.keys()
        return {key: std for key, std in found.items() if key in known}

    def freed(self, key: str, std: float) -> 'Self':
        """Return the method with an error unknown."""
        return replace(
            self,
            nuisance=freed(self.nuisance, key, std),
            calibration=freed(self.calibration, key, std),
            actuators=freed(self.actuators, key, std),
        )

    def freed_equations(self, fit: BalanceFit, freed: 'Self') -> FreedEquations:
        """Return what the readings of a fit say of more unknowns, linear about it."""
        return fit.freed_equations(freed)

    def described(self, values: NDArray[np.float64]) -> RobotModel:
        """Return the description with joints and sensors as calibrations found them."""
        return self.calibrations.described(self.model, self.unknowns, values)

    def robot(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> InertialParameters | None:
        """Return the whole robot at joint positions."""
        model = self.described(values)
        return whole_robot(
            model.with_parameters(self.minimal.expand(values[: len(self.minimal)])), q
        )

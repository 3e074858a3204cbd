"""Momentum balance: any robot under known wrenches, from poses and whatever else is measured.

The momentum of the system is not constant but known: it changes by the wrenches that thrusters
give. Position, attitude and momentum are integrated over short segments (multiple shooting); poses
at any rate from some 5 Hz, gyro and twist are fitted where they were read. What else acts on the
robot is process noise on force and torque about its centre of mass, and as large as the data show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.balance.actuators.commands import of_record
from spacerobot_id.methods.balance.balance_robot import BalanceRobot, POSE_DELAY, WRENCH_DELAY
from spacerobot_id.methods.balance.clock_search import (
    likely_delay,
    likely_wrench_delay,
    rough_delay,
    time_to_search,
)
from spacerobot_id.methods.balance.equations.linear_balance import Balance, LinearFlight
from spacerobot_id.methods.balance.equations.states import difference, Trajectory
from spacerobot_id.methods.balance.flight import Flight, Onward
from spacerobot_id.methods.balance.found_noise import (
    first_sizes,
    found_noise,
    notes,
    with_lasting,
)
from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.methods.body_prior import (
    brought_momentum_std,
    changeable_links,
    payload_std,
)
from spacerobot_id.methods.calibrations.active import CALIBRATIONS
from spacerobot_id.methods.calibrations.calibration import (
    CALIBRATION_KEYS,
    with_calibration,
)
from spacerobot_id.methods.information.free_flyer import ThrustedInformation
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.prior import DescriptionPrior
from spacerobot_id.methods.settings import ChangeSettings, MethodSettings
from spacerobot_id.methods.solution import FittedFlight, FittedStates, FoundNoise
from spacerobot_id.methods.states_method import (
    Brought,
    StatesMethod,
)
from spacerobot_id.methods.unknowns import (
    SUSPECTED_NUISANCE,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.spatial import skew

if TYPE_CHECKING:
    from typing import Self

_WARM_UP_SAMPLES = 30
"""Samples of the fit that kernels are compiled by, a tenth of a second apart."""

_OF_THRUSTERS = {'strength': 0.3, 'strength_loss': 0.2, 'dead_time': 0.03}
"""Deviations of errors of thrusters that are tried as unknown where they are taken for none."""

_OF_WRENCHES = {'wrench_scale': 0.1, WRENCH_DELAY: 0.1, 'drag': 0.1}
"""The same of what acts on the base: a share, s, 1/s."""

_PAUSE = 5.0
"""Time without samples that divides two flights, s."""

_UNSEEN, _OFTEN = 1.0, 10.0
"""Time without joint positions that does so, too, s, and over their usual distance."""

_MOST_GROWTH = 0.5
"""Most by which the mass may change in a step, as a share of it."""


@dataclass(frozen=True, eq=False)
class MomentumBalance(BalanceRobot, StatesMethod):
    """Momentum balance of a robot; see `BalanceRobot`."""

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
    first_outputs: ClassVar[tuple[int, ...]] = (0, 6, 9)
    searched: ClassVar[tuple[str, ...]] = (WRENCH_DELAY, POSE_DELAY)
    per_flight: ClassVar[tuple[str, ...]] = (
        POSE_DELAY,
        'delay.imu',
        'delay.base_twist',
        'disturbance',
        'gyro_bias',
    )

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

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return what joints and wheels show beside thrusters, whose pulses are chosen."""
        return ThrustedInformation.beside(Momentum.information(model, settings), settings.given)

    def with_gyro_noise(self, std: float) -> 'Self':
        """Return the method with another noise of the gyro, rad/s; with its own if zero."""
        return replace(self, gyro_std=std) if std > 0.0 else self

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
            found = [each for each in flights if each.length >= self.time_needed(each)]
            return found or flights
        is_short = flights[-1].length < self.time_needed(flights[-1])
        return flights[:-1] if is_short and len(flights) > 1 else flights

    def flight(self, record: Record) -> Flight:
        """Return the flight that a record without pauses is of."""
        return Flight.of(record, self.model, of_record(record, self.model.thrusters, self.free))

    def begun(
        self,
        flights: Sequence[Flight],
        start: NDArray[np.float64],
        *,
        held: bool,
        goes_on: bool,
    ) -> tuple[list[Flight], list[NDArray[np.float64]]]:
        """Return flights and unknowns to start from, clocks that are roughly known looked for.

        Wrenches asked of thrusters are allocated to these, with the attitude by that clock.
        """
        values, ready = [start.copy() for _ in flights], []
        thrusters = self.model.thrusters
        of_poses, of_wrenches = rough_delay(self, POSE_DELAY), rough_delay(self, WRENCH_DELAY)
        for index, (flight, own) in enumerate(zip(flights, values, strict=True)):
            if of_poses and not (held and index == 0):
                place, std = of_poses
                if index or self.looks_for(own):
                    own[place] = likely_delay(Balance(self, flight, own), std)
            clock = Balance(self, flight, own).clock
            if index or not goes_on:
                flight = flight.by_clock(clock)
            asked = self.actuators.allocate_wrench and not flight.commands.are_valves
            if asked and thrusters and flight.commands.values.any():
                flight = flight.allocated(thrusters, self.free, clock)
            ready.append(flight)
        if of_wrenches and not held:
            place, std = of_wrenches
            if start[place] == 0.0:
                pairs = zip(ready, values, strict=True)
                found = likely_wrench_delay([Balance(self, *each) for each in pairs], std)
                for own in values:
                    own[place] = found
        return ready, values

    def trajectory(self, flight: Flight, values: NDArray[np.float64]) -> Trajectory:
        """Return a trajectory through the measured poses."""
        return Balance(self, flight, values).start()

    def linear(
        self, flight: Flight, values: NDArray[np.float64], trajectory: Trajectory
    ) -> LinearFlight:
        """Return the rows of all readings, linear about unknowns and a trajectory."""
        return Balance(self, flight, values).linear(trajectory)

    def moved(
        self,
        trajectory: Trajectory,
        states: NDArray[np.float64],
        disturbances: NDArray[np.float64],
    ) -> Trajectory:
        """Return a trajectory after moves of states (G, n) and disturbances (G, v)."""
        count, free = len(self.free), self.free
        whole, white, lasting = (np.zeros((len(states), size)) for size in (12, 6, 6))
        whole[:, self.free_state] = states[:, : 2 * count]
        white[:, free] = disturbances[:, :count]
        lasting[:, free] = states[:, 2 * count : 3 * count]
        return trajectory.moved(whole, white, lasting, states[:, 3 * count :])

    def difference(self, before: Trajectory, after: Trajectory) -> NDArray[np.float64]:
        """Return what moves the first state of one trajectory to that of another, shape (n,)."""
        return np.concatenate([
            difference(before.states[:1], after.states[:1])[0, self.free_state],
            (after.slow[0] - before.slow[0])[self.free],
            after.scatter[0] - before.scatter[0],
        ])  # fmt: skip

    def onward(
        self,
        flight: Flight,
        values: NDArray[np.float64],
        blocks: LinearFlight,
        segment: int,
        before: Onward | None,
    ) -> Onward:
        """Return where a flight goes on from when all before a segment is marginalised."""
        clock = Balance(self, flight, values).clock
        return flight.onward(segment, clock, blocks, before)

    def first_sizes(self, flights: Sequence[Flight]) -> NoiseSizes:
        """Return sizes of noise to start from: a share of the usual wrench."""
        return first_sizes(self, flights)

    def released(self, sizes: NoiseSizes) -> NoiseSizes:
        """Return sizes with lasting disturbances as free as near the robot they may be."""
        return with_lasting(sizes)

    def roughness(self, flights: Sequence[Flight]) -> float:
        """Return how far poses are off the smooth curve through them, over their noise."""
        return max(each.roughness(self.pose_std) for each in flights)

    @property
    def read_std(self) -> NDArray[np.float64]:
        """Standard deviations of position and attitude, those components that are free."""
        return np.repeat(self.pose_std, 3)[self.free]

    def brought(self, own: FittedFlight, segment: int, settings: ChangeSettings) -> Brought:
        """Return how a body that comes or goes changes state and unknowns."""
        payload = payload_std(self.model, self.minimal, settings)
        edges, free = own.flight.edges, self.free
        twist = own.flight.nominal_motion(edges)[1]
        rates = np.abs(twist[:, 3:]).sum(axis=1) + np.abs(own.flight.joints.at(edges)[1]).sum(1)
        speed = float(np.linalg.norm(twist[:, :3], axis=1).max())
        linear, angular = brought_momentum_std(self.model, float(rates.max()), payload, speed)
        momenta = np.zeros((6, 6))
        momenta[:3, :3] = linear * np.eye(3)
        momenta[3:, :3] = linear * skew(own.trajectory.states[segment, :3])
        momenta[3:, 3:] = angular * np.eye(3)
        count, links = len(free), changeable_links(self.model, settings)
        of_state = np.zeros((own.blocks.back.shape[1], count + 10 * len(links)))
        of_state[count : 2 * count, :count] = momenta[np.ix_(free, free)]
        of_unknowns = np.zeros((len(self.unknowns), of_state.shape[1]))
        parts = [self.minimal.grouping[:, 10 * k : 10 * k + 10] * payload for k in links]
        of_unknowns[: len(self.minimal), count:] = np.hstack(parts)
        return Brought(of_state, of_unknowns, count)

    def time_needed(self, flight: Flight) -> float:
        """Return how long a flight has to last for the clock of its poses to be found, s.

        Zero where that is known. The delay of wrenches does not count: the first seconds show it.
        """
        rough = rough_delay(self, POSE_DELAY)
        return 0.0 if rough is None else time_to_search(flight, len(self.model.joints), rough[1])

    def looks_for(self, start: NDArray[np.float64]) -> bool:
        """Return whether a fit looks for the clock of poses: it is rough, and nothing known."""
        rough = rough_delay(self, POSE_DELAY)
        return rough is not None and bool(start[rough[0]] == 0.0)

    def shortage(self, length: float, needed: float) -> tuple[str, ...]:
        """Return a message if a flight is too short for the clock of its poses."""
        if length >= needed:
            return ()
        std = rough_delay(self, POSE_DELAY)[1]
        return (
            f'the clock of base_pose is known to {std:.2g} s only, and {length:.2g} s are too '
            f'short to look for it, which takes {needed:.2g} s: wait, or set a smaller '
            f'{POSE_DELAY}',
        )

    def found_noise(self, fit: FittedStates) -> tuple[FoundNoise, ...]:
        """Return the sizes of noise that a fit found, those of readings that there are."""
        return found_noise(self, fit)

    def notes(self, fit: FittedStates) -> tuple[str, ...]:
        """Return notes on residuals that correlate with the wrench."""
        return notes(self, fit)

    def record_at_rest(self) -> Record:
        """Return samples by which kernels are compiled."""
        times, count = 0.1 * np.arange(_WARM_UP_SAMPLES), len(self.model.joints)
        rest = {'q': count, 'qd': count, 'wheel_rates': len(self.model.wheels)}
        rest |= {'base_twist': 6, 'position': 3}
        attitude = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
        zeros = {name: np.zeros((len(times), width)) for name, width in rest.items()}
        return Record(times, attitude=attitude, **zeros)

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
    def candidate_errors(self) -> dict[str, float]:
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

    def with_calibration(self, key: str, std: float) -> 'Self':
        """Return the method with an error unknown."""
        return replace(
            self,
            nuisance=with_calibration(self.nuisance, key, std),
            calibration=with_calibration(self.calibration, key, std),
            actuators=with_calibration(self.actuators, key, std),
        )

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

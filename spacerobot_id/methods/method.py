"""What a method of identification is: it predicts what sensors read, all else is common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import StreamNeeds
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.prediction import Prediction, Rows
from spacerobot_id.methods.settings import ChangeSettings, MethodSettings, PriorSettings
from spacerobot_id.methods.solution import Prior, Residuals, Solution
from spacerobot_id.methods.unknowns import Unknowns
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.regressor import MinimalParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

CHUNK = 4000
"""Samples whose rows are in memory at a time."""


class Method(ABC):
    """A robot whose parameters are wanted, from which sensors, with which noise.

    A method is a frozen dataclass of its own file, named in the registry. Recursion, batch fit,
    gate, change detection, checkpoint, validation, report and planner take it as it is.
    """

    name: ClassVar[str]
    """Its name everywhere: ROS parameter, command line, JSON, docs."""

    summary: ClassVar[str]
    """What it does, in a sentence without its full stop."""

    needs: ClassVar[StreamNeeds]
    """Streams that it needs and may use."""

    takes: ClassVar[frozenset[str]] = frozenset()
    """Settings that it takes beside those of every method; any other that is given is refused."""

    gauge: ClassVar[str] = ''
    """Text on what no data can show; empty if nothing."""

    is_for_comparison: ClassVar[bool] = False
    """Whether noise in its regressor makes it biased, so that its intervals do not hold."""

    has_stated_noise: ClassVar[bool] = True
    """Whether its equations have unit noise; otherwise the residual is taken for the noise."""

    solves_at_once: ClassVar[bool] = False
    """Whether all samples are solved for by ``solution`` and none can be absorbed alone."""

    fits_several_flights: ClassVar[bool] = False
    """Whether its samples may be of several flights, with a pause between each two."""

    no_gate: ClassVar[str] = ''
    """Why outliers and changes are not looked for, in a sentence; empty if they are."""

    model: RobotModel
    unknowns: Unknowns

    planar: bool = False
    """Whether the base can only move along x and y and turn about z."""

    prior_settings: PriorSettings | None = None
    """How far the description may be wrong, where that counts."""

    momentum_std: NDArray[np.float64] = np.zeros(0)
    """Standard deviations of the system's momentum, which a change leaves unknown."""

    known_angular_momentum: tuple[float, ...] = ()
    """Angular momentum that it is given to turn with, N m s; none if it is at rest."""

    minimal: MinimalParameters | None = None
    """Minimal parameters that the values begin with; None if links cannot be found."""

    @property
    def masses(self) -> Sequence[int]:
        """Places of the parameters that add up to the total mass; empty where it does not show."""
        return () if self.minimal is None else self.minimal.masses

    @property
    def states(self) -> 'Method | None':
        """The ``StatesMethod`` that fits motions with states of their own; None without them."""
        return None

    epoch: float = 0.0
    """Time that motions are counted from, s; of no matter to most methods."""

    @classmethod
    @abstractmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot.

        Parameters
        ----------
        model : RobotModel
            Prior model: its geometry and wheels are taken as known.
        settings : MethodSettings
            Settings; those that it does not take have been refused before.
        from_pose : bool
            Whether poses stand in for a velocity of the base that is not measured.

        Raises
        ------
        ConfigurationError
            If settings contradict each other or the robot; names the setting.
        """

    @classmethod
    def information(
        cls, model: RobotModel, settings: InformationSettings
    ) -> InformationSource | None:
        """Return what planned motions show; None for the method's rows at predicted readings.

        Parameters
        ----------
        model : RobotModel
            Robot to predict with.
        settings : InformationSettings
            How the method sees a motion.
        """
        return None

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of readings of a sample that are predicted, k."""

    @property
    def output_units(self) -> tuple[str, ...]:
        """Units of the readings, k of them."""
        return ('',) * self.outputs

    @abstractmethod
    def prior(self) -> Prior:
        """Return the values of the description, and zero for all other unknowns."""

    # Samples.

    @property
    def context(self) -> int:
        """Samples that ``prepared`` needs beside those that it returns."""
        return 0

    def prepared(self, record: Record) -> Record:
        """Return the samples that can be used, with what is derived from their neighbours.

        Raises
        ------
        EstimationError
            If a stream that the method needs is missing.
        """
        return record

    @abstractmethod
    def is_moving(self, record: Record) -> NDArray[np.bool_]:
        """Return in which samples something moves beyond its noise, shape (N,)."""

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return the samples with information: those in which something moves.

        Parameters
        ----------
        record : Record
            N samples in the order of time.
        begun : bool
            Whether samples before these have been used.
        """
        return record[self.is_moving(record) & self.is_read(record)]

    def is_read(self, record: Record) -> NDArray[np.bool_]:
        """Return in which samples a reading counts that the method predicts, shape (N,)."""
        if not self.needs.gyro:
            return np.ones(len(record), dtype=bool)
        return np.isfinite(record.noise_of('gyro'))

    def without_joint_rates(self) -> 'Self':
        """Return the method for joint states without rates; itself if it is the same."""
        return self

    def since(self, epoch: float) -> 'Self':
        """Return the method with times counted from another one, s."""
        return self

    # Readings and equations.

    def renewed(self, record: Record) -> Record:
        """Return samples with what follows from neighbours found again, now that all are there."""
        return record

    def predict(
        self, record: Record, values: NDArray[np.float64], *, with_slope: bool = True
    ) -> Prediction:
        """Compare measured readings with predicted ones.

        Parameters
        ----------
        record : Record
            N samples.
        values : ndarray, shape (u,)
            Unknowns.
        with_slope : bool
            Whether slopes are wanted.

        Raises
        ------
        numpy.linalg.LinAlgError
            If no readings follow from the values.
        """
        raise EstimationError(f'{self.name}: readings follow from whole stretches of a record')

    def equations(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows to be absorbed, linear about some values: k per sample."""
        return self.predict(record, values).rows(values)

    def reading_rows(self, record: Record, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what all readings of N samples show of the unknowns, by sample, (N k, u)."""
        return self.predict(record, values).rows(values).matrix

    @property
    def judges_residuals(self) -> bool:
        """Whether its equations are those of the readings: residuals show which samples fit."""
        return type(self).equations is Method.equations

    @property
    def has_finish(self) -> bool:
        """Whether whole stretches of samples show more than each of them."""
        return type(self).finished is not Method.finished

    def unweighted(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows to start from where the weights of ``equations`` depend on values."""
        return self.equations(record, values)

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return the rows that judge excitation, those of N samples by sample, shape (N f, p)."""
        return self.equations(record, self.prior().mean).matrix[:, : self.unknowns.parameters]

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether a robot can have these values at all."""
        return bool(np.isfinite(values).all())

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a Gauss-Newton step leads that ends at some values if it is straight."""
        return linear

    def starts(
        self, record: Record, about: NDArray[np.float64], known: SquareRootInformation
    ) -> Iterator[NDArray[np.float64]]:
        """Yield values to start from where a fit from the likeliest ones explains too little.

        Parameters
        ----------
        record : Record
            Samples.
        about : ndarray, shape (u,)
            Likely values.
        known : SquareRootInformation
            What is known without the samples.
        """
        yield from ()

    def solution(self, record: Record, start: NDArray[np.float64]) -> Solution | None:
        """Return the fit of all samples of a method that has its own; None if it has none.

        Parameters
        ----------
        record : Record
            Samples.
        start : ndarray, shape (u,)
            Values to start from.

        Raises
        ------
        EstimationError
            If the samples show too little.
        """
        return None

    def finished(self, record: Record, solution: Solution) -> Solution:
        """Return a fit with what only whole stretches of samples show; as it is by default."""
        return solution

    def residuals(self, record: Record, values: NDArray[np.float64]) -> Residuals:
        """Return measured less predicted readings.

        Parameters
        ----------
        record : Record
            N samples.
        values : ndarray, shape (u,)
            Unknowns.
        """
        parts = [(np.zeros((0, self.outputs)),) * 2]
        for part in chunks(record):
            predicted = self.predict(part, values, with_slope=False)
            there = predicted.counted
            both = predicted.whitened(), predicted.error
            parts.append(both if there is None else [np.where(there, e, np.nan) for e in both])
        return Residuals(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    # What may be wrong.

    @property
    def candidate_errors(self) -> dict[str, float]:
        """Settings of calibrations that are off and may be tried, with deviations for it."""
        return {}

    def with_calibration(self, key: str, std: float) -> 'Self':
        """Return the method with a calibration switched on.

        Parameters
        ----------
        key : str
            One of ``candidate_errors``.
        std : float
            Prior standard deviation.
        """
        raise EstimationError(f'{self.name}: {key} cannot be calibrated')

    # What the values mean.

    def described(self, values: NDArray[np.float64]) -> RobotModel:
        """Return the description, with the geometry that was found where it was unknown.

        Parameters
        ----------
        values : ndarray, shape (u,)
            Unknowns.
        """
        return self.model

    def robot(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> InertialParameters | None:
        """Return the whole robot at joint positions; None where its mass does not show."""
        return None

    def inertia(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        robot = self.robot(values, q)
        return None if robot is None else robot.inertia_about_com

    def changed(
        self,
        information: SquareRootInformation,
        samples: Record,
        change: ChangeSettings,
        *,
        has_poses: bool,
    ) -> 'tuple[Self, SquareRootInformation]':
        """Return method and knowledge after a body may have come or gone.

        Parameters
        ----------
        information : SquareRootInformation
            What was known before.
        samples : Record
            Samples of the changed robot.
        change : ChangeSettings
            Which links can change, and by how much.
        has_poses : bool
            Whether poses come, if not with these samples.
        """
        return self, self.loosened(information, change)

    def loosened(
        self, information: SquareRootInformation, change: ChangeSettings
    ) -> SquareRootInformation:
        """Return what is known after a body may have come or gone anywhere.

        The parameters become as uncertain as the description leaves them; what is unknown beside
        them stays as it is known.
        """
        count = self.unknowns.parameters
        covariance = self.prior().linearised(self.prior().mean).covariance()
        covariance[count:, count:] = information.covariance()[count:, count:]
        return SquareRootInformation.from_prior(information.values(), covariance)


def chunks(record: Record) -> Iterator[Record]:
    """Yield a record in parts that fit the memory."""
    for begin in range(0, len(record), CHUNK):
        yield record[begin : begin + CHUNK]


def gram(method: Method, record: Record) -> NDArray[np.float64]:
    """Return ``G^T G`` of the rows that judge a record's excitation, shape (p, p)."""
    total = np.zeros((method.unknowns.parameters,) * 2)
    for chunk in chunks(record):
        rows = method.excitation_rows(chunk)
        total += rows.T @ rows
    return total

"""Joint states on their way: parts joined, turns counted, glitches dropped, wheels completed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.joints.glitches import JointGlitches
from spacerobot_id.measurement.joints.merging import JointMerger
from spacerobot_id.measurement.joints.turns import JointTurns
from spacerobot_id.measurement.joints.wheel_rates import WheelRates
from spacerobot_id.measurement.readings import JointReading
from spacerobot_id.measurement.stream import Verdict
from spacerobot_id.model import JointType, RobotModel


class JointIntake:
    """The way of joint states until all joints and wheels of a time are known.

    Parameters
    ----------
    model : RobotModel
        Robot; names its n joints and w wheels.
    longest_gap : float
        Time after which nothing is expected of a reading, s.
    uses_rates : bool
        Whether rates are used; those of wheels are then made where angles come alone.
    push : callable
        Takes all joints and wheels of a time.
    withdraw : callable
        Counts a message as refused that had been accepted, for a reason.

    Attributes
    ----------
    names : tuple of str
        Names of joints and wheels, in order.
    merges : bool
        Whether messages of several drivers have been joined.
    turns : JointTurns
        Whole turns of the joints.
    glitches : JointGlitches
        Positions that jumped.
    rates_given : ndarray of bool, shape (n + w,), optional
        Which joints and wheels give their rates, as the first good message shows, or the whole
        log; None before.
    """

    def __init__(
        self,
        model: RobotModel,
        longest_gap: float,
        push: Callable[[JointReading], Verdict],
        withdraw: Callable[[str], None],
        *,
        uses_rates: bool,
    ) -> None:
        self.names = model.joint_names + model.wheel_names
        self.merges = False
        self.turns = JointTurns([each.type is JointType.REVOLUTE for each in model.joints])
        self.glitches = JointGlitches(model.noise.joint_position, longest_gap)
        self.rates_given: NDArray[np.bool_] | None = None
        self._count, self._uses_rates = len(model.joints), uses_rates
        self._merger = JointMerger(self.names, longest_gap)
        self._wheels = WheelRates(len(model.joints), model.wheels, longest_gap)
        self._push, self._withdraw = push, withdraw

    @property
    def lacks_rates(self) -> bool:
        """Whether there are joints without rates."""
        given = self.rates_given
        return given is not None and not given[: self._count].all()

    def take(self, reading: JointReading) -> Verdict:
        """Take joints and wheels, by name (F1-F4); parts of several drivers are joined.

        Raises
        ------
        MeasurementError
            If joints are missing, or a rate that is given otherwise; the message names them.
        """
        whole = self._turned(reading.partly(self.names))
        if np.isnan(whole.positions).any():
            given = whole.given()
            merged = None if given.all() or not given.any() else self._merger.take(whole, given)
            if merged is not None:
                self.merges = True
                verdict, parts = merged
                for each in parts:
                    verdict = self._without_glitches(each)
                return verdict
            reading.of(self.names)  # raises where one is missing
        return self._without_glitches(whole)

    def clear(self) -> None:
        """Drop everything that waits, and not which rates are given."""
        self._merger.clear()
        self.turns.clear()
        self.glitches.clear()
        self._wheels.clear()

    def note_rates(self, rates: NDArray[np.float64]) -> None:
        """Note which rates a good message gives, if none came before."""
        if self.rates_given is None:
            self.rates_given = np.isfinite(rates)

    def require_rates(self, rates: NDArray[np.float64]) -> None:
        """Raise if a joint lacks its rate that has one otherwise: then it is lost."""
        if self.rates_given is not None:
            self.require(np.where(self.rates_given, rates, 0.0), 'velocity')

    def require(self, values: NDArray[np.float64], what: str) -> None:
        """Raise if a joint lacks what is needed; NaN means that it is not provided."""
        unknown = np.isnan(values)
        if unknown.any():
            names = (self.names[row] for row in np.flatnonzero(unknown))
            raise MeasurementError(f'{what} of {", ".join(names)} is not provided')

    def _turned(self, reading: JointReading) -> JointReading:
        """Return all joints and wheels, joints with the whole turns by which they jumped."""
        q = self.turns.take(reading.positions[: self._count])
        return replace(reading, positions=np.append(q, reading.positions[self._count :]))

    def _without_glitches(self, reading: JointReading) -> Verdict:
        """Take all joints and wheels of a time; where a joint has jumped, when the next came."""
        verdict, glitches = Verdict.ACCEPTED, self.glitches
        for each in glitches.take(reading, reading.positions[: self._count]):
            verdict = self._whole(each)
        for joints in glitches.removed:
            names = ', '.join(self.names[row] for row in joints)
            self._withdraw(f'encoder glitch of {names}')
        return verdict

    def _whole(self, reading: JointReading) -> Verdict:
        """Take all joints and wheels of a time; wheels without rates wait for the next."""
        if not self._uses_rates or not self._wheels.are_needed(reading):
            return self._push(reading)
        self.require_rates(reading.velocities)
        verdict, whole = self._wheels.take(reading)
        if verdict.is_taken:
            self.note_rates(reading.velocities)
        for each in whole:
            verdict = self._push(each)
        return verdict

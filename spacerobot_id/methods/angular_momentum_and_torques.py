"""Angular momentum and joint torques together, without accelerations."""

from dataclasses import dataclass, replace
from typing import ClassVar

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.angular_momentum import AngularMomentum, CALIBRATED, moving_stretch
from spacerobot_id.methods.joint_torque_weighting import absorb_joint_torques, check_torques
from spacerobot_id.methods.solution import Solution


@dataclass(frozen=True, eq=False)
class AngularMomentumAndTorques(AngularMomentum):
    """Output error of the gyro, then Lagrange's equations of the joints in weak form."""

    name: ClassVar[str] = 'angular_momentum_and_torques'
    summary: ClassVar[str] = 'angular momentum, and joint torques without accelerations'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED,
        gyro=Need.NEEDED,
        velocity=Need.UNUSED,
        pose=Need.USED,
        torque=Need.NEEDED,
    )

    takes: ClassVar[frozenset[str]] = AngularMomentum.takes - CALIBRATED

    def prepared(self, record: Record) -> Record:
        """Return the samples whose attitude is known; torques are checked."""
        check_torques(self.model, record)
        return super().prepared(record)

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return the samples from the first in which something moves to the last."""
        return moving_stretch(self, record)

    def finished(self, record: Record, solution: Solution) -> Solution:
        """Return the fit with the torques of the joints as further rows."""
        both = absorb_joint_torques(self, record, solution.values, solution.information)
        return replace(solution, information=both)

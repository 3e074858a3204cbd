"""Which streams a method needs, and which it may use."""

from dataclasses import dataclass, replace
from enum import Enum

TOPICS = {
    'joints': 'joint_states',
    'gyro': 'imu/data',
    'velocity': 'base_twist',
    'pose': 'base_pose',
    'torque': 'efforts',
    'wrench': 'base_wrench',
}
"""What brings each stream."""


class Need(Enum):
    """What a stream is for a method."""

    NEEDED = 'needed'
    USED = 'used'
    UNUSED = 'unused'

    def __bool__(self) -> bool:
        """Whether the stream is used at all."""
        return self is not Need.UNUSED


@dataclass(frozen=True)
class StreamNeeds:
    """What a method takes from the sensors; without what is needed there is no sample.

    Parameters
    ----------
    joints : Need
        Joint states, wheels among them; they give the times of the samples, or poses do where
        joint states are not used.
    gyro : Need
        Angular velocity of the base.
    velocity : Need
        Linear velocity of the base: measured where it is needed; where it is only used, it is
        made from poses as long as it is not measured.
    pose : Need
        Position and attitude of the base.
    torque : Need
        Torques of the joints' motors.
    wrench : Need
        Wrenches on the base, as its actuators give them or as they are asked for.
    thrust : Need
        Commands of the base's thrusters, in place of wrenches, where the robot has some.
    rates : Need
        Rates of the joints among their states; where they are only used, positions give them if
        they are not measured.
    own_stamps : bool
        Whether every reading stays at its own stamp, and nothing is interpolated.
    in_part : bool
        Whether samples count in which either the gyro or the velocity has a hole.
    """

    joints: Need = Need.NEEDED
    gyro: Need = Need.NEEDED
    velocity: Need = Need.USED
    pose: Need = Need.USED
    torque: Need = Need.UNUSED
    wrench: Need = Need.UNUSED
    thrust: Need = Need.UNUSED
    rates: Need = Need.NEEDED
    own_stamps: bool = False
    in_part: bool = False

    @property
    def lacks_rates(self) -> bool:
        """Whether joint states may come without rates."""
        return self.own_stamps or self.rates is not Need.NEEDED

    def of_robot(self, joints: int, wheels: int) -> 'StreamNeeds':
        """Return what is needed of a robot: without joints and wheels there are no joint states.

        A method that brings streams to common times takes them from joint states all the same.
        """
        if joints or wheels or not self.own_stamps:
            return self
        return replace(self, joints=Need.UNUSED)


FREE_FLYER = StreamNeeds(
    joints=Need.UNUSED,
    gyro=Need.UNUSED,
    velocity=Need.UNUSED,
    pose=Need.NEEDED,
    wrench=Need.NEEDED,
)
"""Of a method for one rigid body: poses, and the wrenches between them."""

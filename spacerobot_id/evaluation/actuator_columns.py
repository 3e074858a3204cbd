"""Which of a motion's columns are the joints and the wheels of a robot."""

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import ExcitingMotion
from spacerobot_id.model import RobotModel


def actuator_columns(model: RobotModel, motion: ExcitingMotion) -> tuple[list[int], list[int]]:
    """Return the columns of a robot's joints and of its wheels, in the robot's order.

    Raises
    ------
    PlanningError
        If the motion moves what the robot does not have, or not all that it has.
    """
    there, wanted = motion.names, (*model.joint_names, *model.wheel_names)
    if sorted(there) != sorted(wanted):
        raise PlanningError(
            f'the plan moves {", ".join(there)}; {model.name} has {", ".join(wanted)}'
        )
    return (
        [there.index(name) for name in model.joint_names],
        [there.index(name) for name in model.wheel_names],
    )

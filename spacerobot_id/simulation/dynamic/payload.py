"""A body joined to a link: at rest relative to it, so that nothing jumps and momentum is kept."""

from dataclasses import dataclass, replace

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import InertialParameters, RobotModel


@dataclass(frozen=True, eq=False)
class Payload:
    """A rigid body that the robot can take hold of.

    Parameters
    ----------
    link : str
        Link of the description that it is joined to.
    body : InertialParameters
        Its parameters in that link's frame, about the frame's origin.
    """

    link: str
    body: InertialParameters


def with_body(model: RobotModel, payload: Payload) -> RobotModel:
    """Return the robot with a body rigidly joined to one of its links.

    Parameters
    ----------
    model : RobotModel
        Robot.
    payload : Payload
        Body, and where it goes.

    Raises
    ------
    SimulationError
        If the link is unknown, or no rigid body has these parameters.
    """
    if payload.link not in model.frames:
        raise SimulationError(f'payload: link {payload.link!r} is unknown')
    for reason in payload.body.defects():
        raise SimulationError(f'payload: {reason}')
    frame = model.frames[payload.link]
    carried = payload.body.expressed_in(frame.R_LF, frame.p_LF_L)
    links = list(model.links)
    grown = links[frame.link].inertial + carried
    links[frame.link] = replace(links[frame.link], inertial=grown)
    return replace(model, links=links)

"""How streams are aligned, and where the base's linear velocity comes from."""

from dataclasses import dataclass
from enum import Enum

from spacerobot_id.settings import parameter


class VelocitySource(Enum):
    """Where the base's linear velocity comes from."""

    TWIST = 'base_twist'
    POSE = 'base_pose'


@dataclass(frozen=True)
class AlignmentSettings:
    """How streams are aligned."""

    capacity: int = parameter(
        2000,
        'Samples buffered per topic while the others come.',
        key='buffer_size',
        minimum=100,
        read_only=True,
    )
    longest_gap: float = parameter(
        1.0,
        'Largest step between two stamps of a topic before its clock has jumped, s.',
        minimum=0.01,
        read_only=True,
    )
    longest_bracket: float = parameter(
        0.025,
        'Distance of two samples that may always be interpolated between, s; twice and a half the '
        "usual distance of a topic's messages may be, too.",
        minimum=0.001,
        read_only=True,
    )
    most_rate: float = parameter(
        125.0,
        'Most samples per second; messages that come faster are averaged, Hz.',
        minimum=1.0,
        read_only=True,
    )
    window: int = parameter(
        21,
        'Samples of the local polynomial that turns base_pose into a velocity; odd.',
        key='velocity_window',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )

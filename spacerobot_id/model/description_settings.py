"""How a node reads the description of its robot, its path apart."""

from dataclasses import dataclass

from spacerobot_id.settings import parameter


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of the nodes that work with a prior model; each says itself what it is."""

    yaml: str = parameter(
        '',
        'Path of the YAML file of the robot; that beside the URDF if empty.',
        key='robot_yaml',
        read_only=True,
    )
    free_base: str = parameter(
        '',
        'Link that is the base, where the URDF holds it to a world; as URDF and YAML file say if '
        'empty.',
        read_only=True,
    )
    timeout: float = parameter(
        10.0,
        'Longest time to wait for a URDF on the topic robot_description, s.',
        key='description_timeout',
        minimum=0.1,
        maximum=600.0,
        read_only=True,
    )

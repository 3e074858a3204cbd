"""The parameters of the node ``estimator``: those of an identification, and the node's own."""

from dataclasses import dataclass
from pathlib import Path

from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.settings import DescriptionSettings, NodeSettings, own_parameters, parameter
from spacerobot_id.settings.parameter_file import values_from_file


@dataclass(frozen=True)
class EstimatorSettings(NodeSettings):
    """Parameters of the estimator; each has its own description."""

    robot: str = parameter(
        '',
        'Path of the URDF of the prior model; robot_description takes it from that topic.',
        read_only=True,
    )
    description: DescriptionSettings = DescriptionSettings()
    identify: IdentifySettings = IdentifySettings()
    pose_type: str = parameter(
        'PoseStamped',
        'Message type of base_pose; an Odometry brings the twist with it.',
        choices=('PoseStamped', 'Odometry'),
        read_only=True,
    )
    adapter: str = parameter(
        '',
        'File, or name of one that comes with the package, that states how the messages of a test '
        'bed are to be read; the topics of docs/interfaces.md if empty.',
        read_only=True,
    )
    update_period: float = parameter(
        0.2, 'Time between two updates of the estimate, s.', minimum=0.01, read_only=True
    )
    publish_period: float = parameter(
        1.0, 'Time between two publications of the estimate, s.', minimum=0.05, read_only=True
    )
    checkpoint_file: str = parameter(
        '',
        'File that a valid estimate is kept in, to go on from after a restart; none if empty.',
        read_only=True,
    )
    checkpoint_period: float = parameter(
        0.5,
        'Time between two checkpoints, s: what a process that is killed may lose.',
        minimum=0.1,
        read_only=True,
    )
    save_file: str = parameter(
        '',
        'File that ~/save writes the estimate to, as JSON, its page and tables beside it; none if '
        'empty.',
        read_only=True,
    )
    apply: str = parameter(
        '',
        'File, or name of one that comes with the package, that states what ~/apply writes to a '
        'topic, a service, parameters of another node or a file; nothing if empty.',
        read_only=True,
    )
    apply_after: float = parameter(
        5.0,
        'Time for which the estimate has to have been valid before ~/apply writes it, s.',
        minimum=0.0,
        read_only=True,
    )
    apply_file: str = parameter(
        '', 'File that ~/apply writes to, where apply names a file.', read_only=True
    )
    publish_tf: bool = parameter(
        False,
        'Publish the frames of base and links on /tf, where tf2_msgs is installed and no '
        'robot_state_publisher does.',
        read_only=True,
    )


def load_identify_settings(path: str | Path) -> IdentifySettings:
    """Return settings from a YAML file.

    Parameters
    ----------
    path : str or Path
        File with the estimator's parameters as keys, or a parameter file of the nodes, of which
        the estimator's part is taken.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or a key is unknown or has no value it can have.
    """
    known = own_parameters(IdentifySettings)
    values = values_from_file(path, 'estimator', known, own_parameters(EstimatorSettings))
    try:
        return settings_from_mapping(values)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error

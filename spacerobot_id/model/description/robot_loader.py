"""Loading robots: from a URDF file and its YAML file, or from their texts."""

from pathlib import Path

from spacerobot_id.model.description.description import Place
from spacerobot_id.model.description.robot_builder import build_robot
from spacerobot_id.model.description.robot_yaml import read_robot_yaml, RobotSettings
from spacerobot_id.model.description.urdf import read_urdf
from spacerobot_id.model.robot_model import RobotModel


def load_robot(path: str | Path) -> RobotModel:
    """Return the robot of a URDF file and of the YAML file of the same stem, if there is one.

    Parameters
    ----------
    path : str or Path
        URDF file, ``robot.urdf``; wheels, limits and noise are in ``robot.yaml`` beside it.

    Returns
    -------
    RobotModel
        The robot.

    Raises
    ------
    DescriptionError
        If a file cannot be read or makes no robot.

    Warns
    -----
    DescriptionWarning
        If something is wrong that can be lived with.
    """
    path = Path(path)
    description = read_urdf(_read_text(path), str(path))
    yaml_path = path.with_suffix('.yaml')
    if not yaml_path.exists():
        return build_robot(description, RobotSettings())
    return build_robot(description, read_robot_yaml(_read_text(yaml_path), str(yaml_path)))


def robot_from_urdf_string(
    text: str, source: str = 'robot_description', yaml_text: str | None = None
) -> RobotModel:
    """Return the robot of the text of a URDF and that of its YAML file.

    Parameters
    ----------
    text : str
        Text of the URDF.
    source : str
        Name of it in errors and warnings.
    yaml_text : str, optional
        Text of the YAML file.

    Returns
    -------
    RobotModel
        The robot.

    Raises
    ------
    DescriptionError
        If a text makes no robot.

    Warns
    -----
    DescriptionWarning
        If something is wrong that can be lived with.
    """
    description = read_urdf(text, source)
    if yaml_text is None:
        return build_robot(description, RobotSettings())
    return build_robot(description, read_robot_yaml(yaml_text, f'{source} (YAML)'))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding='utf-8')
    except OSError as error:
        raise Place(str(path), 'file').error(f'cannot be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise Place(str(path), 'file').error(f'is no UTF-8 text: {error.reason}') from error

"""Loading robots: from a URDF file and its YAML file, or from their texts."""

from dataclasses import replace
from pathlib import Path

from spacerobot_id.model.description.description import counted_warnings, read_text
from spacerobot_id.model.description.robot_builder import build_robot
from spacerobot_id.model.description.robot_yaml import read_robot_yaml, RobotSettings
from spacerobot_id.model.description.urdf import first_macro, read_urdf
from spacerobot_id.model.description.xml_node import parse_xml
from spacerobot_id.model.robot_model import RobotModel


def load_robot(
    path: str | Path, yaml_path: str | Path | None = None, free_base: str | None = None
) -> RobotModel:
    """Return the robot of a URDF file and of the YAML file of the same stem, if there is one.

    Parameters
    ----------
    path : str or Path
        URDF file, ``robot.urdf``; macros of xacro in it are expanded where that is installed.
    yaml_path : str or Path, optional
        YAML file with wheels, limits and noise; ``robot.yaml`` beside the URDF by default, if
        there is one.
    free_base : str, optional
        Link that is the base, whatever holds it to a world; by default that in the YAML file,
        or the URDF.

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
    text = read_text(path)
    if first_macro(parse_xml(text, str(path))) is not None:  # rare, and not for every node
        from spacerobot_id.model.description.xacro_macros import expand_macros

        text = expand_macros(path)
    beside = path.with_suffix('.yaml')
    if yaml_path is None and beside.exists():
        yaml_path = beside
    yaml_text = None if yaml_path is None else read_text(Path(yaml_path))
    return robot_from_urdf_string(text, str(path), yaml_text, str(yaml_path or ''), free_base)


def robot_from_urdf_string(
    text: str,
    source: str = 'robot_description',
    yaml_text: str | None = None,
    yaml_source: str = '',
    free_base: str | None = None,
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
    yaml_source : str
        Name of that in errors; that of the URDF by default.
    free_base : str, optional
        As of ``load_robot``.

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
    settings = RobotSettings()
    if yaml_text is not None:
        settings = read_robot_yaml(yaml_text, yaml_source or f'{source} (YAML)')
    if free_base is not None:
        settings = replace(settings, free_base=free_base)
    with counted_warnings():
        return build_robot(read_urdf(text, source), settings)

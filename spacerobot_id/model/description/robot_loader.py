"""Loading robots: from a URDF file and its YAML file, from their texts, from a DH table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.description.description import (
    counted_warnings,
    JointDescription,
    LinkDescription,
    Place,
    read_text,
    RobotDescription,
)
from spacerobot_id.model.description.dh_table import described_by
from spacerobot_id.model.description.link_tree import (
    freed,
    link_tree,
    LinkTree,
    resolved_mimics,
    without_idle_joints,
)
from spacerobot_id.model.description.robot_yaml import read_robot_yaml, RobotSettings
from spacerobot_id.model.description.urdf import first_macro, parse_xml, read_urdf, warn_of_units
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Joint, JointType
from spacerobot_id.model.robot_model import Frame, Link, RobotModel
from spacerobot_id.model.wheels import with_wheels
from spacerobot_id.spatial import rotation_aligning_z


def build_robot(description: RobotDescription, settings: RobotSettings) -> RobotModel:
    """Return the robot that a description and its settings make.

    Parameters
    ----------
    description : RobotDescription
        Links and joints as a file gives them.
    settings : RobotSettings
        Free base, wheels, limits and noise.

    Returns
    -------
    RobotModel
        Joints depth first in the order of the file; every link of the file is a frame.

    Raises
    ------
    DescriptionError
        If links and joints form no tree, no link has mass, or a setting names
        something unknown.

    Warns
    -----
    DescriptionWarning
        If a link has parameters that no rigid body can have.
    """
    description = resolved_mimics(freed(description, settings.free_base))
    warn_of_units(description)
    tree = without_idle_joints(description, link_tree(description))
    moving = [joint for joint in tree.joints if joint.type != 'fixed']
    joints, frames = _place_links(tree)
    model = RobotModel(
        description.name,
        _merge_links(description, [tree.root, *(joint.child for joint in moving)], frames),
        joints,
        noise=settings.noise,
        frames=frames,
        actuators=settings.actuators,
        sensors=settings.sensors,
        tolerances=settings.tolerances,
        calibration=settings.calibration,
        thrusters=settings.thrusters,
        disturbances=settings.disturbances,
        collision=[
            shape.carried(frame.link, frame.R_LF, frame.p_LF_L)
            for link in description.links
            for shape in link.collision
            for frame in [frames[link.name]]
        ],
    )
    model = _with_limits(with_wheels(model, settings, description), settings)
    _warn_of_massless_links(model, description)
    _warn_of_excluded_limits(model, description)
    _check_equipment(model, settings)
    return model


def _place_links(tree: LinkTree) -> tuple[list[Joint], dict[str, Frame]]:
    """Return the joints that move, and where every link of the file is fixed to."""
    joints: list[Joint] = []
    frames = {tree.root: Frame(0, np.eye(3), np.zeros(3))}
    for joint in tree.joints:
        parent = frames[joint.parent]
        placed = Frame(
            parent.link,
            parent.R_LF @ joint.R_PC,
            parent.p_LF_L + parent.R_LF @ joint.p_PC_P,
        )
        if joint.type != 'fixed':
            R_UL = rotation_aligning_z(joint.axis)
            joints.append(_moving_joint(joint, placed, R_UL))
            placed = Frame(len(joints), R_UL.T, np.zeros(3))
        frames[joint.child] = placed
    return joints, frames


def _moving_joint(joint: JointDescription, placed: Frame, R_UL: NDArray[np.float64]) -> Joint:
    kind = JointType.PRISMATIC if joint.type == 'prismatic' else JointType.REVOLUTE
    return Joint(
        joint.name, kind, placed.link, placed.R_LF @ R_UL, placed.p_LF_L, joint.limits, joint.mimic
    )


def _merge_links(
    description: RobotDescription, names: Sequence[str], frames: Mapping[str, Frame]
) -> list[Link]:
    """Return the links that move, each with the mass of all that is fixed to it."""
    links = []
    for index, name in enumerate(names):
        members = [link for link in description.links if frames[link.name].link == index]
        bodies = [
            link.inertial.expressed_in(frames[link.name].R_LF, frames[link.name].p_LF_L)
            for link in members
            if link.inertial is not None
        ]
        merged = sum(bodies, start=InertialParameters.zero())
        own = next(link.inertial for link in members if link.name == name)
        # A root without inertial above the true base is common: some readers want it so.
        if own is None and merged.mass and index:
            description.link_place(name).warn(
                'it moves without <inertial>; its mass is that of what is fixed to it'
            )
        _check_physical(description, name, members, merged)
        links.append(Link(name, merged, frames[name].R_LF.T))
    return links


def _check_physical(
    description: RobotDescription,
    name: str,
    members: Sequence[LinkDescription],
    merged: InertialParameters,
) -> None:
    """Warn of each link whose parameters no rigid body has, point masses on others excepted."""
    faulty = False
    if merged.mass == 0.0:
        return
    for link in members:
        body = link.inertial
        is_point = body is not None and not body.inertia_about_com.any()
        if body is None or body.mass == 0.0 or (is_point and len(members) > 1):
            continue
        for reason in body.defects():
            description.link_place(link.name).warn(reason)
            faulty = True
    if not faulty:
        for reason in merged.defects():
            description.link_place(name).warn(f'with what is fixed to it, {reason}')


def _with_limits(model: RobotModel, settings: RobotSettings) -> RobotModel:
    """Return the robot with the limits of the settings in place of those of the description."""
    names = [joint.name for joint in model.tree_joints]
    for name in settings.joint_limits:
        if name not in names:
            kind = 'is a wheel, not a' if name in model.wheel_names else 'is an unknown'
            raise Place(settings.source, f'joint_limits.{name}').error(f'{name!r} {kind} joint')
    joints = []
    for joint in model.tree_joints:
        limits = replace(joint.limits, **settings.joint_limits.get(joint.name, {}))
        if limits.lower > limits.upper and joint.name in settings.joint_limits:
            raise Place(settings.source, f'joint_limits.{joint.name}').error(
                f'the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}'
            )
        joints.append(replace(joint, limits=limits))
    return replace(model, tree_joints=joints)


def _check_equipment(model: RobotModel, settings: RobotSettings) -> None:
    """Refuse friction, encoders and valves of what is unknown, and an IMU not on the base."""
    named = [f'actuators.friction.{name}' for name in settings.actuators.friction]
    named += [f'sensors.encoder_offset.{name}' for name in settings.sensors.encoder_offset]
    for key in named:
        name = key.split('.', 2)[2]
        if name not in model.joint_names:
            raise Place(settings.source, key).error(f'{name!r} is an unknown joint, or a wheel')
    thrusters = [each.name for each in model.thrusters]
    for kind in ('strength', 'direction'):
        for name in getattr(settings.actuators.valves, kind):
            if name not in thrusters:
                place = Place(settings.source, f'actuators.valves.{kind}.{name}')
                raise place.error(f'{name!r} is an unknown thruster')
    frame = settings.sensors.imu_frame
    if frame is not None and (frame not in model.frames or model.frames[frame].link != 0):
        place = Place(settings.source, 'sensors.imu_frame')
        raise place.error(f'{frame!r} is no link that is fixed to the base')


def _warn_of_excluded_limits(model: RobotModel, description: RobotDescription) -> None:
    """Warn of followers whose limits leave their leaders no positions: they do not count."""
    limits = {joint.name: joint.limits for joint in model.tree_joints}
    for joint in model.tree_joints:
        mimic = joint.mimic
        if mimic and limits[mimic.joint].excludes(joint.limits.of_leader(mimic)):
            description.joint_place(joint.name).warn(
                f'its limits leave no position to {mimic.joint!r}, which it mimics; those of '
                f'{mimic.joint!r} count'
            )


def _warn_of_massless_links(model: RobotModel, description: RobotDescription) -> None:
    """Warn of links that move, have no mass, and move others that have."""
    for link in model.links[1:]:
        if not link.inertial.vector.any():
            description.link_place(link.name).warn(
                'it moves and has no mass; to a prior that is a thousandth of the robot at most'
            )


def expand_macros(path: Path) -> str:
    """Return the text of a file with its macros expanded.

    Parameters
    ----------
    path : Path
        File in which macros may include other files.

    Raises
    ------
    DescriptionError
        If xacro is not installed, or cannot expand them; gives its reason.
    """
    place = Place(str(path), 'xacro')
    try:
        import xacro
    except ImportError:
        raise place.error(
            'its macros cannot be expanded without the Python module xacro: pip install xacro, or '
            'the package ros-$ROS_DISTRO-xacro'
        ) from None
    try:
        return str(xacro.process_file(str(path)).toxml())
    except Exception as error:  # whatever an expression of the file raises
        raise place.error(f'its macros cannot be expanded: {_sentence(error)}') from error


def _sentence(error: BaseException) -> str:
    """Return an error in one line; those of missing packages have nothing but a name."""
    text = ' '.join(str(error).split())
    if type(error).__name__ == 'PackageNotFoundError':
        return f'the package {text} is not found'
    return text or type(error).__name__


def load_robot(
    path: str | Path, yaml_path: str | Path | None = None, free_base: str | None = None
) -> RobotModel:
    """Return the robot of a URDF file and of the YAML file of the same stem, if there is one.

    Parameters
    ----------
    path : str or Path
        URDF file, ``robot.urdf``; macros of xacro in it are expanded where that is installed. Or
        a YAML file with a table of Denavit-Hartenberg parameters under ``dh``.
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
    if is_yaml(path):
        if yaml_path is not None:
            reason = f'the settings of a robot without a URDF stand in its own file, {path}'
            raise Place(str(yaml_path), 'file').error(reason)
        return robot_from_yaml_string(text, str(path), free_base)
    if first_macro(parse_xml(text, str(path))) is not None:  # rare, and not for every node
        text = expand_macros(path)
    beside = path.with_suffix('.yaml')
    if yaml_path is None and beside.exists():
        yaml_path = beside
    yaml_text = None if yaml_path is None else read_text(Path(yaml_path))
    return robot_from_urdf_string(text, str(path), yaml_text, str(yaml_path or ''), free_base)


def is_yaml(path: str | Path) -> bool:
    """Return whether a robot's file is YAML, by its name."""
    return Path(path).suffix in ('.yaml', '.yml')


def robot_from_yaml_string(text: str, source: str, free_base: str | None = None) -> RobotModel:
    """Return the robot of a YAML text with a table of Denavit-Hartenberg parameters.

    Parameters
    ----------
    text : str
        Text of the YAML file.
    source : str
        Name of it in errors and warnings.
    free_base : str, optional
        As of ``load_robot``.

    Raises
    ------
    DescriptionError
        If the text makes no robot.

    Warns
    -----
    DescriptionWarning
        If something is wrong that can be lived with.
    """
    settings = read_robot_yaml(text, source)
    if settings.dh is None:
        raise Place(source, 'dh').error(
            'a YAML file that is a robot has its table here; the YAML file beside a URDF is found '
            'by the name of the URDF'
        )
    with counted_warnings():
        return build_robot(described_by(settings.dh, source), _freed(settings, free_base))


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
        if settings.dh is not None:
            raise Place(settings.source, 'dh').error(
                f'{source} describes links and joints already'
            )
    with counted_warnings():
        return build_robot(read_urdf(text, source), _freed(settings, free_base))


def _freed(settings: RobotSettings, free_base: str | None) -> RobotSettings:
    """Return settings with the base that is given, if one is."""
    return settings if free_base is None else replace(settings, free_base=free_base)

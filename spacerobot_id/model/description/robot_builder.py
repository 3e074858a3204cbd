"""From the files to the robot: fixed joints merged, joint axes turned to z, wheels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.description.description import (
    JointDescription,
    LinkDescription,
    Place,
    RobotDescription,
)
from spacerobot_id.model.description.free_base import freed
from spacerobot_id.model.description.link_tree import link_tree, LinkTree, without_idle_joints
from spacerobot_id.model.description.mimic_joints import resolved_mimics
from spacerobot_id.model.description.robot_yaml import RobotSettings
from spacerobot_id.model.description.units import warn_of_units
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

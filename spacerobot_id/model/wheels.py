"""Reaction wheels as gyrostats: all of one but its spin belongs to the link that carries it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.description.description import Place, RobotDescription
from spacerobot_id.model.description.robot_yaml import JointWheel, OwnWheel, RobotSettings
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Joint, JointType
from spacerobot_id.model.robot_model import Frame, ReactionWheel, RobotModel, Rotor

_SYMMETRY_TOLERANCE = 1e-4
"""How far from symmetric, relatively, a wheel may be: the digits people write in a URDF."""


def with_wheels(
    model: RobotModel, settings: RobotSettings, description: RobotDescription
) -> RobotModel:
    """Return a robot with the wheels that its settings name.

    Parameters
    ----------
    model : RobotModel
        Robot whose wheels are joints still.
    settings : RobotSettings
        Wheels: joints of the robot, or entries of their own.
    description : RobotDescription
        Where the joints come from, to be named in warnings.

    Returns
    -------
    RobotModel
        Robot with wheels, in the order of the settings; those joints are joints no more.
    """
    names = [wheel.name for wheel in settings.wheels]
    for index, wheel in enumerate(settings.wheels):
        place = Place(settings.source, f'wheels[{index}]')
        if wheel.name in names[:index]:
            raise place.error(f'two wheels are named {wheel.name!r}')
        if isinstance(wheel, JointWheel):
            model = _lump_wheel(model, wheel, place, description)
        else:
            model = _add_wheel(model, wheel, place)
    return model


def with_rotors(model: RobotModel) -> RobotModel:
    """Return a robot whose wheels that were joints of a URDF are joints again, after the others.

    A wheel whose carrier would be left without mass stays a wheel.

    Parameters
    ----------
    model : RobotModel
        Robot with wheels; spin inertias may have changed since, and rotors change with them.
    """
    for wheel in model.wheels:
        if wheel.rotor is not None:
            model = _with_rotor(model, wheel, wheel.rotor)
    return model


def _with_rotor(model: RobotModel, wheel: ReactionWheel, rotor: Rotor) -> RobotModel:
    share = wheel.spin_inertia / rotor.link.inertial.inertia[2, 2]
    body = InertialParameters.from_vector(share * rotor.link.inertial.vector)
    carried = body.expressed_in(rotor.R_CR, rotor.p_CR_C)
    links = list(model.links)
    carrier = links[wheel.link]
    if not carrier.inertial.mass > carried.mass:
        return model
    left = InertialParameters.from_vector(carrier.inertial.vector - carried.vector)
    links[wheel.link] = replace(carrier, inertial=left)
    joint = Joint(
        wheel.name, JointType.REVOLUTE, wheel.link, rotor.R_CR, rotor.p_CR_C, rotor.limits
    )
    return replace(
        model,
        links=[*links, replace(rotor.link, inertial=body)],
        tree_joints=[*model.tree_joints, joint],
        wheels=[each for each in model.wheels if each is not wheel],
    )


def _add_wheel(model: RobotModel, wheel: OwnWheel, place: Place) -> RobotModel:
    """Return the robot with a wheel that is nothing but its spin."""
    if wheel.name in [joint.name for joint in model.tree_joints]:
        raise place.error(f'{wheel.name!r} is a joint: name it under the key joint')
    carrier = model.links[0].name if wheel.link is None else wheel.link
    if carrier not in model.frames:
        raise place.error(f'link {carrier!r} is unknown')
    frame = model.frames[carrier]
    axis = frame.R_LF @ wheel.axis / np.linalg.norm(wheel.axis)
    added = _reaction_wheel(wheel, frame.link, axis, wheel.spin_inertia, np.inf, np.inf)
    return replace(model, wheels=(*model.wheels, added))


def _lump_wheel(
    model: RobotModel, wheel: JointWheel, place: Place, description: RobotDescription
) -> RobotModel:
    """Return the robot with one of its joints turned into a wheel."""
    index = _wheel_joint(model, wheel.name, place)
    joint, child = model.tree_joints[index], index + 1
    body = model.links[child].inertial
    _warn_of_asymmetry(body, description.link_place(model.links[child].name))
    carrier = model.links[joint.parent]
    links = list(model.links)
    links[joint.parent] = replace(
        carrier, inertial=carrier.inertial + body.expressed_in(joint.R_PC, joint.p_PC_P)
    )
    added = _reaction_wheel(
        wheel,
        joint.parent,
        joint.R_PC[:, 2],
        body.inertia[2, 2],
        joint.limits.velocity,
        joint.limits.effort,
        Rotor(model.links[child], joint.R_PC, joint.p_PC_P, joint.limits),
    )
    grown = replace(model, links=links, wheels=(*model.wheels, added))
    return _without_leaf(grown, child, joint)


def _wheel_joint(model: RobotModel, name: str, place: Place) -> int:
    """Return the number of the joint that is a wheel."""
    names = [joint.name for joint in model.tree_joints]
    if name not in names:
        raise place.error(f'joint {name!r} is unknown, or does not move')
    if name not in model.joint_names or name in [
        joint.mimic.joint for joint in model.tree_joints if joint.mimic
    ]:
        raise place.error(f'joint {name!r} follows another one, or is followed, and is no wheel')
    index = names.index(name)
    limits = model.tree_joints[index].limits
    is_bounded = np.isfinite(limits.lower) or np.isfinite(limits.upper)
    if model.tree_joints[index].type is not JointType.REVOLUTE or is_bounded:
        raise place.error(f'joint {name!r} must be continuous to be a wheel')
    if any(joint.parent == index + 1 for joint in model.tree_joints):
        raise place.error(f'joint {name!r} carries other joints and cannot be a wheel')
    return index


def _warn_of_asymmetry(body: InertialParameters, place: Place) -> None:
    """Warn of a wheel whose mass is not the same at every angle."""
    (xx, xy, xz), (_, yy, yz), (_, _, spin) = body.inertia
    offset = np.hypot(*body.com[:2])
    uneven = max(abs(xx - yy), abs(xy), abs(xz), abs(yz))
    if offset > _SYMMETRY_TOLERANCE * np.sqrt(abs(spin) / body.mass):
        place.warn(
            f'its centre of mass is {offset:g} m off its spin axis: adding its mass to the link '
            'that carries it is approximate'
        )
    elif uneven > _SYMMETRY_TOLERANCE * abs(spin):
        place.warn(
            f'its inertia is not symmetric about its spin axis (by {uneven:g} kg m^2): adding it '
            'to the link that carries it is approximate'
        )


def _without_leaf(model: RobotModel, leaf: int, joint: Joint) -> RobotModel:
    """Return the robot without a link, whose frames go to the link that carried it."""

    def renumbered(link: int) -> int:
        return link - 1 if link > leaf else link

    def moved(frame: Frame) -> Frame:
        if frame.link != leaf:
            return replace(frame, link=renumbered(frame.link))
        return Frame(
            joint.parent, joint.R_PC @ frame.R_LF, joint.p_PC_P + joint.R_PC @ frame.p_LF_L
        )

    others = [each for each in model.tree_joints if each is not joint]
    return replace(
        model,
        links=[link for index, link in enumerate(model.links) if index != leaf],
        tree_joints=[replace(each, parent=renumbered(each.parent)) for each in others],
        wheels=[replace(wheel, link=renumbered(wheel.link)) for wheel in model.wheels],
        frames={name: moved(frame) for name, frame in model.frames.items()},
        collision=[
            shape.carried(joint.parent, joint.R_PC, joint.p_PC_P)
            if shape.link == leaf
            else replace(shape, link=renumbered(shape.link))
            for shape in model.collision
        ],
    )


def _reaction_wheel(
    wheel: JointWheel | OwnWheel,
    link: int,
    axis: NDArray[np.float64],
    spin_inertia: float,
    joint_rate: float,
    joint_torque: float,
    rotor: Rotor | None = None,
) -> ReactionWheel:
    """Return a wheel; the limits of its joint stand where the settings have none."""
    return ReactionWheel(
        wheel.name,
        link,
        axis,
        float(spin_inertia),
        joint_rate if wheel.max_rate is None else wheel.max_rate,
        np.inf if wheel.max_momentum is None else wheel.max_momentum,
        joint_torque if wheel.max_torque is None else wheel.max_torque,
        rotor,
    )

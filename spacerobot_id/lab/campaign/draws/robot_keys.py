"""Links, wheels and joints of a robot by their keys: read, and set."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.draws.distributions import body_values, link_with
from spacerobot_id.lab.campaign.draws.key_names import AXES, vector_values
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.model import RobotModel

_XY = tuple(enumerate('xy'))


def tree_values(
    robot: RobotModel, described: RobotModel, wanted: Collection[str] | None
) -> dict[str, float]:
    """Return the values of links, wheels and joints."""
    values: dict[str, float] = {}
    for link, before in zip(robot.links, described.links, strict=True):
        prefix = f'links.{link.name}.'
        if wanted is None or any(name.startswith(prefix) for name in wanted):
            of_link = body_values(link, before)
            values |= {f'{prefix}{key}': value for key, value in of_link.items()}
    for wheel, before in zip(robot.wheels, described.wheels, strict=True):
        tilt = _tilt_of(before.axis, wheel.axis)
        values[f'wheels.{wheel.name}.spin_inertia'] = wheel.spin_inertia
        values |= {f'wheels.{wheel.name}.tilt.{k + 1}': float(tilt[k]) for k in range(2)}
    for joint, before in zip(robot.tree_joints, described.tree_joints, strict=True):
        turned = Rotation.from_matrix(before.R_PC.T @ joint.R_PC).as_rotvec()
        values |= vector_values(f'joints.{joint.name}.origin', joint.p_PC_P)
        values |= {f'joints.{joint.name}.tilt.{axis}': float(turned[k]) for k, axis in _XY}
    return values


def with_links(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with links that are drawn.

    Raises
    ------
    ConfigurationError
        If there can be no such robot; names the key.
    """
    of_links = of_names(values, robot.link_names)
    links = []
    for link in robot.links:
        try:
            links.append(link_with(link, of_links[link.name]) if link.name in of_links else link)
        except ValueError as error:
            raise ConfigurationError(f'drawn: links.{link.name}: {error}') from None
    return replace(robot, links=links) if of_links else robot


def with_wheels(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with wheels that are drawn.

    Raises
    ------
    ConfigurationError
        If there can be no such robot; names the key.
    """
    of_wheels = of_names(values, robot.wheel_names)
    wheels = []
    for wheel in robot.wheels:
        given = of_wheels.get(wheel.name, {})
        spin = given.get('spin_inertia', wheel.spin_inertia)
        if spin <= 0.0:
            raise ConfigurationError(
                f'drawn: wheels.{wheel.name}.spin_inertia: must be above zero, got {spin:g}'
            )
        tilt = np.array([given.get('tilt.1', 0.0), given.get('tilt.2', 0.0)])
        turn = Rotation.from_rotvec(tilt @ _across(wheel.axis))
        wheels.append(replace(wheel, spin_inertia=spin, axis=turn.apply(wheel.axis)))
    return replace(robot, wheels=wheels) if of_wheels else robot


def with_joints(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with joints whose places and axes are drawn."""
    of_joints = of_names(values, [joint.name for joint in robot.tree_joints])
    if not of_joints:
        return robot
    tilts, moves = [], []
    for joint in robot.tree_joints:
        given = of_joints.get(joint.name, {})
        tilts += [given.get(f'tilt.{axis}', 0.0) for axis in 'xy']
        moves += [
            given.get(f'origin.{axis}', joint.p_PC_P[k]) - joint.p_PC_P[k]
            for k, axis in enumerate(AXES)
        ]
    robot = JointOrigin(0.0).robot(robot, np.array(moves))
    return JointAxis(0.0).robot(robot, np.array(tilts))


def of_names(values: Mapping[str, float], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return values by name and by what follows it; names may have dots."""
    found: dict[str, dict[str, float]] = {}
    for key, value in values.items():
        name = max((each for each in names if key.startswith(f'{each}.')), key=len)
        found.setdefault(name, {})[key[len(name) + 1 :]] = value
    return found


def _across(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two unit vectors across an axis, shape (2, 3)."""
    return np.linalg.svd(axis[None])[2][1:]


def _tilt_of(before: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tilt that carries one axis to another, about the two axes across it, rad."""
    about = np.cross(before, axis)
    sine = np.linalg.norm(about)
    angle = np.arctan2(sine, before @ axis)
    return _across(before) @ (about * (angle / sine if sine else 1.0))

"""Start, grasp and faults of a run by their keys: read, and set."""

from collections.abc import Mapping
from dataclasses import replace

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.key_names import vector_values, vector_with
from spacerobot_id.lab.campaign.draws.robot_keys import of_names
from spacerobot_id.lab.campaign.draws.setting import RunSetting, Start
from spacerobot_id.lab.faults import Occurrence
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.simulation import Payload


def start_values(start: Start, robot: RobotModel) -> dict[str, float]:
    """Return joint positions, momenta and attitude."""
    values = {
        f'start.joints.{name}': float(value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    }
    for key in ('angular_momentum', 'linear_momentum', 'attitude'):
        values |= vector_values(f'start.{key}', getattr(start, key))
    return values


def with_start(start: Start, robot: RobotModel, values: Mapping[str, float]) -> Start:
    """Return a start with what is drawn of it."""
    joints = tuple(
        values.get(f'joints.{name}', value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    )
    vectors = {
        key: vector_with(getattr(start, key), key, values)
        for key in ('angular_momentum', 'linear_momentum', 'attitude')
    }
    return Start(joints, **vectors)


def grasp_values(setting: RunSetting) -> dict[str, float]:
    """Return when a body is grasped, its mass and its centre of mass; nothing without one."""
    if setting.grasp is None:
        return {}
    body = setting.grasp.payload.body
    values = {'grasp.time': setting.grasp.time, 'grasp.mass': body.mass}
    return values | vector_values('grasp.com', body.com)


def with_grasp(nominal: RunSetting, values: Mapping[str, float]) -> Grasp | None:
    """Return the grasp with what is drawn of it.

    Raises
    ------
    ConfigurationError
        If its mass is not above zero.
    """
    grasp = nominal.grasp
    if grasp is None or not values:
        return grasp
    body = grasp.payload.body
    mass = values.get('mass', body.mass)
    com = vector_with(tuple(body.com), 'com', values)
    if mass <= 0.0:
        raise ConfigurationError(f'drawn: grasp.mass: must be above zero, got {mass:g}')
    body = InertialParameters.from_com(mass, com, body.inertia_about_com * (mass / body.mass))
    payload = Payload(grasp.payload.link, body)
    return replace(grasp, payload=payload, time=values.get('time', grasp.time))


def fault_values(faults: Mapping[str, Occurrence]) -> dict[str, float]:
    """Return when faults happen, to which share of messages, and their sizes if these show."""
    values = {}
    for name, each in faults.items():
        size = each.fault.size
        sized = ('size',) if size is not None and size.read is not None else ()
        for key in ('begin', 'duration', 'share', *sized):
            values[f'faults.{name}.{key}'] = getattr(each, key)
    return values


def with_faults(nominal: RunSetting, values: Mapping[str, float]) -> dict[str, Occurrence]:
    """Return the faults with what is drawn of them.

    Raises
    ------
    ConfigurationError
        If a share is no share.
    """
    of_faults = of_names(values, list(nominal.faults))
    for name, given in of_faults.items():
        if not 0.0 <= given.get('share', 0.0) <= 1.0:
            raise ConfigurationError(
                f'drawn: faults.{name}.share: must be 0 to 1, got {given["share"]:g}'
            )
    return {
        name: replace(fault, **of_faults.get(name, {})) for name, fault in nominal.faults.items()
    }

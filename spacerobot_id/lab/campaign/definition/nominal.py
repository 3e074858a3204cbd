"""What a campaign flies if nothing is drawn: start, grasp and faults of its file."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.setting import RunSetting, Start, Vector
from spacerobot_id.lab.faults import BY_KEY, HELD, Occurrence, SENSORS
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.description.yaml_node import YamlNode
from spacerobot_id.simulation import Payload
from spacerobot_id.simulation.dynamic.payload import with_body


def nominal_run(entries: Mapping[str, YamlNode], robot: RobotModel) -> RunSetting:
    """Return what is flown if nothing is drawn."""
    start = Start((0.0,) * len(robot.joints))
    if 'start' in entries:
        start = _start(entries['start'], robot, start)
    grasp = _grasp(entries['grasp'], robot) if 'grasp' in entries else None
    faults = entries['faults'].mapping() if 'faults' in entries else {}
    return RunSetting(robot, start, grasp, {key: _fault(each) for key, each in faults.items()})


def _start(node: YamlNode, robot: RobotModel, start: Start) -> Start:
    entries = node.mapping(('joints', 'angular_momentum', 'linear_momentum', 'attitude'))
    if 'joints' in entries:
        given = entries['joints'].mapping(robot.joint_names)
        joints = tuple(
            given[name].finite() if name in given else 0.0 for name in robot.joint_names
        )
        start = replace(start, joints=joints)
    vectors = {key: _vector(each) for key, each in entries.items() if key != 'joints'}
    return replace(start, **vectors)


def _vector(node: YamlNode) -> Vector:
    return tuple(node.vector().tolist())


def _grasp(node: YamlNode, robot: RobotModel) -> Grasp:
    entries = node.mapping(('link', 'time', 'mass', 'com', 'inertia'))
    link = node.require('link').string()
    if link not in robot.frames:
        raise entries['link'].place.error(f'link {link!r} is unknown')
    numbers = [each.finite() for each in node.require('inertia').sequence()]
    if len(numbers) != 6:
        raise entries['inertia'].place.error('must be six numbers: Ixx, Iyy, Izz, Ixy, Iyz, Izx')
    xx, yy, zz, xy, yz, zx = numbers
    tensor = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    com = entries['com'].vector() if 'com' in entries else np.zeros(3)
    body = InertialParameters.from_com(node.require('mass').positive(), com, tensor)
    if not body.is_physical():
        raise entries['inertia'].place.error('; '.join(body.defects()))
    payload = Payload(link, body)
    with_body(robot, payload)
    return Grasp(payload, node.require('time').positive())


def _fault(node: YamlNode) -> Occurrence:
    entries = node.mapping(('fault', 'stream', 'begin', 'duration', 'share', 'size'))
    key = node.require('fault').string()
    if key not in BY_KEY:
        raise entries['fault'].place.error(f'must be one of {", ".join(BY_KEY)}, got {key!r}')
    fault = BY_KEY[key]
    numbers = ('begin', 'duration', 'share', 'size')
    given = {name: entries[name].number() for name in numbers if name in entries}
    found = Occurrence(fault, **({'begin': 0.0} | given))
    if 'stream' in entries:
        stream, known = entries['stream'].string(), SENSORS | HELD
        if stream not in known:
            names = ', '.join(known)
            raise entries['stream'].place.error(f'must be one of {names}, got {stream!r}')
        if known[stream] not in found.kinds:
            raise entries['stream'].place.error(f'{key} cannot happen to {stream}')
        found = replace(found, stream=stream)
    if fault.size is None and 'size' in entries:
        raise entries['size'].place.error(f'{key} has none')
    if fault.size is not None:
        node.require('size')
    if not 0.0 <= found.share <= 1.0:
        raise entries['share'].place.error('must be 0 to 1')
    return found

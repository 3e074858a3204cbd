"""What a campaign flies if nothing is drawn: start, grasp and faults of its file."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Len
import numpy as np

from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.setting import RunSetting, Start
from spacerobot_id.lab.faults import BY_KEY, HELD, Occurrence, SENSORS
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.settings.kinds import (
    Finite,
    KeyedError,
    keys,
    Number,
    Positive,
    ReadFrom,
    Share,
    Vector,
)
from spacerobot_id.simulation import Payload
from spacerobot_id.simulation.dynamic.payload import with_body

START = keys(
    '',
    {
        'joints': (Mapping[str, Finite], 'Positions by name, rad or m.'),
        'angular_momentum': (Vector, 'About the centre of mass in inertial axes, N m s.'),
        'linear_momentum': (Vector, 'In inertial axes, N s.'),
        'attitude': (Vector, 'Rotation vector, rad.'),
    },
)
"""Where a run starts."""

GRASP = keys(
    '',
    {
        'link': (str, 'Link that takes hold of the body.'),
        'time': (Positive, 'After the motion begins, s.'),
        'mass': (Positive, 'Mass, kg.'),
        'com': (Vector, 'Centre of mass in the frame of the link, m.'),
        'inertia': (
            Annotated[tuple[Finite, ...], Len(6, 6)],
            'Ixx, Iyy, Izz, Ixy, Iyz, Izx about it, kg m^2.',
        ),
    },
    *('link', 'time', 'mass', 'inertia'),
)
"""A body that joins the robot."""


def _fault(given: Mapping[str, Any]) -> Occurrence:
    fault = BY_KEY[given['fault']]
    if fault.size is None and 'size' in given:
        raise KeyedError(('size',), f'{fault.key} has none')
    if fault.size is not None and 'size' not in given:
        raise KeyedError(('size',), 'it is missing')
    stream = given.get('stream', '')
    if stream and (SENSORS | HELD)[stream] not in Occurrence(fault).kinds:
        raise KeyedError(('stream',), f'{fault.key} cannot happen to {stream}')
    return Occurrence(**({'begin': 0.0} | given | {'fault': fault}))


_FAULT_KEYS = {
    'fault': (Literal[tuple(BY_KEY)], 'What happens.'),
    'stream': (Literal[tuple(SENSORS | HELD)], 'Topic that alone is hit.'),
    'begin': (Number, 'After the motion begins, s.'),
    'duration': (Number, 'How long, s.'),
    'share': (Share, 'Share of the messages that are hit.'),
    'size': (Number, 'How large it is.'),
}
FAULT = Annotated[Occurrence, ReadFrom(keys('', _FAULT_KEYS, 'fault'), _fault)]
"""A fault of messages."""


def nominal_run(given: Mapping[str, Any], robot: RobotModel) -> RunSetting:
    """Return what is flown if nothing is drawn, from the keys of a campaign file."""
    vectors = dict(given.get('start', {}))
    joints = vectors.pop('joints', {})
    for name in joints:
        if name not in robot.joint_names:
            known = ', '.join(robot.joint_names)
            raise KeyedError(('start', 'joints', name), f'unknown key; known are {known}')
    start = Start(tuple(joints.get(name, 0.0) for name in robot.joint_names), **vectors)
    grasp = _grasp(given['grasp'], robot) if 'grasp' in given else None
    return RunSetting(robot, start, grasp, given.get('faults', {}))


def _grasp(given: Mapping[str, Any], robot: RobotModel) -> Grasp:
    if given['link'] not in robot.frames:
        raise KeyedError(('grasp', 'link'), f'link {given["link"]!r} is unknown')
    xx, yy, zz, xy, yz, zx = given['inertia']
    tensor = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    com = np.array(given.get('com', (0.0, 0.0, 0.0)))
    body = InertialParameters.from_com(given['mass'], com, tensor)
    if not body.is_physical():
        raise KeyedError(('grasp', 'inertia'), '; '.join(body.defects()))
    payload = Payload(given['link'], body)
    with_body(robot, payload)
    return Grasp(payload, given['time'])

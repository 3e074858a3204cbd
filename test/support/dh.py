"""The tables of [Naveen 2024] and [Christidi 2017] as robots."""

from collections.abc import Mapping
import json

import yaml

from spacerobot_id.model import robot_from_yaml_string, RobotModel


def robot_from_dh(table: Mapping[str, object], parameters: str = 'parameters_true') -> RobotModel:
    """Return the robot of a paper's table of joints with one of its sets of parameters.

    Parameters
    ----------
    table : mapping
        ``joints``, a list of mappings with ``name``, ``parent``, ``child``, ``alpha_deg`` and
        ``b`` (origin of the child in the parent's frame, m), whose frames are turned by
        ``Rx(alpha) Rz(q)`` ([Naveen 2024] Eq. 43), and sets of parameters by name of the link.
    parameters : str
        Which set of inertial parameters.
    """
    joints, bodies = table['joints'], {}
    for name, body in table[parameters].items():
        inertia = {key: value for key, value in body.items() if key not in ('mass', 'com')}
        bodies[name] = {'mass': body['mass'], 'com': body['com'], 'inertia': inertia, 'link': name}
    (base,) = bodies.keys() - {joint['child'] for joint in joints}
    rows = [
        bodies[joint['child']]
        | {'name': joint['name'], 'parent': joint['parent']}
        | {'xyz': joint['b'], 'alpha': joint['alpha_deg']}
        for joint in joints
    ]
    name = str(table.get('name', 'table'))
    content = {'name': name, 'angles': 'degrees', 'base': bodies[base], 'joints': rows}
    plain = json.loads(json.dumps({'dh': content}))  # no numbers of numpy, which YAML refuses
    return robot_from_yaml_string(yaml.safe_dump(plain), name)

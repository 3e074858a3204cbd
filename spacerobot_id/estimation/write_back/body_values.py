"""The values of an estimate that can be written, by the names that outputs call them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.write_back.output import Output, Subject
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.assignment import Value
from spacerobot_id.model import InertialParameters, RobotModel

_ELEMENTS = {'xx': (0, 0), 'xy': (0, 1), 'xz': (0, 2), 'yy': (1, 1), 'yz': (1, 2), 'zz': (2, 2)}
"""Elements of a tensor by name, signs as they stand in the matrix."""

TENSORS = ('inertia', 'inertia_about_origin')
"""The inertia about the centre of mass, and about the origin of the frame, kg m^2."""

NAMES = (
    'mass',
    *('com', 'com.x', 'com.y', 'com.z'),
    *(name + end for name in TENSORS for end in ('', *(f'.{each}' for each in _ELEMENTS))),
    *('frame', 'stamp'),
)
"""Names of all values; an array is row by row, the stamp is that of the last sample, s."""


def body_values(result: Result, output: Output, stamp: float) -> Mapping[str, Value]:
    """Return the values of an estimate, in the axes that an output wants.

    Those that do not show with the method are left out.

    Parameters
    ----------
    result : Result
        A usable result.
    output : Output
        Whose values, and in which axes.
    stamp : float
        Time of the last sample, s.

    Raises
    ------
    ConfigurationError
        If the result has no such link that can exist.
    """
    R = output.axes.body.T
    subject, model = output.subject, result.method.model
    frame = subject.link or model.links[0].name
    values: dict[str, Value] = {'frame': frame, 'stamp': float(stamp)}
    body = _load(result, subject) if subject.link else result.robot
    if body is None:
        return values | _tensor('inertia', result.inertia, R)
    com = (R @ body.com).tolist()
    values |= {'mass': float(body.mass), 'com': com}
    values |= {f'com.{axis}': each for axis, each in zip('xyz', com, strict=True)}
    values |= _tensor('inertia', body.inertia_about_com, R)
    return values | _tensor('inertia_about_origin', body.inertia, R)


def _load(result: Result, subject: Subject) -> InertialParameters:
    """Return the parameters of a link in its frame of the URDF, or what it has to the prior."""
    links, name = result.links, subject.link
    if links is None:
        raise ConfigurationError(f'{result.method.name} finds no links, and so no {name}')
    if links.contradicts_data:
        raise ConfigurationError('no links that can exist fit the data')
    found = _in_its_frame(links.model, name)
    if not subject.less_prior:
        return found
    prior = _in_its_frame(result.method.model, name)
    load = InertialParameters.from_vector(found.vector - prior.vector)
    if load.defects():
        raise ConfigurationError(
            f'{name} carries nothing beside what its description has that can exist: '
            f'{load.defects()[0]}'
        )
    return load


def _in_its_frame(model: RobotModel, name: str) -> InertialParameters:
    link = model.links[model.link_names.index(name)]
    return link.inertial.expressed_in(link.R_UL, np.zeros(3))


def _tensor(
    name: str, tensor: NDArray[np.float64] | None, R: NDArray[np.float64]
) -> dict[str, Value]:
    """Return a tensor and its elements, in other axes."""
    if tensor is None:
        return {}
    turned = R @ tensor @ R.T
    elements = {f'{name}.{end}': float(turned[at]) for end, at in _ELEMENTS.items()}
    return {name: turned.ravel().tolist()} | elements

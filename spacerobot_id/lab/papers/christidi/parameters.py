"""The 19 parameters of [Christidi 2017] Appendix B: ours by other names."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import reduced_parameters, ReducedParameters

_PUBLISHED_ORDER = (
    'base.Ixx',
    'base.Ixy',
    'base.Izx',
    'base.Iyy',
    'base.Iyz',
    'base.Izz',
    'link_1.Ixx-Iyy',
    'link_1.Izz',
    'link_2.Ixx-Iyy',
    'link_2.Izz',
    'link_3.Ixx-Iyy',
    'link_3.Izz',
    'base.my:link_2.mx',
    'base.mz:link_2.mx',
    'base.mx:link_2.mx',
    'base.my:link_3.mx',
    'base.mz:link_3.mx',
    'base.mx:link_3.mx',
    'link_2.mx:link_3.mx',
)
"""Which reduced parameter each of pi_1 to pi_19 is (Eqs. B1-B19)."""


def published_order(reduced: ReducedParameters) -> NDArray[np.intp]:
    """Return where pi_1 to pi_19 stand among the reduced parameters, shape (19,).

    Raises
    ------
    ConfigurationError
        If they are not those of the robot of [Christidi 2017].
    """
    return np.array(_places(reduced.names), dtype=int)


def _places(names: Sequence[str]) -> list[int]:
    if sorted(names) != sorted(_PUBLISHED_ORDER):
        raise ConfigurationError(
            f'{len(names)} reduced parameters are not the {len(_PUBLISHED_ORDER)} of '
            '[Christidi 2017]'
        )
    return [list(names).index(name) for name in _PUBLISHED_ORDER]


def published_parameters(model: RobotModel) -> NDArray[np.float64]:
    """Return pi_1 to pi_19 of a robot like that of [Christidi 2017], kg m^2, shape (19,)."""
    reduced = reduced_parameters(model, as_described=True)
    return reduced.values(model)[published_order(reduced)]

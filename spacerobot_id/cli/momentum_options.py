"""Options of a robot that turns with a known angular momentum."""

import argparse

import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum


def add_momentum_options(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add ``--angular-momentum``, with a meaning in its help, and ``--attitude``."""
    parser.add_argument(
        '--angular-momentum',
        type=float,
        nargs=3,
        metavar=('HX', 'HY', 'HZ'),
        help=f'about the centre of mass in inertial axes, N m s: {meaning}',
    )
    parser.add_argument(
        '--attitude',
        type=float,
        nargs=4,
        default=(0.0, 0.0, 0.0, 1.0),
        metavar=('X', 'Y', 'Z', 'W'),
        help='quaternion of the base at the start',
    )


def known_momentum(options: argparse.Namespace) -> KnownMomentum | None:
    """Return the momentum that was given, None if none was.

    Raises
    ------
    ConfigurationError
        If a number is not finite, or the quaternion is zero; names the option.
    """
    for name in ('angular_momentum', 'attitude'):
        values = getattr(options, name)
        if values is not None and not np.isfinite(values).all():
            option = name.replace('_', '-')
            raise ConfigurationError(f'--{option}: must be finite, got {values}')
    if not np.any(options.attitude):
        raise ConfigurationError('--attitude: four zeros are no quaternion')
    if options.angular_momentum is None:
        return None
    return KnownMomentum(tuple(options.angular_momentum), tuple(options.attitude))

"""The two simulations of papers/001: a planar four-link and a spatial six-link robot.

One joint after the other turns at 0.1 rad/s, the base floats. The text gives the manoeuvre and
what comes of it; its tables of masses and lengths are missing, so the robots in config/robots
have others, and it is the words that are held against them.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from spacerobot_id.evaluation.reproduction import Claim, Reproduction
from spacerobot_id.evaluation.wilde_motion import simulate_wilde, WildeMotion
from spacerobot_id.evaluation.wilde_plot import plot_wilde_momentum, plot_wilde_motion
from spacerobot_id.model import load_robot, shipped_file

_STILL = 1e-9
"""What counts as nothing: m, m/s, rad, kg m/s or kg m^2/s."""

_TITLE = 'papers/001, Wilde et al.: planar four-link and spatial six-link robot, Figures 5 to 8'


def reproduce_wilde(folder: Path) -> Reproduction:
    """Run both simulations, draw them and hold them against the text of papers/001.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.

    Returns
    -------
    Reproduction
        What the text says of the motion, and the pictures.
    """
    claims, files = [], []
    for kind, own_claims in (('planar', _planar_claims), ('spatial', _spatial_claims)):
        model = load_robot(shipped_file(f'config/robots/wilde_{kind}.urdf'))
        motion = simulate_wilde(model)
        claims += [replace(each, text=f'{kind}: {each.text}') for each in _common_claims(motion)]
        claims += [replace(each, text=f'{kind}: {each.text}') for each in own_claims(motion)]
        files += [folder / f'{kind}_motion.png', folder / f'{kind}_momentum.png']
        plot_wilde_motion(files[-2], model, motion)
        plot_wilde_momentum(files[-1], model, motion)
    return Reproduction('wilde', _TITLE, tuple(claims), tuple(files))


def _common_claims(motion: WildeMotion) -> list[Claim]:
    """Return what the text says of both robots."""
    total = motion.base_momentum + motion.arm_momentum
    moved = np.linalg.norm(motion.centre - motion.centre[0], axis=1).max()
    ends = motion.of_joint(0).stop * np.arange(1, motion.samples.q.shape[1] + 1) - 1
    left = np.linalg.norm(motion.samples.position[ends], axis=1).max()
    return [
        Claim('largest motion of the system centre of mass', moved, 'm', at_most=_STILL),
        Claim(
            'largest sum of base and arm linear momentum',
            np.linalg.norm(total[:, :3], axis=1).max(),
            'kg m/s',
            at_most=_STILL,
        ),
        Claim(
            'largest sum of base and arm angular momentum',
            np.linalg.norm(total[:, 3:], axis=1).max(),
            'kg m^2/s',
            at_most=_STILL,
        ),
        Claim('base away from its start after a joint is back', left, 'm', at_most=_STILL),
    ]


def _planar_claims(motion: WildeMotion) -> list[Claim]:
    """Return what the text says of Figures 5 and 6."""
    joints = motion.samples.q.shape[1]
    shares = []
    for joint in range(joints):
        rows = motion.of_joint(joint)
        rates, base = motion.samples.qd[rows, joint], motion.base_rate[rows, 2]
        shares.append(base[np.abs(rates) > 0.05] / rates[np.abs(rates) > 0.05])
    largest = np.array([np.abs(share).max() for share in shares])
    across = motion.arm_momentum[:, [2, 3, 4]]
    return [
        Claim(
            'base rate over joint rate, nearest to zero',
            max(share.max() for share in shares),
            at_most=0.0,
        ),
        Claim(
            'base rate over joint rate, farthest from zero',
            min(share.min() for share in shares),
            at_least=-1.0,
        ),
        Claim(
            'reaction to a joint over that to the joint before it',
            float((largest[1:] / largest[:-1]).max()),
            at_most=1.0,
        ),
        Claim('largest momentum out of the plane', np.abs(across).max(), 'SI', at_most=_STILL),
    ]


def _spatial_claims(motion: WildeMotion) -> list[Claim]:
    """Return what the text says of Figures 7 and 8."""
    first = motion.of_joint(0)
    later = slice(first.stop, None)
    return [
        Claim(
            'joint 1: least of the largest base rates about x, y, z',
            np.abs(motion.base_rate[first]).max(axis=0).min(),
            'rad/s',
            at_least=1e-4,
        ),
        Claim(
            'joint 1: least of the largest base motions in x, y, z',
            np.abs(motion.samples.position[first]).max(axis=0).min(),
            'm',
            at_least=1e-4,
        ),
        Claim(
            'joints 2 to 6: least of the largest base motions in x, z',
            np.abs(motion.samples.position[later][:, [0, 2]]).max(axis=0).min(),
            'm',
            at_least=1e-4,
        ),
        Claim(
            'joints 2 to 6: largest base motion in y',
            np.abs(motion.samples.position[later][:, 1]).max(),
            'm',
            at_most=_STILL,
        ),
    ]

"""The two simulations of [Wilde 2018]: a planar four-link and a spatial six-link robot.

One joint after the other turns at 0.1 rad/s, the base is free-floating. The text gives the
manoeuvre and what comes of it; its tables of masses and lengths are missing, so the robots in
config/robots have others, and they are compared with the text.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.comparison import equal, near, Pair, Reproduction, Tolerance
from spacerobot_id.lab.papers.published import demand, Paper, published
from spacerobot_id.lab.papers.wilde.motion import manoeuvre, simulate_wilde, WildeMotion
from spacerobot_id.model import load_robot, shipped_file

_STILL = 1e-9
"""What counts as zero: m, m/s, rad, kg m/s or kg m^2/s."""

_SEEN = 1e-4
"""What counts as a motion that a figure shows: m or rad/s."""

_ZERO = near(_STILL, 'Zero, but for rounding and the error of integration.')
_VISIBLE = Tolerance(_SEEN, np.inf, 'The figure shows a motion.')

_TITLE = '[Wilde 2018], Wilde et al.: planar four-link and spatial six-link robot, Figures 5 to 8'


def manoeuvre_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return rate and times of the first joint, from where its rate passes a half of it."""
    samples = motion.samples
    rates = samples.qd[motion.of_joint(0), 0]
    period = samples.times[1] - samples.times[0]
    rate = np.abs(rates).max()
    lengths = period * _run_lengths(np.round(rates / rate).astype(int))
    sampled = near(1.5 * period, 'Times are read from the samples.')
    return [
        paper.pair('rate', rate, equal('It is given: the joints follow it.')),
        *(
            paper.pair(key, length, sampled)
            for key, length in zip(('forth', 'rest', 'back'), lengths[1:4], strict=True)
        ),
    ]


def _run_lengths(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the lengths of the runs of equal values, one after the other."""
    ends = np.flatnonzero(np.append(np.diff(values) != 0, True))
    return np.diff(np.append(-1, ends))


def common_pairs(paper: Paper, kind: str, motion: WildeMotion) -> list[Pair]:
    """Return what is printed and stated of a robot: ``planar`` or ``spatial``."""
    total = motion.base_momentum + motion.arm_momentum
    moved = np.linalg.norm(motion.centre - motion.centre[0], axis=1).max()
    joints = motion.samples.q.shape[1]
    ends = motion.of_joint(0).stop * np.arange(1, joints + 1) - 1
    left = np.linalg.norm(motion.samples.position[ends], axis=1).max()
    linear, angular = (np.linalg.norm(each, axis=1).max() for each in (total[:, :3], total[:, 3:]))
    still = Tolerance(0.0, _STILL, 'The base is back where it started.')
    text = f'{kind}: base away from its start after a joint is back'
    return [
        paper.pair(f'joints.{kind}', joints, equal('It is a count.')),
        paper.pair(f'centre_of_mass.{kind}', moved, _ZERO),
        paper.pair(f'linear_momentum.{kind}', linear, _ZERO),
        paper.pair(f'angular_momentum.{kind}', angular, _ZERO),
        demand(text, left, still, 'Figures 5 to 8, text', 'm'),
    ]


def planar_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return what the text states about Figures 5 and 6."""
    shares = []
    for joint in range(motion.samples.q.shape[1]):
        rows = motion.of_joint(joint)
        rates, base = motion.samples.qd[rows, joint], motion.base_rate[rows, 2]
        fast = np.abs(rates) > 0.5 * np.abs(rates).max()
        shares.append(base[fast] / rates[fast])
    largest = np.array([np.abs(share).max() for share in shares])
    across = np.abs(motion.arm_momentum[:, [2, 3, 4]]).max()
    opposite = 'The rate of the base is opposite to that of the joint and smaller.'
    outward = 'The reaction becomes smaller as the sequence proceeds outward.'
    where = 'Figure 5, text'
    return [
        demand(
            'planar: base rate over joint rate, nearest to zero',
            max(share.max() for share in shares),
            Tolerance(-1.0, 0.0, opposite),
            where,
        ),
        demand(
            'planar: base rate over joint rate, farthest from zero',
            min(share.min() for share in shares),
            Tolerance(-1.0, 0.0, opposite),
            where,
        ),
        demand(
            'planar: reaction to a joint over that to the joint before it',
            float((largest[1:] / largest[:-1]).max()),
            Tolerance(0.0, 1.0, outward),
            where,
        ),
        paper.pair('out_of_plane', across, _ZERO),
    ]


def spatial_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return what the text states about Figures 7 and 8."""
    first, position = motion.of_joint(0), motion.samples.position
    later, where = slice(first.stop, None), 'Figure 7, text'
    return [
        demand(
            'spatial, joint 1: least of the largest base rates about x, y, z',
            np.abs(motion.base_rate[first]).max(axis=0).min(),
            _VISIBLE,
            where,
            'rad/s',
        ),
        demand(
            'spatial, joint 1: least of the largest base motions in x, y, z',
            np.abs(position[first]).max(axis=0).min(),
            _VISIBLE,
            where,
            'm',
        ),
        demand(
            'spatial, joints 2 to 6: least of the largest base motions in x, z',
            np.abs(position[later][:, [0, 2]]).max(axis=0).min(),
            _VISIBLE,
            where,
            'm',
        ),
        paper.pair('spatial_y', np.abs(position[later][:, 1]).max(), _ZERO),
    ]


def reproduce(folder: Path, period: float = 0.1) -> Reproduction:
    """Run both simulations, draw them and compare them with the text of [Wilde 2018].

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    period : float
        Time between the samples, s.

    Returns
    -------
    Reproduction
        What the text states about the motion, and the pictures.
    """
    from spacerobot_id.lab.papers.plotting import save
    from spacerobot_id.lab.papers.wilde import plot

    paper = published('wilde')
    own_pairs = {'planar': planar_pairs, 'spatial': spatial_pairs}
    pairs, files = [], []
    for kind, pairs_of in own_pairs.items():
        model = load_robot(shipped_file(f'config/robots/wilde_{kind}.urdf'))
        motion = simulate_wilde(model, manoeuvre(paper), period)
        if not pairs:
            pairs += manoeuvre_pairs(paper, motion)
        pairs += [*common_pairs(paper, kind, motion), *pairs_of(paper, motion)]
        for name, draw in (('motion', plot.motion_figure), ('momentum', plot.momentum_figure)):
            files.append(save(draw(model, motion), folder / f'{kind}_{name}.png'))
    return Reproduction('wilde', _TITLE, tuple(pairs), tuple(files))

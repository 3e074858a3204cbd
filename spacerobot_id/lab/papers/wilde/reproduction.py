"""The two simulations of [Wilde 2018]: a planar four-link and a spatial six-link robot.

One joint after the other turns at 0.1 rad/s, the base is free-floating. The text gives the
manoeuvre and what comes of it; its tables of masses and lengths are missing, so the robots in
config/robots have others, and they are compared with the text.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.comparison import Pair, Reproduction
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.lab.papers.wilde.motion import manoeuvre, simulate_wilde, WildeMotion
from spacerobot_id.model import load_robot, shipped_file


def _manoeuvre_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return rate and times of the first joint, from where its rate passes a half of it."""
    samples = motion.samples
    rates = samples.qd[motion.of_joint(0), 0]
    rate = np.abs(rates).max()
    period = samples.times[1] - samples.times[0]
    _, forth, rest, back, *_ = period * _run_lengths(np.round(rates / rate).astype(int))
    return paper.pairs({'rate': rate, 'forth': forth, 'rest': rest, 'back': back})


def _run_lengths(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the lengths of the runs of equal values, one after the other."""
    ends = np.flatnonzero(np.append(np.diff(values) != 0, True))
    return np.diff(np.append(-1, ends))


def _common_pairs(paper: Paper, kind: str, motion: WildeMotion) -> list[Pair]:
    """Return what is printed and stated of a robot: ``planar`` or ``spatial``."""
    total = motion.base_momentum + motion.arm_momentum
    joints = motion.samples.q.shape[1]
    ends = motion.of_joint(0).stop * np.arange(1, joints + 1) - 1
    ours = {
        'joints': joints,
        'centre_of_mass': _farthest(motion.centre - motion.centre[0]),
        'linear_momentum': _farthest(total[:, :3]),
        'angular_momentum': _farthest(total[:, 3:]),
    }
    pairs = [paper.pair(f'{name}.{kind}', value) for name, value in ours.items()]
    left = _farthest(motion.samples.position[ends])
    return [*pairs, paper.demand('back_at_start', left, kind=kind)]


def _farthest(vectors: NDArray[np.float64]) -> float:
    return np.linalg.norm(vectors, axis=1).max()


def _planar_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return what the text states about Figures 5 and 6."""
    shares = []
    for joint in range(motion.samples.q.shape[1]):
        rows = motion.of_joint(joint)
        rates, base = motion.samples.qd[rows, joint], motion.base_rate[rows, 2]
        fast = np.abs(rates) > 0.5 * np.abs(rates).max()
        shares.append(base[fast] / rates[fast])
    largest = np.array([np.abs(share).max() for share in shares])
    return [
        paper.demand('nearest_share', max(share.max() for share in shares)),
        paper.demand('farthest_share', min(share.min() for share in shares)),
        paper.demand('outward_share', (largest[1:] / largest[:-1]).max()),
        paper.pair('out_of_plane', np.abs(motion.arm_momentum[:, [2, 3, 4]]).max()),
    ]


def _spatial_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return what the text states about Figures 7 and 8."""
    first, position = motion.of_joint(0), np.abs(motion.samples.position)
    later = position[first.stop :].max(axis=0)
    return [
        paper.demand('first_rates', np.abs(motion.base_rate[first]).max(axis=0).min()),
        paper.demand('first_motions', position[first].max(axis=0).min()),
        paper.demand('later_motions', later[[0, 2]].min()),
        paper.pair('spatial_y', later[1]),
    ]


def reproduce(folder: Path) -> Reproduction:
    """Run both simulations, draw them and compare them with the text of [Wilde 2018].

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.

    Returns
    -------
    Reproduction
        What the text states about the motion, and the pictures.
    """
    from spacerobot_id.lab.papers.plotting import save
    from spacerobot_id.lab.papers.wilde import plot

    paper = published('wilde')
    pairs, files = [], []
    for kind, pairs_of in (('planar', _planar_pairs), ('spatial', _spatial_pairs)):
        model = load_robot(shipped_file(f'config/robots/wilde_{kind}.urdf'))
        motion = simulate_wilde(model, manoeuvre(paper))
        if not pairs:
            pairs += _manoeuvre_pairs(paper, motion)
        pairs += [*_common_pairs(paper, kind, motion), *pairs_of(paper, motion)]
        for name, draw in (('motion', plot.motion_figure), ('momentum', plot.momentum_figure)):
            files.append(save(draw(model, motion), folder / f'{kind}_{name}.png'))
    return Reproduction('wilde', paper.title, tuple(pairs), tuple(files))

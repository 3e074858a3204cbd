"""The two simulations of [Wilde 2018]: a planar four-link and a spatial six-link robot.

One joint after the other turns at 0.1 rad/s, the base is free-floating. The motion is integrated
from the torques of the joints, and held against the paper's generalized equations. The text gives
the manoeuvre and what comes of it; its tables of masses and lengths are missing, so the robots in
config/robots have others, and they are compared with the text.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.comparison import largest_share, Pair, Reproduction
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.lab.papers.wilde.motion import (
    controlled_joint,
    Disagreement,
    gains,
    manoeuvre,
    simulate_wilde,
    WildeMotion,
)
from spacerobot_id.model import load_robot, RobotModel, shipped_file

_STILL = 0.01
"""Rate of other joints, over that of the one that turns, below which it turns alone."""

_QUIET = 15.0
"""Time after the turn of the first joint from which on it has settled, s."""


def compared(paper: Paper, kind: str, model: RobotModel, motion: WildeMotion) -> list[Pair]:
    """Return what is printed and stated of a robot, and its motion by the paper's equations.

    Parameters
    ----------
    paper : Paper
        What it prints.
    kind : str
        ``planar`` or ``spatial``.
    model : RobotModel
        The robot.
    motion : WildeMotion
        Its motion.
    """
    total, off = motion.base_momentum + motion.arm_momentum, Disagreement.of(model, motion.samples)
    printed = {
        'centre_of_mass': _farthest(motion.centre - motion.centre[0]),
        'linear_momentum': _farthest(total[:, :3]),
        'angular_momentum': _farthest(total[:, 3:]),
    }
    position = motion.samples.position
    asked = {
        'controlled': _off_control(paper, motion),
        'torque': off.torque,
        'base_twist': off.base,
        'end_effector': off.end_effector,
        'energy': off.energy,
        'back_at_start': np.linalg.norm(position[-1]) / _farthest(position),
    }
    of_kind = _planar_pairs if kind == 'planar' else _spatial_pairs
    return [
        *(paper.pair(f'{name}.{kind}', value) for name, value in printed.items()),
        *(paper.demand(name, value, kind=kind) for name, value in asked.items()),
        *of_kind(paper, motion),
    ]


def _off_control(paper: Paper, motion: WildeMotion) -> float:
    """Return how far joints are off those that are controlled alone, over how far these go."""
    samples, alone = motion.samples, np.zeros_like(motion.samples.q)
    for joint, angle in enumerate(alone.T):
        later = samples.times > joint * motion.cycle
        times = samples.times[later] - joint * motion.cycle
        angle[later] = controlled_joint(manoeuvre(paper), gains(paper), times)
    return largest_share(samples.q, alone)


def _farthest(vectors: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(vectors, axis=1).max())


def _planar_pairs(paper: Paper, motion: WildeMotion) -> list[Pair]:
    """Return what the text states about Figures 5 and 6."""
    shares = []
    for joint in range(motion.samples.q.shape[1]):
        rows = motion.of_joint(joint)
        rates, base = motion.samples.qd[rows], motion.base_rate[rows, 2]
        own, others = rates[:, joint], np.abs(np.delete(rates, joint, axis=1)).max(axis=1)
        alone = np.abs(own) > np.maximum(others / _STILL, 0.5 * np.abs(own).max())
        shares.append(base[alone] / own[alone])
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
    settled = position[motion.samples.times > motion.cycle + _QUIET]
    return [
        paper.demand('first_rates', np.abs(motion.base_rate[first]).max(axis=0).min()),
        paper.demand('first_motions', position[first].max(axis=0).min()),
        paper.demand('later_motions', later[[0, 2]].min()),
        paper.pair('spatial_y', settled[:, 1].max()),
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
    for kind in ('planar', 'spatial'):
        model = load_robot(shipped_file(f'config/robots/wilde_{kind}.urdf'))
        motion = simulate_wilde(model, manoeuvre(paper), gains(paper))
        pairs += compared(paper, kind, model, motion)
        for name, draw in (('motion', plot.motion_figure), ('momentum', plot.momentum_figure)):
            files.append(save(draw(model, motion), folder / f'{kind}_{name}.png'))
    return Reproduction('wilde', paper.title, tuple(pairs), tuple(files))

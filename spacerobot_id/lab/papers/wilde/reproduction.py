"""The two simulations of [Wilde 2018]: a planar four-link and a spatial six-link robot.

One joint after the other turns at 0.1 rad/s, the base is free-floating. The text gives the
manoeuvre and what comes of it; its tables of masses and lengths are missing, so the robots in
config/robots have others, and they are compared with the text.
"""

from pathlib import Path

from spacerobot_id.lab.papers.comparison import Reproduction
from spacerobot_id.lab.papers.published import published
from spacerobot_id.lab.papers.wilde import comparison
from spacerobot_id.lab.papers.wilde.motion import manoeuvre, simulate_wilde
from spacerobot_id.model import load_robot, shipped_file

_TITLE = '[Wilde 2018], Wilde et al.: planar four-link and spatial six-link robot, Figures 5 to 8'


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
    own_pairs = {'planar': comparison.planar_pairs, 'spatial': comparison.spatial_pairs}
    pairs, files = [], []
    for kind, pairs_of in own_pairs.items():
        model = load_robot(shipped_file(f'config/robots/wilde_{kind}.urdf'))
        motion = simulate_wilde(model, manoeuvre(paper), period)
        if not pairs:
            pairs += comparison.manoeuvre_pairs(paper, motion)
        pairs += [*comparison.common_pairs(paper, kind, motion), *pairs_of(paper, motion)]
        for name, draw in (('motion', plot.motion_figure), ('momentum', plot.momentum_figure)):
            files.append(save(draw(model, motion), folder / f'{kind}_{name}.png'))
    return Reproduction('wilde', _TITLE, tuple(pairs), tuple(files))

"""The choice of the number of harmonics as pictures: Figures 3 and 4 of papers/003."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
import numpy as np

from spacerobot_id.estimation import HARMONICS
from spacerobot_id.evaluation.ekal_estimation import EkalResult
from spacerobot_id.evaluation.ekal_harmonics import best_harmonics
from spacerobot_id.evaluation.ekal_plot import QUANTITY_WORDS, save

_ERROR, _RESIDUAL = '#c44e52', '0.35'
_SPREAD = 0.3
"""How far points are moved aside, so that they do not hide each other."""


def plot_one_choice(path: Path, result: EkalResult, number: int = 0) -> None:
    """Write Figure 3: errors and residual of one flight by the number of harmonics kept.

    Parameters
    ----------
    path : Path
        File to write, PNG by its name.
    result : EkalResult
        Flights.
    number : int
        The one to draw.
    """
    figure = Figure(figsize=(11.0, 3.8), layout='constrained')
    panels = figure.subplots(1, len(QUANTITY_WORDS))
    for column, (axes, word) in enumerate(zip(panels, QUANTITY_WORDS, strict=True)):
        errors = result.by_harmonics[number, :, column]
        (line,) = axes.plot(HARMONICS, errors, 'o-', color=_ERROR, label='error')
        other = axes.twinx()
        (residual,) = other.plot(
            HARMONICS, result.residuals[number], 's--', color=_RESIDUAL, label='residual ‖e‖'
        )
        chosen = axes.axvline(
            result.harmonics[number], color='#4c72b0', linewidth=1.2, label='chosen, n_filt'
        )
        axes.set(title=word, xlabel='harmonics kept', xticks=HARMONICS, ylabel='error, %')
        axes.set_ylim(bottom=0.0)
        other.set_ylabel('residual')
        axes.grid(visible=True, alpha=0.3)
        for each in (axes, other):
            each.spines['top'].set_visible(False)
    handles = [line, residual, chosen]
    figure.legend(handles=handles, loc='outside lower center', ncols=3, frameon=False)
    figure.suptitle("One load, the paper's least squares: errors and residual (Figure 3)")
    save(figure, path)


def plot_all_choices(path: Path, results: Sequence[EkalResult]) -> None:
    """Write Figure 4: errors over the number chosen, coloured by how far it is from the best.

    Parameters
    ----------
    path : Path
        File to write.
    results : sequence of EkalResult
        Flights.
    """
    figure = Figure(figsize=(11.0, 4.0), layout='constrained')
    panels = figure.subplots(1, len(QUANTITY_WORDS), sharey=True)
    chosen = np.concatenate([each.harmonics for each in results])
    best = np.concatenate([best_harmonics(each) for each in results])
    errors = np.concatenate([each.relative[0] for each in results])
    aside = np.random.default_rng(0).uniform(-_SPREAD, _SPREAD, len(chosen))
    for column, (axes, word) in enumerate(zip(panels, QUANTITY_WORDS, strict=True)):
        points = axes.scatter(
            chosen + aside,
            errors[:, column],
            c=np.abs(chosen - best[:, column]),
            cmap='viridis',
            vmin=0,
            vmax=HARMONICS[-1] - HARMONICS[0],
            s=22,
            alpha=0.85,
        )
        axes.set(title=word, xlabel='harmonics chosen, n_filt', xticks=HARMONICS, yscale='log')
        axes.set_xlim(HARMONICS[0] - 0.5, HARMONICS[-1] + 0.5)
        axes.grid(visible=True, alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel('relative error, %')
    figure.colorbar(points, ax=panels, label='distance of n_filt from the best')
    figure.suptitle("All loads and motions, the paper's least squares (Figure 4)")
    save(figure, path)

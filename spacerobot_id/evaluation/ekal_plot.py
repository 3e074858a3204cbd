"""The study of papers/003 as pictures, like its Figures 5 to 8, its method beside ours."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Patch
import numpy as np

from spacerobot_id.evaluation.ekal_study import EkalCase, EkalResult, METHODS, QUANTITIES

_COLOURS = ('#c44e52', '#dd8452', '#4c72b0')
_LABELS = (
    "the paper's least squares",
    'the same, cycle by cycle',
    'maximum likelihood over the trajectory',
)
_WORDS = ('mass', 'centre-of-mass offset', 'inertia')


def plot_errors(
    path: Path,
    results: Mapping[EkalCase, EkalResult],
    cases: Sequence[EkalCase],
    title: str,
) -> None:
    """Write box plots of the relative errors of mass, offset and inertia.

    Parameters
    ----------
    path : Path
        File to write, PNG by its name.
    results : mapping of EkalCase to EkalResult
        Results.
    cases : sequence of EkalCase
        Cases that stand beside each other.
    title : str
        What they are.
    """
    figure = Figure(figsize=(11.0, 4.6), layout='constrained')
    panels = figure.subplots(1, len(QUANTITIES), sharey=True)
    for column, axes in enumerate(panels):
        for group, case in enumerate(cases):
            for method, colour in enumerate(_COLOURS):
                errors = results[case].relative[method, :, column]
                boxes = axes.boxplot(
                    errors[np.isfinite(errors)],
                    positions=[group + 0.27 * (method - 1)],
                    widths=0.22,
                    patch_artist=True,
                    flierprops={'marker': '.', 'markersize': 4, 'markeredgecolor': colour},
                    medianprops={'color': 'black'},
                )
                boxes['boxes'][0].set(facecolor=colour, alpha=0.75)
        axes.set(title=_WORDS[column], yscale='log', xlim=(-0.6, len(cases) - 0.4))
        axes.set_xticks(range(len(cases)), [_label(case) for case in cases])
        axes.grid(visible=True, axis='y', alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel('relative error, %')
    handles = [
        Patch(facecolor=colour, alpha=0.75, label=label)
        for colour, label in zip(_COLOURS, _LABELS, strict=True)
    ]
    figure.legend(handles=handles, loc='outside lower center', ncols=3, frameon=False)
    figure.suptitle(title)
    _save(figure, path)


def plot_saturation(path: Path, result: EkalResult) -> None:
    """Write the errors over the share of the time at a limit, scaled as in Eq. 25.

    Parameters
    ----------
    path : Path
        File to write, PNG by its name.
    result : EkalResult
        Flights with saturation.
    """
    figure = Figure(figsize=(11.0, 3.8), layout='constrained')
    panels = figure.subplots(1, len(QUANTITIES), sharey=True)
    for column, axes in enumerate(panels):
        scale = np.ptp(result.absolute[0, :, column])
        least = result.absolute[0, :, column].min()
        for method, colour in enumerate(_COLOURS):
            if METHODS[method] == 'recursive':
                continue
            scaled = (result.absolute[method, :, column] - least) / scale
            axes.plot(
                100.0 * result.saturated, scaled, 'o', color=colour, markersize=4, alpha=0.75
            )
        axes.set(title=_WORDS[column], xlabel='time with a propeller at its limit, %')
        axes.grid(visible=True, alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel("error, the paper's least squares\nfrom 0 to 1")
    handles = [
        Patch(facecolor=_COLOURS[method], alpha=0.75, label=_LABELS[method]) for method in (0, 2)
    ]
    figure.legend(handles=handles, loc='outside lower center', ncols=2, frameon=False)
    figure.suptitle('V1, 10 s: errors as saturation grows')
    _save(figure, path)


def _label(case: EkalCase) -> str:
    """Return a case in two short lines."""
    limits = 'saturation' if case.limited else 'no saturation'
    return f'{case.criterion.value}, {case.period:g} s\n{limits}'


def _save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)

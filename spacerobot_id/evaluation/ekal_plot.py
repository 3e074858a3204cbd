"""The study of papers/003 as pictures, like its Figures 5 to 9, its method beside ours."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.ekal_estimation import EkalResult, METHODS, QUANTITIES
from spacerobot_id.evaluation.ekal_published import PublishedEkal
from spacerobot_id.evaluation.ekal_study import EkalCase

_COLOURS = ('#c44e52', '#dd8452', '#4c72b0')
_LABELS = (
    "the paper's least squares",
    'the same, cycle by cycle',
    'maximum likelihood over the trajectory',
)
QUANTITY_WORDS = ('mass', 'centre-of-mass offset', 'inertia')
"""What the panels of a picture are about."""
_UNITS = ('kg', 'm', 'kg m^2')


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
            _boxes(axes, results[case].relative[:, :, column], group)
        axes.set(title=QUANTITY_WORDS[column], yscale='log', xlim=(-0.6, len(cases) - 0.4))
        axes.set_xticks(range(len(cases)), [_label(case) for case in cases])
        axes.grid(visible=True, axis='y', alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel('relative error, %')
    figure.legend(handles=_patches(), loc='outside lower center', ncols=3, frameon=False)
    figure.suptitle(title)
    save(figure, path)


def plot_saturation(path: Path, result: EkalResult) -> None:
    """Write Figure 7: errors over the share of the time at a limit, scaled as in Eq. 25.

    Each method has a row of its own, and its own least and largest errors.

    Parameters
    ----------
    path : Path
        File to write, PNG by its name.
    result : EkalResult
        Flights with saturation.
    """
    drawn = [METHODS.index('least squares'), METHODS.index('likelihood')]
    figure = Figure(figsize=(11.0, 6.4), layout='constrained')
    rows = figure.subplots(len(drawn), len(QUANTITIES), sharex=True, sharey=True)
    for row, method in zip(rows, drawn, strict=True):
        for column, axes in enumerate(row):
            errors = result.absolute[method, :, column]
            least, span = np.nanmin(errors), np.ptp(errors[np.isfinite(errors)])
            axes.plot(
                100.0 * result.saturated,
                (errors - least) / span,
                'o',
                color=_COLOURS[method],
                markersize=4,
                alpha=0.75,
            )
            axes.set_ylim(-0.05, 1.05)
            axes.grid(visible=True, alpha=0.3)
            axes.spines[['top', 'right']].set_visible(False)
            reach = f'{least:.2g} to {least + span:.2g} {_UNITS[column]}'
            axes.set_title(f'{QUANTITY_WORDS[column]}: {reach}', fontsize=10)
        row[0].set_ylabel(f'{_LABELS[method]}\nscaled error', fontsize=9)
    for axes in rows[-1]:
        axes.set_xlabel('time with a propeller at its limit, %')
    figure.suptitle('V1, 10 s: errors as saturation grows, each from its least to its largest')
    save(figure, path)


def plot_absolute(path: Path, result: EkalResult, published: PublishedEkal) -> None:
    """Write Figure 9: absolute errors beside mean and standard deviation of the loads.

    Parameters
    ----------
    path : Path
        File to write.
    result : EkalResult
        Flights.
    published : PublishedEkal
        Distributions of the loads.
    """
    figure = Figure(figsize=(11.0, 4.6), layout='constrained')
    panels = figure.subplots(1, len(QUANTITIES))
    spreads = (
        (('', published.load_mass),),
        (('', published.load_offset),),
        (('d. ', published.load_diagonal), ('o.d. ', published.load_off_diagonal)),
    )
    for column, (axes, lines) in enumerate(zip(panels, spreads, strict=True)):
        _boxes(axes, result.absolute[:, :, column], 0)
        for (_, spread), dashes in zip(lines, ('--', ':'), strict=False):
            axes.axhline(spread.std, color='0.35', linestyle=dashes)
        drawn = '\n'.join(f'{word}mean {each.mean:g}, std {each.std:g}' for word, each in lines)
        axes.set(yscale='log', xlim=(-0.6, 0.6), xticks=[])
        axes.set_title(f'{QUANTITY_WORDS[column]} (loads: {drawn})', fontsize=10)
        axes.set_ylabel(f'error, {_UNITS[column]}')
        axes.grid(visible=True, axis='y', alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    figure.legend(handles=_patches(), loc='outside lower center', ncols=3, frameon=False)
    title = f'Absolute errors, {_label(result.case)}; dashed and dotted: std of the loads'
    figure.suptitle(title.replace('\n', ', '))
    save(figure, path)


def _boxes(axes: Axes, errors: NDArray[np.float64], place: float) -> None:
    """Draw the box of every method about a place; errors have the shape (methods, F)."""
    for method, colour in enumerate(_COLOURS):
        finite = errors[method][np.isfinite(errors[method])]
        boxes = axes.boxplot(
            finite,
            positions=[place + 0.27 * (method - 1)],
            widths=0.22,
            patch_artist=True,
            flierprops={'marker': '.', 'markersize': 4, 'markeredgecolor': colour},
            medianprops={'color': 'black'},
        )
        boxes['boxes'][0].set(facecolor=colour, alpha=0.75)


def _patches() -> list[Patch]:
    """Return what the legend shows of the methods."""
    return [
        Patch(facecolor=colour, alpha=0.75, label=label)
        for colour, label in zip(_COLOURS, _LABELS, strict=True)
    ]


def _label(case: EkalCase) -> str:
    """Return a case in two short lines."""
    limits = 'saturation' if case.limited else 'no saturation'
    return f'{case.criterion.value}, {case.period:g} s\n{limits}'


def save(figure: Figure, path: Path) -> None:
    """Write a figure into its folder, made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)

"""The study of [Ekal 2019] as pictures, like its Figures 3 to 9, its method beside ours."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.ekal.estimation import EkalResult, METHODS, QUANTITIES
from spacerobot_id.lab.papers.ekal.study import EkalCase
from spacerobot_id.lab.papers.plotting import tidy
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.methods.harmonic_least_squares import HARMONICS

_COLOURS = ('#c44e52', '#dd8452', '#4c72b0')
_LABELS = (
    "the paper's least squares",
    'the same, cycle by cycle',
    'maximum likelihood over the trajectory',
)
QUANTITY_NAMES = ('mass', 'centre-of-mass offset', 'inertia')
"""What the panels of a picture are about."""
_UNITS = ('kg', 'm', 'kg m^2')
_ERROR, _RESIDUAL = '#c44e52', '0.35'
_SPREAD = 0.3
"""How far points are moved aside, so that they do not hide each other."""


def relative_errors(
    results: Mapping[EkalCase, EkalResult],
    cases: Sequence[EkalCase],
    title: str,
) -> Figure:
    """Return box plots of the relative errors of mass, offset and inertia.

    Parameters
    ----------
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
        axes.set(title=QUANTITY_NAMES[column], yscale='log', xlim=(-0.6, len(cases) - 0.4))
        axes.set_xticks(range(len(cases)), [_label(case) for case in cases])
        tidy(axes, 'y')
    panels[0].set_ylabel('relative error, %')
    figure.legend(handles=_patches(), loc='outside lower center', ncols=3, frameon=False)
    figure.suptitle(title)
    return figure


def saturation(result: EkalResult) -> Figure:
    """Return Figure 7: errors over the share of the time at a limit, scaled as in Eq. 25.

    Each method has a row of its own, and its own least and largest errors.

    Parameters
    ----------
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
            tidy(axes)
            reach = f'{least:.2g} to {least + span:.2g} {_UNITS[column]}'
            axes.set_title(f'{QUANTITY_NAMES[column]}: {reach}', fontsize=10)
        row[0].set_ylabel(f'{_LABELS[method]}\nscaled error', fontsize=9)
    for axes in rows[-1]:
        axes.set_xlabel('time with a propeller at its limit, %')
    figure.suptitle('V1, 10 s: errors as saturation grows, each from its least to its largest')
    return figure


def absolute_errors(result: EkalResult, paper: Paper) -> Figure:
    """Return Figure 9: absolute errors beside mean and standard deviation of the loads.

    Parameters
    ----------
    result : EkalResult
        Flights.
    paper : Paper
        Distributions of the loads.
    """
    figure = Figure(figsize=(11.0, 4.6), layout='constrained')
    panels = figure.subplots(1, len(QUANTITIES))
    spreads = (
        (('', 'load_mass'),),
        (('', 'load_offset'),),
        (('d. ', 'load_diagonal'), ('o.d. ', 'load_off_diagonal')),
    )
    for column, (axes, lines) in enumerate(zip(panels, spreads, strict=True)):
        _boxes(axes, result.absolute[:, :, column], 0)
        drawn = []
        for (name, key), dashes in zip(lines, ('--', ':'), strict=False):
            mean, std = paper.array(key)
            axes.axhline(std, color='0.35', linestyle=dashes)
            drawn.append(f'{name}mean {mean:g}, std {std:g}')
        statistics = '\n'.join(drawn)
        axes.set(yscale='log', xlim=(-0.6, 0.6), xticks=[])
        axes.set_title(f'{QUANTITY_NAMES[column]} (loads: {statistics})', fontsize=10)
        axes.set_ylabel(f'error, {_UNITS[column]}')
        tidy(axes, 'y')
    figure.legend(handles=_patches(), loc='outside lower center', ncols=3, frameon=False)
    title = f'Absolute errors, {_label(result.case)}; dashed and dotted: std of the loads'
    figure.suptitle(title.replace('\n', ', '))
    return figure


def one_choice(result: EkalResult, number: int = 0) -> Figure:
    """Return Figure 3: errors and residual of one flight by the number of harmonics kept.

    Parameters
    ----------
    result : EkalResult
        Flights.
    number : int
        The one to draw.
    """
    figure = Figure(figsize=(11.0, 3.8), layout='constrained')
    panels = figure.subplots(1, len(QUANTITY_NAMES))
    for column, (axes, name) in enumerate(zip(panels, QUANTITY_NAMES, strict=True)):
        errors = result.by_harmonics[number, :, column]
        (line,) = axes.plot(HARMONICS, errors, 'o-', color=_ERROR, label='error')
        other = axes.twinx()
        (residual,) = other.plot(
            HARMONICS, result.residuals[number], 's--', color=_RESIDUAL, label='residual ‖e‖'
        )
        chosen = axes.axvline(
            result.harmonics[number], color='#4c72b0', linewidth=1.2, label='chosen, n_filt'
        )
        axes.set(title=name, xlabel='harmonics kept', xticks=HARMONICS, ylabel='error, %')
        axes.set_ylim(bottom=0.0)
        other.set_ylabel('residual')
        axes.grid(visible=True, alpha=0.3)
        for each in (axes, other):
            each.spines['top'].set_visible(False)
    handles = [line, residual, chosen]
    figure.legend(handles=handles, loc='outside lower center', ncols=3, frameon=False)
    figure.suptitle("One load, the paper's least squares: errors and residual (Figure 3)")
    return figure


def all_choices(results: Sequence[EkalResult]) -> Figure:
    """Return Figure 4: errors over the number chosen, coloured by how far it is from the best.

    Parameters
    ----------
    results : sequence of EkalResult
        Flights.
    """
    figure = Figure(figsize=(11.0, 4.0), layout='constrained')
    panels = figure.subplots(1, len(QUANTITY_NAMES), sharey=True)
    chosen = np.concatenate([each.harmonics for each in results])
    best = np.concatenate([each.best_harmonics for each in results])
    errors = np.concatenate([each.relative[0] for each in results])
    aside = np.random.default_rng(0).uniform(-_SPREAD, _SPREAD, len(chosen))
    for column, (axes, name) in enumerate(zip(panels, QUANTITY_NAMES, strict=True)):
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
        axes.set(title=name, xlabel='harmonics chosen, n_filt', xticks=HARMONICS, yscale='log')
        axes.set_xlim(HARMONICS[0] - 0.5, HARMONICS[-1] + 0.5)
        tidy(axes)
    panels[0].set_ylabel('relative error, %')
    figure.colorbar(points, ax=panels, label='distance of n_filt from the best')
    figure.suptitle("All loads and motions, the paper's least squares (Figure 4)")
    return figure


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
    return '\n'.join(case.name.rsplit(', ', 1))

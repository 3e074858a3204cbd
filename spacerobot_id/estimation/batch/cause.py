"""A cause of what a fit leaves over or takes up, and descriptions of calibrations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.score_test import new_names
from spacerobot_id.methods.method import Method

NEAR = 0.8
"""Share of what the best explains that others have to explain to be named beside it."""

MOST_CAUSES = 3
"""Most causes that are named."""

HARMFUL = 3.0
"""Standard deviations by which a calibration that is off may move a parameter of an estimate that
may be used."""

_MOST_UNKNOWNS = 3
"""Most unknowns of a calibration that are named."""


@dataclass(frozen=True)
class Cause:
    """What explains data, or a part of what they leave over.

    Parameters
    ----------
    description : str
        What it is, and how large.
    remedy : str
        What to do about it.
    before, after : float
        Chi-square per degree of freedom without and with it.
    mass_ratio : float, optional
        Total mass over that described, of a cause of this alone, which no reading shows.
    shift : float, optional
        Most standard deviations by which it would move a parameter, of a calibration.
    is_hidden : bool
        Whether the parameters take it up, so that residuals hardly show it.
    """

    description: str
    remedy: str
    before: float
    after: float
    mass_ratio: float | None = None
    shift: float | None = None
    is_hidden: bool = False

    def explains(self, share: float) -> bool:
        """Return whether it leaves at most a share of what is not noise."""
        return self.after - 1.0 <= share * (self.before - 1.0)

    def sentence(self) -> str:
        """Return the cause as a sentence."""
        if self.mass_ratio is not None:
            return (
                f'{self.description} would explain a total mass {self.mass_ratio:.3g} times that '
                f'described, which no reading shows; {self.remedy}'
            )
        if self.is_hidden:
            return (
                f'{self.description} explains these data better than chance does, and would move '
                f'a parameter by {self.shift:.2g} standard deviations; {self.remedy}'
            )
        return (
            f'{self.description} would explain it: '
            f'chi-square {self.before:.3g} -> {self.after:.3g}; {self.remedy}'
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'cause': self.description,
            'remedy': self.remedy,
            'chi_square_before': self.before,
            'chi_square_after': self.after,
            'mass_ratio': self.mass_ratio,
            'shift': self.shift,
        }


def cause_name(description: str) -> str:
    """Return what a cause is of, without its size: the key of a calibration, or the mistake."""
    return description.partition(' (')[0].partition(' of about')[0]


def calibration_text(
    method: Method,
    suspect: Method,
    key: str,
    found: NDArray[np.float64],
    std: NDArray[np.float64],
) -> tuple[str, str]:
    """Return a description of a calibration, the surest unknowns first, and what to set."""
    new = new_names(method, suspect)
    units = dict(zip(suspect.unknowns.names, suspect.unknowns.units, strict=True))
    order = np.argsort(-np.abs(found) / std)[:_MOST_UNKNOWNS]
    sizes = ', '.join(
        f'{new[k]} {found[k]:.3g} +- {std[k]:.2g} {units[new[k]]}'.rstrip(' 1') for k in order
    )
    wanted = 2.0 * float(np.abs(found[order]).max())
    description = f'{key} ({sizes}){_of_lengths(method, key, found, std)}'
    return description, f'set {key}: {_rounded(wanted):g}'


def _of_lengths(
    method: Method, key: str, found: NDArray[np.float64], std: NDArray[np.float64]
) -> str:
    """Return a remark on a velocity that is off by one factor on all axes.

    Momentum is conserved as well with all lengths in that proportion: first moments and inertias
    take it up.
    """
    share = float(np.mean(found))
    is_common = np.abs(found - share).max() < std.min() < abs(share) < 1.0
    if key != 'twist_scale' or not method.model.joints or not is_common:
        return ''
    side = 'longer' if share > 0.0 else 'shorter'
    return (
        f' or all links {side} than described by {100.0 * abs(share):.2g} % (no data tell which)'
    )


def _rounded(value: float) -> float:
    """Return a number with one digit."""
    return float(f'{value:.0e}')

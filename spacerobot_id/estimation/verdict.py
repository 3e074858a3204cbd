"""Whether an estimate may be used: one rule for every method, live and in logs.

It may not while nothing is identified or there is too little to check the model by, if the
method's intervals do not hold, if no body can have the inertia, if most samples were left out, if
they are too few to find the clock of a stream, if residuals show that the model is wrong or that
standard deviations would have to be multiplied by more than a few, if noise that the fit found is
larger than any there is, if the fit has not converged, if the latest samples contradict it, if the
total mass is far outside of what the description leaves open, if a calibration that is left out
moves parameters by several deviations, or if no links that can exist fit although those described
can. Live, a defect that is there stays until what made it is clearly less.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
import math
from typing import TYPE_CHECKING

import numpy as np

from spacerobot_id.estimation.batch.cause import HARMFUL
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.model import InertialParameters

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification


@dataclass(frozen=True)
class DescribedMass:
    """Total mass of an estimate and of its description, where both are of one robot.

    Parameters
    ----------
    mass, described : float
        Total mass estimated and described, kg, both above zero.
    std : float
        Standard deviation of the logarithm of their ratio that the description leaves open.
    """

    mass: float
    described: float
    std: float

    @classmethod
    def of(cls, state: 'Identification') -> 'DescribedMass | None':
        """Return that of a state; None without a prior, after a change, or with no mass."""
        prior = state.method.prior_settings
        masses = list(state.method.masses)
        if prior is None or not masses or state.changes:
            return None
        described = float(state.method.prior().mean[masses].sum())
        mass = float(np.asarray(state.estimate().values)[masses].sum())
        return cls(mass, described, prior.mass_std) if mass > 0.0 else None

    @property
    def ratio(self) -> float:
        """Mass over that described."""
        return self.mass / self.described

    @property
    def deviations(self) -> float:
        """How many standard deviations its logarithm is from one."""
        return abs(math.log(self.ratio)) / self.std


_FAR = 4.0
"""Prior standard deviations of its logarithm beyond which a total mass is not believed."""

_UNCONVERGED = 2.0
"""Last step of a fit, in standard deviations, beyond which its end is not known."""

_FITTED = 0.5
"""Share of the samples that is to be in the last fit where one of all of them led to no robot."""

_KEPT = 0.8
"""Share of a limit that is to be met before a defect that was there is withdrawn."""


@dataclass(frozen=True)
class Defect:
    """Why an estimate may not be used.

    Parameters
    ----------
    kind : str
        Short name.
    sentence : str
        The message.
    """

    kind: str
    sentence: str


def defects(
    state: Identification,
    robot: InertialParameters | None,
    links: ConsistentParameters | None = None,
    before: Collection[str] = (),
) -> tuple[Defect, ...]:
    """Return why an estimate may not be used; empty if it may.

    Parameters
    ----------
    state : Identification
        State behind the estimate.
    robot : InertialParameters, optional
        The whole robot, as far as it shows.
    links : ConsistentParameters, optional
        Links that can exist, if they were looked for.
    before : collection of str
        Kinds of the defects that there were a moment ago.
    """
    if not state.samples:
        return (Defect('samples', 'no samples yet'),)
    found = (
        []
        if robot is None
        else [Defect('body', each) for each in robot.defects(planar=state.method.planar)]
    )
    if not state.method.is_for_comparison:
        quality = state.quality
        if quality is not None:
            quality = replace(quality, rejected=state.rejected)
            factors = {kind: _KEPT if kind in before else 1.0 for kind in quality.LIMITS}
            found += [Defect(kind, message) for kind, message in quality.faults(factors)]
        found += _unchecked(state)
        found += [Defect('shortage', each) for each in state.shortages]
        found += _contradicted(state)
        found += _unconverged(state, _KEPT if 'convergence' in before else 1.0)
        found += _far_mass(state, _KEPT if 'mass' in before else 1.0)
        found += _implausible_noise(state, _KEPT if 'scatter' in before else 1.0)
        found += _hidden(state, _KEPT if 'calibration' in before else 1.0)
        described = state.method.model.links
        can_exist = all(link.inertial.is_physical() for link in described)
        if (
            can_exist
            and links is not None
            and links.misfit > links.allowed * (_KEPT if 'physics' in before else 1.0)
        ):
            found.append(
                Defect(
                    'physics',
                    'no links that can exist fit the data: chi-square '
                    f'{links.misfit:.3g}, at most {links.allowed:.3g} by chance',
                )
            )
    found += _unexplained_change(state)
    return (*found, *_unidentified(state), *_biased(state))


def _unexplained_change(state: Identification) -> list[Defect]:
    """Return whether what a change left is nothing that a body which came or went would leave."""
    links = [body.link for body in changed_bodies(state) if not body.is_possible]
    if not links:
        return []
    return [
        Defect(
            'change',
            f'what changed at {", ".join(links)} is no body that came or went: a sensor has '
            'changed (an encoder that slips, an IMU that was moved), or mass was moved within the '
            'robot',
        )
    ]


def _unidentified(state: Identification) -> list[Defect]:
    """Return whether every parameter is the description's still."""
    estimate = state.estimate()
    if estimate.rank and len(estimate.not_identified()) < len(estimate.names):
        return []
    return [Defect('identified', 'no parameter is identified')]


def _biased(state: Identification) -> list[Defect]:
    """Return whether standard deviations say nothing: the regressor of the method is noisy."""
    if not state.method.is_for_comparison:
        return []
    return [
        Defect(
            'intervals',
            f'{state.method.name} is biased by noise in its regressor: true values may be many '
            'standard deviations away',
        )
    ]


def _unchecked(state: Identification) -> list[Defect]:
    """Return whether fewer readings than there are unknowns are left to check the model by."""
    left, unknowns = state.residuals, len(state.method.unknowns)
    if left is None or not len(left.values):
        return []
    read = np.isfinite(left.values).sum() / len(left.values) * state.samples
    freedom = int(read) - unknowns - left.fitted
    if freedom >= unknowns:
        return []
    return [
        Defect(
            'samples',
            f'{state.samples} samples are too few to show whether the model, of {unknowns} '
            'unknowns, explains them',
        )
    ]


def _contradicted(state: Identification) -> list[Defect]:
    """Return whether the latest samples do not go on from the estimate, or most have no fit."""
    if state.failure and state.linearised < _FITTED * state.samples:
        return [
            Defect(
                'contradiction',
                'data and description contradict each other: the estimate is that of '
                f'{state.linearised} of {state.samples} samples; of all {state.failure}',
            )
        ]
    if state.window is None or not state.window.is_lost:
        return []
    return [
        Defect(
            'contradiction',
            'the latest data contradict the estimate, which stays as it was: they are damaged, or '
            'the robot has changed',
        )
    ]


def _unconverged(state: Identification, factor: float) -> list[Defect]:
    """Return whether the last fit ended while the unknowns still went far."""
    if state.converged:
        return []
    step = state.information.deviations(state.information.values() - state.centre)
    if step <= _UNCONVERGED * factor:
        return []
    return [
        Defect(
            'convergence',
            f'the fit has not converged: its last step was {step:.2g} standard deviations; data '
            'and description contradict each other, or too little is known',
        )
    ]


def _hidden(state: Identification, factor: float) -> list[Defect]:
    """Return whether a calibration that is off biases parameters that look as they should."""
    shifts = [cause.shift for cause in state.causes if cause.shift is not None]
    if not shifts or max(shifts) <= HARMFUL * factor:
        return []
    cause = state.causes[0].description.split(' ', maxsplit=1)[0]
    return [
        Defect(
            'calibration',
            f'parameters are off by up to {max(shifts):.2g} standard deviations if {cause}, which '
            'these data show, is left out',
        )
    ]


def _implausible_noise(state: Identification, factor: float) -> list[Defect]:
    """Return which sizes of noise that the fit found no noise has."""
    found = [each for each in state.found_noise if each.value > each.most * factor]
    return [
        Defect(
            'scatter',
            f'{noise.name} of {noise.value:.2g}, at most {noise.most:g} is plausible: the wrench '
            'does not explain the motion; axes, signs or units of it or of poses are not as '
            'stated, or something else moves the robot'
            if noise.is_of_wrench
            else f'{noise.name} of {noise.value:.2g}'
            f', at most {noise.most:g} is plausible: commands are lost or not carried out as sent',
        )
        for noise in found
    ]


def _far_mass(state: Identification, factor: float) -> list[Defect]:
    """Return whether the total mass is far from the description's."""
    found = DescribedMass.of(state)
    if found is None or found.deviations <= _FAR * factor:
        return []
    return [
        Defect(
            'mass',
            f'the total mass of {found.mass:.4g} kg is {100.0 * (found.ratio - 1.0):+.0f} % off '
            f'the {found.described:.4g} kg described, {found.deviations:.1f} times what '
            'prior_mass_std leaves open: '
            'units of wheel rates, spin inertias of the wheels or the description are wrong',
        )
    ]

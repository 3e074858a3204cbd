"""The result of an identification, live or of a log, by any method: one type, one schema."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.assumptions import Assumption
from spacerobot_id.estimation.batch.cause import Cause
from spacerobot_id.estimation.batch.reweighting import found_noise, noise_note
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.excitation_report import ExcitationReport
from spacerobot_id.estimation.fit_quality import FitQuality, ResidualSeries
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.recursive.changed_body import changed_bodies, ChangedBody
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.verdict import Defect, defects
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.solution import FoundNoise
from spacerobot_id.model import InertialParameters

if TYPE_CHECKING:
    from spacerobot_id.measurement.log_record import LogRecord

SCHEMA = 1
"""Version of ``Result.to_dict``; docs/interfaces.md describes it."""

MISFIT = 'samples that did not fit'
"""Reason for rejected samples that the gate gives."""

_BADLY_PREDICTED = 1.2
"""Chi-square per reading beyond which held-out samples are worth a warning."""


@dataclass(frozen=True, eq=False)
class Validation:
    """How an estimate predicts samples that it has not seen.

    Parameters
    ----------
    samples : int
        Number of samples.
    rms : ndarray, shape (k,)
        Root mean square of the misfit of the k readings, in their units.
    units : tuple of str
        Units.
    chi_square : float
        Sum of squares per degree of freedom, whitened by the full covariance; near one where all
        is well.
    residuals : ResidualSeries, optional
        Measured less predicted readings.
    """

    samples: int
    rms: NDArray[np.float64]
    units: tuple[str, ...]
    chi_square: float
    residuals: ResidualSeries | None = None

    @property
    def is_worse_than_noise(self) -> bool:
        """Whether the misfit is more than the stated noise and chance explain."""
        chance = np.sqrt(2.0 / max(self.samples * len(self.rms), 1))
        return not self.chi_square <= max(_BADLY_PREDICTED, 1.0 + 5.0 * chance)

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'samples': self.samples,
            'rms': self.rms.tolist(),
            'units': list(self.units),
            'chi_square': finite(self.chi_square),
        }


@dataclass(frozen=True, eq=False)
class Result:
    """What is known of a robot, and what a reader needs to judge it.

    Parameters
    ----------
    method : Method
        How it was identified.
    estimate : Estimate
        Parameters and uncertainty.
    values : ndarray, shape (u,)
        All unknowns.
    positions : ndarray, shape (n,)
        Joint positions that the whole robot is described at, rad or m.
    links : ConsistentParameters, optional
        Links nearest to the prior that can exist and fit; None where links do not show, or are
        not wanted.
    quality : FitQuality, optional
        How well the samples are explained that it is made of.
    residuals : ResidualSeries, optional
        What it leaves over of them.
    excitation : ExcitationReport, optional
        What the motion shows, before any fit.
    validation : Validation, optional
        How held-out samples are predicted.
    rejected : mapping of str to int
        Messages and samples that were not used, by reason.
    reordered : mapping of str to int
        Messages that came after later ones and were put in order, by topic.
    changes : int
        Times the robot was found changed; the estimate is that after the last.
    announced : tuple of float
        Times of the last samples that had been looked at when changes were found, s.
    changed : tuple of ChangedBody
        What came or went at the last change, by link.
    defects : tuple of Defect
        Why the estimate may not be used; empty if it may.
    notes : tuple of str
        Further warnings, a sentence each.
    causes : tuple of Cause
        What would explain what the fit leaves over, the likeliest first.
    noise : tuple of FoundNoise
        Sizes of noise that the fit found.
    assumptions : tuple of Assumption
        Errors taken to be zero that would spoil the intervals, the likeliest first.
    std_by_flights : ndarray, shape (u,), optional
        Standard deviations of all unknowns by how far flights scatter; None of too few flights.
    """

    method: Method
    estimate: Estimate
    values: NDArray[np.float64]
    positions: NDArray[np.float64]
    links: ConsistentParameters | None = None
    quality: FitQuality | None = None
    residuals: ResidualSeries | None = None
    excitation: ExcitationReport | None = None
    validation: Validation | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    reordered: Mapping[str, int] = field(default_factory=dict)
    changes: int = 0
    announced: tuple[float, ...] = ()
    changed: tuple[ChangedBody, ...] = ()
    defects: tuple[Defect, ...] = ()
    notes: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    noise: tuple[FoundNoise, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    std_by_flights: NDArray[np.float64] | None = None

    @classmethod
    def of_state(
        cls,
        state: Identification,
        positions: NDArray[np.float64],
        before: Collection[str] = (),
        **others: object,
    ) -> 'Result':
        """Return the result that a state of the recursion holds.

        Parameters
        ----------
        state : Identification
            State.
        positions : ndarray, shape (n,)
            Joint positions that the whole robot is described at.
        before : collection of str
            Kinds of the defects that there were a moment ago.
        **others
            Further fields.
        """
        rejected = {MISFIT: state.rejected} | dict(others.pop('rejected', {}))
        notes = state.notes + noise_note(state.shown) + tuple(others.pop('notes', ()))
        result = cls(
            state.method,
            state.estimate(),
            state.values(),
            positions,
            rejected=rejected,
            changes=state.changes,
            announced=state.announced,
            changed=changed_bodies(state),
            noise=state.found_noise + found_noise(state.shown),
            notes=notes,
            residuals=state.residuals,
            std_by_flights=state.std_by_flights,
            **{'quality': state.quality, 'causes': state.causes} | others,
        )
        return replace(result, defects=defects(state, result.body, result.links, before))

    def with_log(self, log: 'LogRecord') -> 'Result':
        """Return the result with what was not used of its log, and notes on that."""
        return replace(
            self,
            rejected={**log.rejected, **self.rejected},
            reordered=dict(log.reordered),
            notes=self.notes + log.warnings(),
        )

    @cached_property
    def robot(self) -> InertialParameters | None:
        """The whole robot as it stands; None where its mass does not show."""
        return self.method.robot(self.values, self.positions)

    @cached_property
    def inertia(self) -> NDArray[np.float64] | None:
        """Its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        return self.method.inertia(self.values, self.positions)

    @property
    def intervals_hold(self) -> bool:
        """Whether standard deviations cover the errors: not where the regressor is noisy."""
        return not self.method.is_for_comparison

    @property
    def body(self) -> InertialParameters | None:
        """The whole robot, or its inertia with a mass of one where the mass does not show."""
        if self.robot is None and self.inertia is not None:
            return InertialParameters(1.0, np.zeros(3), self.inertia)
        return self.robot

    @property
    def is_usable(self) -> bool:
        """Whether the estimate can be used, if with intervals to be scaled."""
        return not self.defects

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why the estimate may not be used."""
        return tuple(each.sentence for each in self.defects)

    def warnings(self) -> tuple[str, ...]:
        """Return what has to be known before the numbers are used, a sentence each."""
        messages = self.reasons
        if self.quality is not None:
            messages += tuple(each for each in self.quality.warnings() if each not in messages)
        messages += tuple(cause.sentence() for cause in self.causes)
        messages += self.notes
        if self.validation is not None and self.validation.is_worse_than_noise:
            messages += (
                f'{self.validation.samples} samples held out are predicted worse than the stated '
                f'noise explains: chi-square {self.validation.chi_square:.4g} per output',
            )
        return messages

    def mass_std(self) -> float:
        """Return the standard deviation of the total mass, kg; NaN where it does not show."""
        masses = list(self.method.masses)
        if not masses:
            return math.nan
        return float(np.sqrt(self.estimate.covariance[np.ix_(masses, masses)].sum()))

    def to_dict(self) -> dict[str, object]:
        """Return plain values; numbers that are not finite become None."""
        estimate = self.estimate
        return {
            'schema': SCHEMA,
            'robot_name': self.method.model.name,
            'method': self.method.name,
            'usable': self.is_usable,
            'defects': list(self.reasons),
            'warnings': list(self.warnings()),
            'causes': [cause.to_dict() for cause in self.causes],
            'assumptions': [each.to_dict() for each in self.assumptions],
            'noise': [
                {'name': each.name, 'unit': each.unit, 'value': finite(each.value)}
                for each in self.noise
            ],
            'intervals_hold': self.intervals_hold,
            'samples': estimate.samples,
            'chi_square': finite(estimate.chi_square),
            'parameters': self._parameters(),
            'others': [
                {
                    'name': each.name,
                    'unit': each.unit,
                    'value': finite(each.value),
                    'std': finite(each.std),
                    'identified': each.is_identified,
                }
                for each in estimate.others
            ],
            'robot': self._robot(),
            'links': None if self.links is None else link_values(self.links),
            'physics': None if self.links is None else self._physics(),
            'identifiability': {
                'rank': estimate.rank,
                'total': len(estimate.names),
                'condition_number': finite(estimate.condition_number()),
                'not_identified': list(estimate.not_identified()),
                'gauge': self.method.gauge,
                'before': None if self.excitation is None else self.excitation.to_dict(),
            },
            'quality': None if self.quality is None else self.quality.to_dict(),
            'validation': None if self.validation is None else self.validation.to_dict(),
            'rejected': dict(self.rejected),
            'reordered': dict(self.reordered),
            'changes': self.changes,
            'changed': [each.to_dict() for each in self.changed],
        }

    def _parameters(self) -> dict[str, list]:
        """Return the parameters as columns."""
        estimate = self.estimate
        prior = self.method.prior().mean[: len(estimate.names)]
        return {
            'names': list(estimate.names),
            'units': list(estimate.units),
            'values': finite_list(estimate.values),
            'std': [finite(value) for value in estimate.std],
            'std_by_flights': None
            if self.std_by_flights is None
            else finite_list(self.std_by_flights[: len(estimate.names)]),
            'prior': finite_list(prior),
            'prior_std': [finite(value) for value in estimate.prior_std],
            'over_mass': None
            if estimate.ratios is None
            else {
                'units': list(estimate.ratios.units(estimate.units)),
                'values': finite_list(estimate.ratios.values),
                'std': finite_list(estimate.ratios.std),
            },
        }

    def _robot(self) -> dict[str, object]:
        """Return mass, centre of mass and inertia of the whole; None where they do not show."""
        robot, inertia = self.robot, self.inertia
        return {
            'mass': None if robot is None else finite(robot.mass),
            'mass_std': finite(self.mass_std()),
            'center_of_mass': None if robot is None else finite_list(robot.com),
            'inertia': None if inertia is None else [finite_list(row) for row in inertia],
        }

    def _physics(self) -> dict[str, object]:
        return {
            'contradicts_data': self.links.contradicts_data,
            'chi_square': finite(self.links.misfit),
            'allowed': finite(self.links.allowed),
        }


def link_values(links: ConsistentParameters) -> list[dict[str, object]]:
    """Return the links as plain values, in the axes of the URDF."""
    return [
        {
            'name': link.name,
            'mass': float(link.inertial.mass),
            'com': (link.R_UL @ link.inertial.com).tolist(),
            'inertia': (link.R_UL @ link.inertial.inertia_about_com @ link.R_UL.T).tolist(),
            'physically_consistent': link.inertial.is_physical() and not links.contradicts_data,
        }
        for link in links.model.links
    ]


def finite(value: float) -> float | None:
    """Return a number that JSON knows."""
    return float(value) if math.isfinite(value) else None


def finite_list(values: NDArray[np.float64]) -> list[float | None]:
    """Return numbers that JSON knows."""
    return [finite(value) for value in values]

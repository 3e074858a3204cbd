"""All that identification carries from block to block, whatever the method."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.estimate import Estimate, estimate_from_information
from spacerobot_id.estimation.fit_quality import fit_quality, FitQuality, ResidualSeries
from spacerobot_id.estimation.recursive.rejection_window import NO_REJECTIONS, RejectionWindow
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.estimation.states.window import Window
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.solution import (
    FittedStates,
    FoundNoise,
    Prior,
    Residuals,
    Solution,
)
from spacerobot_id.model import InertialParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.estimation.batch.cause import Cause


@dataclass(frozen=True, eq=False)
class Identification:
    """State of the recursion; a value that nothing changes.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    settings : RecursionSettings
        How it runs.
    prior : Prior
        Prior information from the description.
    known : SquareRootInformation
        Information from samples that are no longer kept; after a change of the robot or a
        restart, all that was known before it, the description included.
    information : SquareRootInformation
        Everything.
    centre : ndarray, shape (u,)
        Unknowns that new samples are linearised about.
    recorded : tuple of Record
        Samples kept and absorbed.
    gram : ndarray, shape (p, p)
        ``G^T G`` of the rows that judge excitation.
    samples : int
        Samples absorbed.
    linearised : int
        Samples absorbed when all were last linearised.
    noise : float
        Variance of the noise when all were last linearised, where 1 is stated; at least 1.
    rejected : int
        Samples rejected so far because they did not fit.
    changes : int
        Times the robot was found changed.
    announced : tuple of float
        Times of the last samples that had been looked at then, s; not kept over a restart.
    rejections : RejectionWindow
        Samples rejected lately, in case the robot has changed.
    unchanged : SquareRootInformation, optional
        What was known before the last change.
    described : bool
        Whether the description still counts as the prior; after a change or a restart it is in
        what is known.
    tail : Record, optional
        Samples that what is derived from the next ones needs.
    prepared_until : float
        Time of the last of them that was looked at itself, s.
    condition : float, optional
        Condition number of the last fit, where it is not that of ``gram``.
    aside : tuple of Record
        Samples kept that stand out, judged again whenever all are relinearised.
    quality : FitQuality, optional
        How well the samples were explained when all were last linearised.
    residuals : ResidualSeries, optional
        What it left over of them.
    causes : tuple of Cause
        What would explain what was left over, where that was looked for.
    looked : int
        Samples absorbed when it was looked for while the robot moved, last.
    found_noise : tuple of FoundNoise
        Sizes of noise that the last fit found.
    notes : tuple of str
        Notes on the last fit, a sentence each.
    shortages : tuple of str
        What the samples of the last fit are too few for, a sentence each.
    failure : str
        Why the last fit led to no robot, so that the estimate is that of the one before; empty if
        it did not.
    converged : bool
        Whether the last step of the last fit was small against the standard deviations.
    std_by_flights : ndarray, shape (u,), optional
        Standard deviations by how far flights scatter, where the last fit was of several.
    window : Window, optional
        What a method with local states, whose latest samples are smoothed, has found so far.
    fit : FittedStates, optional
        The last fit with its local states, of a method that has some.
    smoothed_until : float
        Time of the last sample when it did so last, s.
    shown : ndarray, shape (4,), optional
        Variances of the noise of joints, gyro, velocity and pose over those stated, where
        residuals showed that they are others; all samples kept are weighed by them.
    """

    method: Method
    settings: RecursionSettings
    prior: Prior
    known: SquareRootInformation
    information: SquareRootInformation
    centre: NDArray[np.float64]
    recorded: tuple[Record, ...]
    gram: NDArray[np.float64]
    samples: int = 0
    linearised: int = 0
    noise: float = 1.0
    rejected: int = 0
    changes: int = 0
    announced: tuple[float, ...] = ()
    rejections: RejectionWindow = NO_REJECTIONS
    unchanged: SquareRootInformation | None = None
    described: bool = True
    tail: Record | None = None
    prepared_until: float = -np.inf
    condition: float | None = None
    aside: tuple[Record, ...] = ()
    quality: FitQuality | None = None
    residuals: ResidualSeries | None = None
    causes: 'tuple[Cause, ...]' = ()
    looked: int = 0
    found_noise: tuple[FoundNoise, ...] = ()
    notes: tuple[str, ...] = ()
    shortages: tuple[str, ...] = ()
    failure: str = ''
    converged: bool = True
    std_by_flights: NDArray[np.float64] | None = None
    window: Window | None = None
    fit: FittedStates | None = None
    smoothed_until: float = -np.inf
    shown: NDArray[np.float64] | None = None

    @property
    def beforehand(self) -> tuple[Prior | None, SquareRootInformation | None]:
        """What is known beside the samples kept: the prior if it counts, and older information."""
        is_prior = self.described and not self.method.is_for_comparison
        return self.prior if is_prior else None, self.known if self.known.factor.any() else None

    @property
    def first_values(self) -> NDArray[np.float64]:
        """Unknowns that no sample kept has moved: those of the description, or what is known."""
        return self.prior.mean if self.described else self.known.values()

    @property
    def looks_for_changes(self) -> bool:
        """Whether samples that do not fit are rejected, and a changed robot is announced."""
        return not self.method.no_gate and bool(self.settings.change.gate)

    @property
    def gates_samples(self) -> bool:
        """Whether samples are judged one by one; a method that solves at once looks itself."""
        return self.looks_for_changes and not self.method.solves_at_once

    @property
    def first_sizes(self) -> NoiseSizes | None:
        """Sizes of noise that a fit with local states starts from; None if none were found."""
        return None if self.fit is None else self.fit.first_sizes

    @property
    def is_smoothed(self) -> bool:
        """Whether the latest samples are fitted again and again, with local states."""
        states = self.method.states
        return states is not None and states.refit_interval > 0.0

    def is_moving(self, block: Record) -> NDArray[np.bool_]:
        """Return in which samples something moves, shape (N,)."""
        return self.method.is_moving(block)

    def rested(self, now: float, resting: int) -> 'Identification':
        """Return the state after samples in which nothing moves."""
        window = self.settings.change.window
        return replace(self, rejections=self.rejections.with_rest(now, resting, window))

    def estimate(self) -> Estimate:
        """Return what is known now; it is computed once for every state."""
        return self._estimate

    @cached_property
    def _estimate(self) -> Estimate:
        return estimate_from_information(
            self.method,
            self.information,
            self.prior,
            self.gram,
            self.samples,
            self.condition,
            self._shown_noise,
        )

    @property
    def _shown_noise(self) -> float:
        """Variance of the noise that slow residuals show, where 1 is stated."""
        is_unknown = self.quality is None or self.method.is_for_comparison
        return 1.0 if is_unknown else self.quality.noise

    def after(self, fit: Solution, samples: Record | None = None) -> 'Identification':
        """Return the state after a fit of its samples, judged by what that leaves over.

        Parameters
        ----------
        fit : Solution
            The fit.
        samples : Record, optional
            Samples that it is of; all that are kept by default.
        """
        fitted = replace(
            self,
            information=fit.information,
            centre=fit.values,
            linearised=self.samples,
            noise=fit.information.noise_variance(),
            condition=fit.condition,
            found_noise=fit.noise,
            notes=fit.notes,
            shortages=fit.shortages,
            failure='',
            converged=fit.converged,
            std_by_flights=fit.std_by_flights,
            fit=fit.fit,
        )
        return fitted.judged(fit.residuals, samples)

    def judged(
        self, residuals: Residuals | None = None, samples: Record | None = None
    ) -> 'Identification':
        """Return the state with what its fit leaves over, and the quality of that.

        Parameters
        ----------
        residuals : Residuals, optional
            What it leaves over, where that is known.
        samples : Record, optional
            Samples that it is of; all that are kept by default.
        """
        if not self.recorded:
            return self
        samples = Record.concatenate(self.recorded) if samples is None else samples
        values = self.information.values()
        left = ResidualSeries.of(self.method, samples, values, residuals)
        walks = len(self.method.unknowns.walk) > 0
        unknowns = len(values) + left.fitted
        quality = fit_quality(
            left.times, left.values, unknowns, self.rejected, with_windows=not walks
        )
        return replace(self, quality=quality, residuals=left)

    def reweighted(self, samples: Record) -> Record:
        """Return samples, weighed as stated, by the noise that residuals showed."""
        return samples if self.shown is None else samples.weighed(self.shown)

    def weighed(self, factors: NDArray[np.float64]) -> 'Identification':
        """Return the state with the samples that are kept weighed otherwise, to be refined.

        Parameters
        ----------
        factors : ndarray, shape (4,)
            What the variance of the noise of each stream is multiplied by.
        """
        return replace(
            self,
            recorded=tuple(part.weighed(factors) for part in self.recorded),
            aside=tuple(part.weighed(factors) for part in self.aside),
            rejections=NO_REJECTIONS,
            shown=factors if self.shown is None else self.shown * factors,
        )

    def of_changed_robot(
        self,
        method: Method,
        before: SquareRootInformation,
        known: SquareRootInformation,
        when: float,
    ) -> 'Identification':
        """Return the state of a robot that has changed, none of its samples absorbed.

        Parameters
        ----------
        method : Method
            Method from then on.
        before : SquareRootInformation
            What was known before the change.
        known : SquareRootInformation
            What still holds.
        when : float
            Time of the last sample that had been looked at when that was found, s.
        """
        return replace(
            self,
            method=method,
            prior=method.prior(),
            known=known,
            information=known,
            centre=known.values(),
            recorded=(),
            aside=(),
            gram=np.zeros_like(self.gram),
            samples=0,
            linearised=0,
            changes=self.changes + 1,
            announced=(*self.announced, when),
            described=False,
            rejections=NO_REJECTIONS,
            unchanged=before,
            quality=None,
            residuals=None,
            causes=(),
            looked=0,
            fit=None,
            failure='',
            converged=True,
        )

    def values(self) -> NDArray[np.float64]:
        """Return all unknowns, shape (u,): those of the prior while nothing is estimated."""
        estimate = self.estimate()
        return np.append(estimate.values, [each.value for each in estimate.others])

    def robot(self, q: NDArray[np.float64]) -> InertialParameters | None:
        """Return the whole robot at joint positions; None where its mass does not show."""
        return self.method.robot(self.values(), q)

    def inertia(self, q: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        return self.method.inertia(self.values(), q)

"""The experiment of papers/000 on its dual-arm robot, its numbers beside ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import FreeFloatingDynamics
from spacerobot_id.estimation import MomentumProblem
from spacerobot_id.evaluation.conserved_flight import conserved_flight
from spacerobot_id.evaluation.estimate_statistics import cramer_rao_std
from spacerobot_id.evaluation.euler_rates import inertial_rows
from spacerobot_id.evaluation.metrics import relative_to
from spacerobot_id.evaluation.naveen_estimation import (
    CaseEstimates,
    estimate_case,
    least_squares,
    Sensing,
)
from spacerobot_id.evaluation.naveen_excitation import (
    first_intervals,
    likely_orders,
    pruned_motion,
    PrunedMotion,
    write_interval_curves,
)
from spacerobot_id.evaluation.naveen_given import given_table, link_table, seed_table
from spacerobot_id.evaluation.naveen_planning import three_steps
from spacerobot_id.evaluation.naveen_plot import (
    plot_interval_curves,
    plot_parameter_errors,
    plot_prediction,
)
from spacerobot_id.evaluation.naveen_prediction import (
    share_table,
    validation_claims,
    validation_table,
)
from spacerobot_id.evaluation.naveen_published import published_naveen, PublishedNaveen
from spacerobot_id.evaluation.naveen_report import (
    certainty_claims,
    estimation_claims,
    excitation_claims,
    three_step_claims,
    true_value_claim,
)
from spacerobot_id.evaluation.naveen_tables import order_table, parameter_table
from spacerobot_id.evaluation.naveen_validation import (
    FourierMotion,
    predicted,
    prediction_errors,
    PredictionErrors,
    validation_motion,
)
from spacerobot_id.evaluation.reproduction import Claim, Reproduction
from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import load_robot, RobotModel, shipped_file

_RATE = 100.0
"""Samples per second; the paper does not print its own."""

_TITLE = (
    'papers/000, Naveen et al.: minimal parameters of a dual-arm robot from its momentum, '
    'Tables 3 to 7 and Figure 4'
)


@dataclass(frozen=True, eq=False)
class NaveenSettings:
    """How much is computed.

    Parameters
    ----------
    seeds : int
        Seeds of the noise in each case.
    plans : int
        Motions planned from scratch, by other draws each.
    restarts : int
        How many starts the search for each of them follows downhill.
    """

    seeds: int = 10
    plans: int = 3
    restarts: int = 4


def reproduce_naveen(folder: Path, settings: NaveenSettings = NaveenSettings()) -> Reproduction:
    """Run the experiment of papers/000, draw it and hold it against what is printed.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : NaveenSettings
        How much is computed.

    Returns
    -------
    Reproduction
        Claims, tables and pictures.
    """
    published = published_naveen()
    true, prior = _robot('naveen_dual_arm'), _robot('naveen_dual_arm_prior')
    orders = [
        pruned_motion(published, true, prior, name, directions)
        for name, directions in likely_orders().items()
    ]
    plans = [
        three_steps(published, true, prior, seed, settings.restarts)
        for seed in range(settings.plans)
    ]
    problem = MomentumProblem.from_model(prior)
    values = problem.minimal.values(true)
    plan = first_intervals(orders[0].plan, published.kept)
    clean = conserved_flight(true, plan, _RATE)
    cases = [
        estimate_case(problem, clean, values, case.intervals, sensing, range(settings.seeds))
        for case in published.cases
        for sensing in Sensing
    ]
    bound = cramer_rao_std(problem, clean, values)
    validation = _Validation.of(published, problem, values, true, cases)
    files = _pictures(folder, published, problem, orders[0], cases, validation)
    claims = [
        true_value_claim(published, values),
        *excitation_claims(published, orders[0]),
        *three_step_claims(published, plans),
        _without_noise(problem, clean, values),
        *estimation_claims(published, cases),
        *(
            claim
            for case in cases[: len(Sensing)]
            for claim in certainty_claims(published, case, bound)
        ),
        *validation_claims(published, validation.errors),
    ]
    tables = (
        order_table(published, orders, plans),
        *(
            parameter_table(published, problem.minimal, values, cases, sensing)
            for sensing in Sensing
        ),
        validation_table(published, validation.errors),
        share_table(published, validation.errors),
        link_table(published, true, prior),
        seed_table(published, plans),
        given_table(published, true, len(values), validation.motion),
    )
    return Reproduction('naveen', _TITLE, tuple(claims), files, tables)


@dataclass(frozen=True, eq=False)
class _Validation:
    """Predictions of several estimates along the Fourier motion, and their errors by name."""

    motion: FourierMotion
    want: FreeFloatingDynamics
    got: dict[str, FreeFloatingDynamics]
    errors: dict[str, PredictionErrors]

    @classmethod
    def of(
        cls,
        published: PublishedNaveen,
        problem: MomentumProblem,
        values: NDArray[np.float64],
        true: RobotModel,
        cases: Sequence[CaseEstimates],
    ) -> '_Validation':
        """Predict with the paper's own estimates, with least squares and with ours."""
        motion = validation_motion(true)
        want = predicted(true, problem.minimal, values, motion)
        rates, poses = cases[: len(Sensing)]
        estimates = {
            "paper's Table 5": published.cases[0].estimates[None],
            'least squares': rates.least_squares.values,
            'ours, rates': rates.ours.values,
            'ours, poses': poses.ours.values,
        }
        got = {
            name: [predicted(true, problem.minimal, each, motion) for each in several]
            for name, several in estimates.items()
        }
        errors = {
            name: _mean([prediction_errors(want, each) for each in several])
            for name, several in got.items()
        }
        return cls(motion, want, {name: several[0] for name, several in got.items()}, errors)


def _mean(errors: Sequence[PredictionErrors]) -> PredictionErrors:
    """Return the mean of errors over seeds."""
    return PredictionErrors(
        np.mean([each.base_twist for each in errors], axis=0),
        np.mean([each.joint_torques for each in errors], axis=0),
    )


def _without_noise(
    problem: MomentumProblem, clean: Measurement, values: NDArray[np.float64]
) -> Claim:
    """Return how far least squares is from the truth where there is no noise."""
    found = least_squares(inertial_rows(problem, clean))
    worst = 100.0 * np.max(np.abs(relative_to(values, found - values)))
    return Claim('least squares without noise: largest error', worst, '%', at_most=1e-3)


def _pictures(
    folder: Path,
    published: PublishedNaveen,
    problem: MomentumProblem,
    pruned: PrunedMotion,
    cases: Sequence[CaseEstimates],
    validation: _Validation,
) -> tuple[Path, ...]:
    """Write the pictures and return their paths."""
    files = tuple(folder / f'{name}.png' for name in ('figure_4', 'errors', 'validation'))
    curves = folder / 'figure_4.csv'
    write_interval_curves(curves, pruned.curves)
    plot_interval_curves(files[0], pruned.curves, len(problem.minimal), published.significant)
    case = cases[0]
    stated = published.cases[0].estimates - case.ours.true
    plot_parameter_errors(
        files[1],
        problem.minimal.names,
        {
            'paper': np.abs(relative_to(case.ours.true, stated)),
            'least squares': case.least_squares.relative[0],
            'ours': case.ours.relative[0],
        },
    )
    drawn = {
        name: validation.got[key]
        for name, key in (('least squares', 'least squares'), ('ours', 'ours, rates'))
    }
    plot_prediction(files[2], validation.motion, validation.want, drawn)
    return (*files, curves)


def _robot(name: str) -> RobotModel:
    """Return a shipped robot, whose printed inertias are known to be those of no body."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(shipped_file(f'config/robots/{name}.urdf'))

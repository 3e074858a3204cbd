"""The experiment of papers/004 on its spatial manipulator, its numbers beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data.fourier_polynomial import Span
from spacerobot_id.estimation import (
    AcceleratedMotion,
    angular_momentum_least_squares,
    AngularMomentumProblem,
    differentiated_motion,
    equations_of_motion_least_squares,
    ReducedSettings,
)
from spacerobot_id.evaluation import christidi_report as report
from spacerobot_id.evaluation.christidi_estimation import (
    Estimates,
    estimates_over_seeds,
    fitted_equations_of_motion,
    ours,
    paper_angular_momentum,
    paper_equations_of_motion,
)
from spacerobot_id.evaluation.christidi_given import robot_table
from spacerobot_id.evaluation.christidi_parameters import published_order
from spacerobot_id.evaluation.christidi_plan import (
    better_conditioned,
    condition_numbers,
    ConditionNumbers,
)
from spacerobot_id.evaluation.christidi_plot import (
    plot_motions,
    plot_reduced_errors,
    plot_sensed_motion,
)
from spacerobot_id.evaluation.christidi_published import published_christidi, PublishedChristidi
from spacerobot_id.evaluation.momentum_flight import (
    fly_with_momentum,
    MomentumFlight,
    sensed,
    some_of,
)
from spacerobot_id.evaluation.reproduction import Reproduction
from spacerobot_id.excitation import (
    FourierQuintic,
    FourierQuinticFamily,
    KnownMomentum,
    plan_angular_momentum,
    SearchEffort,
)
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.regressor import identifiability_table

_RATE = 100.0
"""Samples per second; the paper does not print its own."""

_WINDOW = 11
"""Angles that a rate is taken from; the paper does not say."""

_BIAS = 5e-7
"""How far the bias of the gyro may be from zero, rad/s: a tenth of a degree per hour."""

_TITLE = (
    'papers/004, Christidi-Loumpasefski et al.: parameters of a space manipulator from its '
    'angular momentum, Tables II and III and Figure 3'
)


@dataclass(frozen=True)
class ChristidiSettings:
    """How much is computed.

    Parameters
    ----------
    seeds : int
        Seeds of the noise in each case.
    draws, restarts, iterations : int
        How much is tried to plan our own motion.
    """

    seeds: int = 20
    draws: int = 100
    restarts: int = 3
    iterations: int = 25


def reproduce_christidi(
    folder: Path, settings: ChristidiSettings = ChristidiSettings()
) -> Reproduction:
    """Run the experiment of papers/004, draw it and hold it against what is printed.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : ChristidiSettings
        How much is computed.

    Returns
    -------
    Reproduction
        Claims, tables and pictures.
    """
    published = published_christidi()
    problem = _problem(published)
    order = published_order(problem.reduced)
    true = problem.reduced.values(problem.model)[order]
    names = [problem.reduced.names[place] for place in order]
    motion = published.motion(problem.model.joint_names)
    planned = _planned(published, settings)
    flight, own = (_flown(published, problem, each) for each in (motion, planned))
    cases = _cases(published, problem, flight, own, settings.seeds)
    clean = _without_noise(published, problem, flight)
    improved = better_conditioned(
        problem, motion, published.attitude, published.measurements, settings.iterations
    )
    claims = [
        *report.true_value_claims(published, true),
        *report.noise_free_claims(published, clean),
        *report.condition_claims(
            published,
            *(
                _condition(published, each, along)
                for each, along in (
                    (problem, motion),
                    (_as_printed(published, problem), motion),
                    (problem, improved),
                )
            ),
        ),
        *report.noise_claims(published, cases, settings.seeds),
        *report.beyond_claims(cases),
    ]
    tables = (
        report.table_three(published, names, true, clean, cases),
        report.beyond_table(names, cases),
        report.sight_table(identifiability_table(problem.model)),
        robot_table(published, problem.model),
    )
    files = _pictures(folder, published, problem, flight, {'Table II': motion, 'ours': planned})
    plot_reduced_errors(files[-1], _drawn(published, cases))
    return Reproduction('christidi', _TITLE, tuple(claims), files, tables)


def _problem(published: PublishedChristidi) -> AngularMomentumProblem:
    """Return the robot with the momentum that is known."""
    model = load_robot(shipped_file('config/robots/christidi_spatial_arm.urdf'))
    momentum = tuple(published.angular_momentum.tolist())
    settings = ReducedSettings(momentum, trust_zeros=True)
    return AngularMomentumProblem.from_model(model, settings, _BIAS)


def _planned(published: PublishedChristidi, settings: ChristidiSettings) -> FourierQuintic:
    """Return a motion planned with the prior, of as many seconds and harmonics as the paper's."""
    prior = load_robot(shipped_file('config/robots/christidi_spatial_arm_prior.urdf'))
    rest = np.zeros(len(prior.joints))
    family = FourierQuinticFamily(
        prior.joint_names, published.duration, published.harmonics, rest, rest
    )
    momentum = KnownMomentum(
        tuple(published.angular_momentum), tuple(published.attitude), trust_zeros=True
    )
    effort = SearchEffort(settings.draws, settings.restarts, settings.iterations)
    return plan_angular_momentum(prior, family, momentum, effort)


def _flown(
    published: PublishedChristidi, problem: AngularMomentumProblem, motion: FourierQuintic
) -> MomentumFlight:
    return fly_with_momentum(
        problem.model, motion, published.angular_momentum, published.attitude, _RATE
    )


def _condition(
    published: PublishedChristidi, problem: AngularMomentumProblem, motion: FourierQuintic
) -> ConditionNumbers:
    """Return the condition numbers over the few samples that the paper uses."""
    flight = _flown(published, problem, motion)
    rows = some_of(len(flight.samples), published.measurements)
    return condition_numbers(problem, flight[rows])


def _as_printed(
    published: PublishedChristidi, problem: AngularMomentumProblem
) -> AngularMomentumProblem:
    """Return the robot whose first joint is where Table I prints it."""
    first, *others = problem.model.joints
    moved = replace(first, p_PC_P=np.array(published.r_0))
    return replace(problem, model=replace(problem.model, joints=[moved, *others]))


def _cases(
    published: PublishedChristidi,
    problem: AngularMomentumProblem,
    flight: MomentumFlight,
    own: MomentumFlight,
    seeds: int,
) -> dict[str, Estimates]:
    """Return the estimates of every method."""
    count, span = published.measurements, Span(0.0, published.duration)
    methods = {
        report.PAPER_EQUATIONS: (flight, paper_equations_of_motion(count)),
        report.FITTED_EQUATIONS: (flight, fitted_equations_of_motion(count, span)),
        report.PAPER_MOMENTUM: (flight, paper_angular_momentum(count)),
        report.EVERY_EQUATIONS: (flight, fitted_equations_of_motion(None, span)),
        report.EVERY_MOMENTUM: (flight, paper_angular_momentum(None)),
        report.OURS: (flight, ours(span)),
        report.OURS_TORQUES: (flight, ours(span, with_torques=True)),
        report.OURS_PLANNED: (own, ours(span)),
    }
    return {
        name: estimates_over_seeds(problem, flown, estimator, _WINDOW, range(seeds))
        for name, (flown, estimator) in methods.items()
    }


def _without_noise(
    published: PublishedChristidi, problem: AngularMomentumProblem, flight: MomentumFlight
) -> dict[str, NDArray[np.float64]]:
    """Return relative errors of both methods from true rates and accelerations, %."""
    few = flight[some_of(len(flight.samples), published.measurements)]
    seen, samples = few.measurement(), few.samples
    accelerated = AcceleratedMotion(
        samples.q,
        samples.qd,
        samples.qdd,
        samples.base_twist[:, 3:],
        few.bending,
        np.zeros_like(few.bending),
        few.joint_torque,
    )
    order = published_order(problem.reduced)
    true = problem.reduced.values(problem.model)[order]
    found = {
        'equations of motion': equations_of_motion_least_squares(problem, accelerated),
        'angular momentum': angular_momentum_least_squares(problem, seen),
    }
    return {name: 100.0 * (each.values()[order] / true - 1.0) for name, each in found.items()}


def _pictures(
    folder: Path,
    published: PublishedChristidi,
    problem: AngularMomentumProblem,
    flight: MomentumFlight,
    motions: Mapping[str, FourierQuintic],
) -> tuple[Path, ...]:
    """Write the pictures of the motions; return their paths and that of the errors."""
    files = tuple(folder / f'{name}.png' for name in ('figure_3', 'motions', 'errors'))
    seen = sensed(problem.model, flight, _WINDOW, seed=0)
    accelerated = differentiated_motion(problem, seen, 3)
    plot_sensed_motion(
        files[0], seen[1:-1], accelerated.qdd, published.motion(problem.model.joint_names)
    )
    plot_motions(files[1], motions)
    return files


def _drawn(
    published: PublishedChristidi, cases: Mapping[str, Estimates]
) -> dict[str, NDArray[np.float64]]:
    """Return the errors that are drawn."""
    shown = (
        report.PAPER_EQUATIONS,
        report.PAPER_MOMENTUM,
        report.EVERY_MOMENTUM,
        report.OURS_PLANNED,
    )
    return {
        'paper, equations of motion': published.with_noise.equations_of_motion,
        'paper, angular momentum': published.with_noise.angular_momentum,
        **{name: cases[name].errors for name in shown},
    }

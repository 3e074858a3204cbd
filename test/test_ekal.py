"""The study of papers/003 on a small scale: loads, errors, claims, pictures."""

from dataclasses import replace

from free_flyer_flights import ROBOT
import numpy as np
import pytest

from spacerobot_id.estimation import HARMONICS
from spacerobot_id.evaluation import ekal
from spacerobot_id.evaluation.ekal import run_study
from spacerobot_id.evaluation.ekal_cases import (
    CASES,
    FREE_V1,
    LIMITED_V1,
    SLOW_FREE_V1,
    SLOW_V1,
)
from spacerobot_id.evaluation.ekal_claims import claims_of
from spacerobot_id.evaluation.ekal_estimation import collect, FlightEstimates, METHODS
from spacerobot_id.evaluation.ekal_given import given_table
from spacerobot_id.evaluation.ekal_harmonics import best_harmonics, harmonics_claims
from spacerobot_id.evaluation.ekal_harmonics_plot import plot_all_choices, plot_one_choice
from spacerobot_id.evaluation.ekal_plot import plot_absolute, plot_errors, plot_saturation
from spacerobot_id.evaluation.ekal_published import published_ekal
from spacerobot_id.evaluation.ekal_study import draw_loads, EkalSettings, fly_case, plan_motion

SMALL = EkalSettings(loads=2, trajectories=1, cycles=3, iterations=5)


@pytest.fixture(scope='module', name='study')
def small_study():
    cases = (FREE_V1, LIMITED_V1, SLOW_V1, SLOW_FREE_V1)
    with pytest.MonkeyPatch.context() as patch:  # predictive control has a test of its own
        patch.setattr(ekal, 'has_predictive_control', lambda: False)
        return run_study(ROBOT, SMALL, cases).results


def test_loads_are_drawn_like_the_papers_and_can_exist():
    """Means and deviations of 6.2, as far as bodies that can exist have them."""
    loads = draw_loads(200, 1)
    assert all(load.is_physical() for load in loads)
    masses = [load.mass for load in loads]
    assert np.mean(masses) == pytest.approx(7.2, abs=0.15)
    assert np.std(masses) == pytest.approx(0.5, rel=0.2)
    assert np.std([load.com for load in loads]) == pytest.approx(0.04, rel=0.15)
    assert draw_loads(2, 5)[1].mass == draw_loads(3, 5)[1].mass


def test_errors_are_those_of_the_paper():
    """Eq. 24, absolute and as shares; a perfect estimate has none."""
    motion = plan_motion(FREE_V1.criterion, 10.0, 0, SMALL)
    loads = draw_loads(1, 3)
    flight = fly_case(ROBOT, loads, [motion], SMALL, limited=False)
    truth = loads[0].vector
    wrong = truth.copy()
    wrong[6:] *= 1.1  # a heavier body with the same centre of mass
    values = np.stack([truth, wrong, truth])
    swept = np.stack([truth] * 7 + [wrong])
    estimates = FlightEstimates(values, 3, np.arange(8.0), swept, np.full(10, 0.1))
    result = collect(FREE_V1, ROBOT, loads, flight, [estimates])
    np.testing.assert_allclose(result.absolute[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(result.relative[1, 0], [10.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(result.absolute[1, 0, 0], 0.1 * truth[6])
    np.testing.assert_allclose(result.by_harmonics[0, 6:, 0], [0.0, 10.0], atol=1e-9)


def test_ours_is_better_on_the_same_flights(study):
    """Even on three cycles; saturation only where there are limits."""
    for case, result in study.items():
        assert result.relative.shape == (len(METHODS), 2, 3)
        better = result.medians('least squares') / result.medians('likelihood')
        assert (better[1:] > 3.0).all()
        assert bool(result.saturated.max() > 0.0) == (case is LIMITED_V1)
        assert np.sqrt(np.mean(result.deviations**2)) < 3.0


def test_thrusts_are_shares_of_the_limit(study):
    """Cut at one where there are limits, above it where there are none."""
    assert study[FREE_V1].asked.max() > 1.0
    assert study[LIMITED_V1].asked.max() == pytest.approx(1.0)


def test_slow_flights_never_come_near_the_limits(study):
    """So that those without limits are the same, and their estimates too."""
    assert study[SLOW_FREE_V1].asked.max() < 1.0
    np.testing.assert_array_equal(study[SLOW_FREE_V1].relative, study[SLOW_V1].relative)


def test_harmonics_are_chosen_by_the_residual_alone(study):
    """The chosen number has the least residual, the best one the least error."""
    result = study[LIMITED_V1]
    tried = np.array(HARMONICS)
    np.testing.assert_array_equal(result.harmonics, tried[result.residuals.argmin(axis=1)])
    for flight, best in enumerate(best_harmonics(result)):
        for column, number in enumerate(best):
            errors = result.by_harmonics[flight, :, column]
            assert errors[number - tried[0]] == errors.min()
        chosen = result.by_harmonics[flight, result.harmonics[flight] - tried[0]]
        np.testing.assert_allclose(chosen, result.relative[0, flight])


def test_pictures_are_drawn(study, tmp_path):
    """Figures 3 to 9, none of them empty."""
    limited, published = study[LIMITED_V1], published_ekal()
    plot_one_choice(tmp_path / 'one.png', limited)
    plot_all_choices(tmp_path / 'all.png', (limited,))
    plot_errors(tmp_path / 'errors.png', study, (FREE_V1, LIMITED_V1), 'test')
    plot_saturation(tmp_path / 'saturation.png', limited)
    plot_absolute(tmp_path / 'absolute.png', study[SLOW_V1], published)
    assert all(path.stat().st_size > 10_000 for path in tmp_path.iterdir())


def test_what_is_given_differs_only_where_a_sentence_says_why():
    """Loads that were drawn, slow motions, starts; every number of the paper is there."""
    printed, settings = published_ekal(), EkalSettings()
    table = given_table(printed, ROBOT, settings, draw_loads(settings.loads, settings.seed))
    for number, (_, paper, ours) in enumerate(table.rows):
        assert number in table.row_notes or ours == pytest.approx(paper)
    stated = {row[1] for row in table.rows}
    spreads = (printed.load_mass, printed.load_offset, printed.load_diagonal)
    wanted = {printed.mass, *printed.inertia, printed.position_noise, printed.attitude_noise}
    wanted |= {number for each in spreads for number in (each.mean, each.std)}
    wanted |= {printed.load_off_diagonal.mean, printed.load_off_diagonal.std}
    wanted |= {printed.period, printed.slow_period, printed.most_harmonics, 2, 3, 50}
    assert wanted <= stated


def test_every_printed_number_stands_beside_ours(study):
    """Both paired tests, harmonics, saturation; claims of ours have the limit that was set."""
    twice = {
        case: replace(
            study[LIMITED_V1 if case.limited else FREE_V1],
            case=case,
            saturated=np.array([0.1, 0.6]),
        )
        for case in CASES
    }
    limited = twice[LIMITED_V1]
    claims = [*claims_of(twice), *harmonics_claims(published_ekal(), limited, limited)]
    published = {claim.published for claim in claims if claim.published is not None}
    assert published >= {-0.0500, -8.5162, 1.568e-11, -0.0011, -1.7166, 0.0462}
    assert published >= {47.75, 7, 3, 4, 5}
    assert sum(claim.at_least == 3.0 for claim in claims) == 12

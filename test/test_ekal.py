"""The study of papers/003 on a small scale: loads, errors, claims, pictures."""

from dataclasses import replace

from free_flyer_flights import ROBOT
import numpy as np
import pytest

from spacerobot_id.evaluation import ekal
from spacerobot_id.evaluation.ekal import run_study
from spacerobot_id.evaluation.ekal_cases import CASES, FREE_V1, LIMITED_V1
from spacerobot_id.evaluation.ekal_claims import claims_of
from spacerobot_id.evaluation.ekal_plot import plot_errors, plot_saturation
from spacerobot_id.evaluation.ekal_study import (
    collect,
    draw_loads,
    EkalSettings,
    FlightEstimates,
    fly_case,
    METHODS,
    plan_motion,
)

SMALL = EkalSettings(loads=2, trajectories=1, cycles=3, iterations=5)


@pytest.fixture(scope='module', name='study')
def small_study():
    with pytest.MonkeyPatch.context() as patch:  # predictive control has a test of its own
        patch.setattr(ekal, 'has_predictive_control', lambda: False)
        return run_study(ROBOT, SMALL, (FREE_V1, LIMITED_V1)).results


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
    result = collect(FREE_V1, loads, flight, [FlightEstimates(values, 3, np.full(10, 0.1))])
    np.testing.assert_allclose(result.absolute[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(result.relative[1, 0], [10.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(result.absolute[1, 0, 0], 0.1 * truth[6])


def test_ours_is_better_on_the_same_flights(study):
    """Even on three cycles; saturation only where there are limits."""
    for case, result in study.items():
        assert result.relative.shape == (len(METHODS), 2, 3)
        better = result.medians('least squares') / result.medians('likelihood')
        assert (better[1:] > 3.0).all()
        assert bool(result.saturated.max() > 0.0) == case.limited
        assert np.sqrt(np.mean(result.deviations**2)) < 3.0


def test_pictures_are_drawn(study, tmp_path):
    plot_errors(tmp_path / 'errors.png', study, (FREE_V1, LIMITED_V1), 'test')
    plot_saturation(tmp_path / 'saturation.png', study[LIMITED_V1])
    assert (tmp_path / 'errors.png').stat().st_size > 10_000
    assert (tmp_path / 'saturation.png').stat().st_size > 10_000


def test_every_printed_number_stands_beside_ours(study):
    """Means, t and p of both paired tests; claims of ours have the limit that was set."""
    twice = {
        case: replace(
            study[LIMITED_V1 if case.limited else FREE_V1],
            case=case,
            saturated=np.array([0.1, 0.6]),
        )
        for case in CASES
    }
    claims = claims_of(twice)
    published = {claim.published for claim in claims if claim.published is not None}
    assert published >= {-0.0500, -8.5162, 1.568e-11, -0.0011, -1.7166, 0.0462}
    assert sum(claim.at_least == 3.0 for claim in claims) == 12

"""Held-out samples by every method of the registry: as the noise at the truth, more beside it."""

from method_cases import case_of, METHODS
import numpy as np
import pytest

from spacerobot_id.estimation import identify, validate
from spacerobot_id.estimation.states.solution import residuals


@pytest.mark.parametrize('name', METHODS)
def test_the_truth_predicts_to_the_stated_noise(name):
    """Whitened by the full covariance, squares per degree of freedom are one."""
    case = case_of(name)
    found = validate(case.method, case.record, case.truth)
    assert found.chi_square == pytest.approx(1.0, abs=0.05)
    assert not found.is_worse_than_noise
    assert found.samples == len(case.method.prepared(case.record))
    left = residuals(case.method, case.method.prepared(case.record), case.truth).misfit
    read = np.isfinite(left).any(axis=0)
    assert found.rms.shape == (read.sum(),)
    assert list(found.units) == np.array(case.method.output_units)[read].tolist()


@pytest.mark.parametrize('name', ['momentum', 'angular_momentum', 'free_flyer'])
def test_the_description_predicts_worse_than_the_noise(name):
    """It is off by tens of per cent, and the held-out samples show it."""
    case = case_of(name)
    found = validate(case.method, case.record[:400], case.method.prior().mean)
    assert found.chi_square > 1.5
    assert found.is_worse_than_noise


@pytest.mark.parametrize('name', ['momentum', 'angular_momentum', 'free_flyer'])
def test_an_estimate_predicts_what_it_has_not_seen(name):
    """The last part of the samples, held out of the fit."""
    case = case_of(name)
    result = identify(case.record, case.method, holdout=0.25, with_links=False)
    lost = len(case.record) - len(case.method.prepared(case.record))
    held_out = 0.25 * len(case.record) - lost
    assert result.validation.samples == pytest.approx(held_out, abs=1)
    assert result.validation.chi_square == pytest.approx(1.0, abs=0.1)
    assert result.estimate.samples <= len(case.record) - result.validation.samples
    assert np.isfinite(result.validation.rms).all()


def test_nothing_is_said_of_no_samples():
    """Neither good nor bad."""
    case = case_of('momentum')
    assert validate(case.method, case.record[:0], case.truth) is None

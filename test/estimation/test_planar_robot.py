"""Air-bearing tables: what moves in the plane is found, what cannot show is named."""

import numpy as np
from planar_robot import flight, free_flyer, prior_of
import pytest

from spacerobot_id.estimation import excitation_report, identify
from spacerobot_id.estimation.excitation_report import Visibility
from spacerobot_id.methods.least_squares import WeightedLeastSquares
from spacerobot_id.methods.momentum import Momentum


@pytest.fixture(name='found', scope='module')
def identified():
    method = Momentum.from_model(prior_of(free_flyer()), planar=True)
    return method, identify(flight(free_flyer(), 1), method, with_links=False)


def test_what_cannot_show_in_the_plane_is_named(found):
    """Heights and the shapes about x and y stay as described, and say so."""
    _, result = found
    hidden = set(result.estimate.not_identified())
    assert {'base.Ixx', 'base.Iyy', 'base.Ixy', 'base.Iyz', 'base.Izx', 'base.mz'} <= hidden
    assert {'upper.Ixx-Iyy', 'upper.Ixy', 'lower.Iyz', 'lower.Izx'} <= hidden


def test_it_is_said_before_the_fit(found):
    """What has no part in the plane is named with that reason; what is hidden later is so now."""
    method, result = found
    report = excitation_report(method, flight(free_flyer(), 1))
    sentences = {each.name: each.sentence for each in report.parameters}
    for name in ('base.Ixx', 'base.mz', 'upper.Ixy', 'lower.Izx'):
        assert sentences[name] == 'not seen: it has no part in motion in the plane'
    assert sentences['base.Izz'].startswith('seen')
    hidden = {each.name for each in report.parameters if each.visibility is Visibility.NOT}
    assert hidden == set(result.estimate.not_identified())


def test_what_shows_is_found_within_its_interval(found):
    """Masses, moments in the plane and inertias about z come out, and the fit is good."""
    method, result = found
    estimate = result.estimate
    true = method.minimal.values(free_flyer())
    shown = [name not in estimate.not_identified() for name in estimate.names]
    assert {'base.m', 'base.Izz', 'lower.mx', 'lower.Izz'} <= {
        name for name, flag in zip(estimate.names, shown, strict=True) if flag
    }
    scores = np.abs(estimate.values - true)[shown] / estimate.std[shown]
    assert scores.max() < 4.0
    assert estimate.residual() == pytest.approx(1.0, abs=0.05)


def test_without_noise_momentum_in_the_plane_is_met_exactly():
    """Output error and least squares agree on perfect data."""
    clean = flight(free_flyer(), 2, noisy=False)
    for kind in (Momentum, WeightedLeastSquares):
        method = kind.from_model(prior_of(free_flyer()), planar=True)
        true = method.minimal.values(free_flyer())
        names = identify(clean, method, with_links=False).estimate
        mass = names.names.index('base.m')
        assert names.values[mass] == pytest.approx(true[mass], rel=1e-3)

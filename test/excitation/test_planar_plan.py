"""Plans for an air-bearing table: what can show in the plane is planned for, flown and found."""

import numpy as np
from planar_limits import limited
from planar_robot import flight_along, free_flyer, prior_of
import pytest

from spacerobot_id.estimation import identify
from spacerobot_id.excitation import LimitSettings, plan_excitation, PlannerSettings
from spacerobot_id.excitation.objective.objective import visible_parameters
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.regressor import minimal_parameters

BASE_RATE = np.deg2rad(10.0)
EFFORT = PlannerSettings(
    intervals=30,
    interval=1.0,
    draws=5,
    restarts=1,
    iterations=30,
    limits=LimitSettings(base_rate=0.75 * BASE_RATE, planar=True),
)


@pytest.fixture(name='planned', scope='module')
def planned_on_the_prior():
    return plan_excitation(limited(prior_of(free_flyer())), np.zeros(3), EFFORT)


def test_what_can_show_in_the_plane_is_what_counts():
    """Masses, moments in the plane, inertias about z; heights and tilts never show."""
    model = limited(free_flyer())
    minimal = minimal_parameters(model)
    shown = visible_parameters(MomentumInformation([model], minimal, planar=True))
    names = {name for name, flag in zip(minimal.names, shown, strict=True) if flag}
    assert {'base.m', 'base.Izz', 'upper.mx', 'upper.Izz', 'lower.mx', 'lower.Izz'} <= names
    assert not {'base.Ixx', 'base.Ixy', 'base.mz', 'upper.Ixx-Iyy', 'lower.Iyz'} & names


def test_the_prior_keeps_its_limits(planned):
    """Predicted in the plane; the limit of the base's rate is used."""
    uses = {use.name: use.share for use in planned.limits}
    assert max(uses.values()) <= 1.0 + 1e-6
    assert uses['base: rate'] > 0.5
    assert uses['wheel: torque'] > 0.0


def test_flown_and_identified_the_limits_hold_in_truth(planned):
    """The robot is lighter than its prior and turns faster, within the margin left for it."""
    true = limited(free_flyer())
    seen = flight_along(true, planned.plan, seed=3)
    assert np.abs(seen.base_twist[:, 5]).max() <= BASE_RATE
    method = Momentum.from_model(limited(prior_of(free_flyer())), planar=True)
    estimate = identify(seen, method, with_links=False).estimate
    truth = method.minimal.values(true)
    shown = visible_parameters(MomentumInformation([true], method.minimal, planar=True))
    scores = np.abs(estimate.values - truth)[shown] / estimate.std[shown]
    assert scores.max() < 4.0
    mass = estimate.names.index('base.m')
    assert estimate.values[mass] == pytest.approx(truth[mass], rel=0.02)

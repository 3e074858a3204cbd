"""Planning for a robot that turns with a known momentum: limits, stops, refusals."""

from dataclasses import replace

from build_robots import ROBOTS
import numpy as np
import pytest
from robots import dual_arm

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import KnownMomentum, plan_excitation, PlannerSettings
from spacerobot_id.excitation.constraint.limit_set import LimitSettings
from spacerobot_id.model import load_robot

MODEL = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
MOMENTUM = KnownMomentum((68.0, 66.0, 65.0), (0.2, 0.1, 0.3, 0.9274), trust_zeros=True)
MOMENTUM_KNOWN = {'method': 'angular_momentum', 'momentum': MOMENTUM}
QUICK = PlannerSettings(duration=20.0, harmonics=3, draws=10, restarts=1, iterations=2)
START = np.array([0.3, -0.2, 0.1])


def test_it_starts_and_ends_where_the_joints_are_and_keeps_the_limits():
    """And says how close it comes, what it costs and what it promises."""
    found = plan_excitation(MODEL, START, QUICK, **MOMENTUM_KNOWN)
    assert found.plan.duration == 20.0
    ends = found.plan.sample([0.0, 20.0])
    np.testing.assert_allclose(ends.position, [START, START], atol=1e-12)
    assert found.evaluations > 10
    assert found.std.shape == (19,)
    assert np.isfinite(found.std).all()
    assert 0.0 < found.cost < 1.0
    assert 0.9 < found.limits[0].share < 1.0 + 1e-6


def test_more_effort_promises_more():
    few = plan_excitation(
        MODEL,
        START,
        replace(QUICK, draws=3, restarts=0),
        method='angular_momentum',
        momentum=MOMENTUM,
    )
    many = plan_excitation(
        MODEL, START, replace(QUICK, draws=40), method='angular_momentum', momentum=MOMENTUM
    )
    assert many.cost < few.cost


@pytest.mark.slow
def test_torques_that_are_too_weak_shape_the_motion():
    """Of limits that the family does not keep by itself, a search pays for breaking them."""
    joints = [replace(joint, limits=replace(joint.limits, effort=15.0)) for joint in MODEL.joints]
    weak = replace(MODEL, tree_joints=joints)
    found = plan_excitation(
        weak, START, replace(QUICK, draws=40), method='angular_momentum', momentum=MOMENTUM
    )
    strong = plan_excitation(
        MODEL, START, replace(QUICK, draws=40), method='angular_momentum', momentum=MOMENTUM
    )
    assert any('torque' in use.name for use in found.limits)
    assert found.cost > strong.cost


def test_it_can_be_stopped_and_gives_the_best_so_far():
    asked = []

    def progress(evaluations, cost):
        asked.append(cost)
        return evaluations >= 5

    found = plan_excitation(
        MODEL, START, QUICK, progress, method='angular_momentum', momentum=MOMENTUM
    )
    assert found.evaluations == len(asked) == 5
    assert found.cost <= asked[-1]
    assert (np.diff(asked) <= 0.0).all()


@pytest.mark.parametrize(
    ('model', 'settings', 'momentum', 'reason'),
    [
        (dual_arm(), replace(QUICK, limits=LimitSettings(planar=True)), MOMENTUM, 'planar'),
        (MODEL, QUICK, KnownMomentum((0.0, 0.0, 0.0)), 'at zero momentum, without wheels'),
        (MODEL, replace(QUICK, limits=LimitSettings(base_rate=1e-3)), MOMENTUM, 'base: rate'),
        (MODEL, replace(QUICK, limits=LimitSettings(base_excursion=0.1)), MOMENTUM, 'excursion'),
    ],
)
def test_what_cannot_be_planned_is_refused(model, settings, momentum, reason):
    with pytest.raises(PlanningError, match=reason):
        plan_excitation(
            model,
            np.zeros(len(model.joints) + len(model.wheels)),
            settings,
            method='angular_momentum',
            momentum=momentum,
        )

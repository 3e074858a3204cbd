"""Planned motions: within every limit, from where the robot is, the same for the same seed."""

from dataclasses import replace

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior, random_tree, servicer, with_wheels

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import (
    Known,
    LimitSettings,
    plan_excitation,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox, KeepInBoxLimit
from spacerobot_id.excitation.constraint.self_collision import SelfCollisionLimit
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.planner_settings import CriterionName
from spacerobot_id.excitation.trajectory.cycloids import LARGEST_PLATEAU
from spacerobot_id.excitation.trajectory.predicted_motion import condition_number, predict_motion
from spacerobot_id.model import JointLimits
from spacerobot_id.multibody import base_twist_from_momentum, free_floating_inverse_dynamics
from spacerobot_id.multibody.free_floating.planned_base import base_attitude
from spacerobot_id.regressor import minimal_parameters

SHORT = PlannerSettings(intervals=20, interval=1.0, draws=12, restarts=1, iterations=4)
SEEDS = st.integers(0, 2**32 - 1)
LIMITED = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
PRESENT = np.array([0.3, -0.2, 0.1, -3.1, 0.0, 1.0, 5.0, -7.0, 0.0])


def mixed_tree():
    """Return a robot with prismatic joints, which moves wheels too."""
    model = random_tree(2, 4, prismatic_share=0.5)
    return with_wheels(model, np.random.default_rng(2))


def rest(model):
    return np.zeros(len(model.joints) + len(model.wheels))


def with_limits(model, joint, **changed):
    joints = list(model.joints)
    limits = replace(joints[joint].limits, **changed)
    joints[joint] = replace(joints[joint], limits=limits)
    return replace(model, tree_joints=joints)


@pytest.fixture(name='planned', scope='module')
def planned_for_the_dual_arm():
    return plan_excitation(dual_arm_prior(), PRESENT, SHORT)


def dense(plan, per_interval=80):
    """Return samples twenty times as dense as the search takes."""
    count = round(per_interval * plan.duration)
    times = (np.arange(count) + 0.5) * plan.duration / count
    return plan.sample(times), plan.duration / count


def assert_within(model, plan, limits=LimitSettings(), start=None):  # noqa: B008
    """Hold a plan within every limit at all of its dense samples."""
    motion, step = dense(plan)
    n = len(model.joints)
    actuators = [joint.limits for joint in model.joints] + [
        JointLimits(velocity=wheel.rate_limit, acceleration=wheel.max_torque / wheel.spin_inertia)
        for wheel in model.wheels
    ]
    for index, limit in enumerate(actuators):
        position = motion.position[:, index]
        began = limit.lower if start is None else start[index]
        assert position.min() >= min(limit.lower, began) - 1e-9
        began = limit.upper if start is None else start[index]
        assert position.max() <= max(limit.upper, began) + 1e-9
        assert np.abs(motion.velocity[:, index]).max() <= limit.velocity * (1.0 + 1e-9)
        assert np.abs(motion.acceleration[:, index]).max() <= limit.acceleration * (1.0 + 1e-9)
    parts = [motion.position, motion.velocity, motion.acceleration]
    q, qd, qdd = (part[:, :n] for part in parts)
    wheels = [part[:, n:] for part in parts[1:]]
    asked = free_floating_inverse_dynamics(model, q, qd, qdd, *wheels)
    efforts = np.array([joint.limits.effort for joint in model.joints])
    assert (np.abs(asked.joint_torques) <= efforts * (1.0 + 1e-6)).all()
    torques = np.array([wheel.max_torque for wheel in model.wheels])
    assert (np.abs(asked.wheel_torques) <= torques * (1.0 + 1e-6)).all()
    turning = base_twist_from_momentum(model, q, qd, wheels[0])[:, 3:]
    assert np.linalg.norm(turning, axis=1).max() <= limits.base_rate * (1.0 + 1e-6)
    angle = base_attitude(turning, np.full(len(q), step)).magnitude().max()
    assert angle <= limits.base_excursion * (1.0 + 1e-6)


FAMILIES = [
    *((dual_arm_prior(), family) for family in FamilyName),
    *((servicer(), family) for family in FamilyName if family is not FamilyName.SEEDS),
    *((mixed_tree(), family) for family in FamilyName),
]


@pytest.mark.parametrize(('model', 'family'), FAMILIES)
def test_every_limit_is_kept(model, family):
    """Of all actuators and torques, looked at 20 times as densely as the search does."""
    settings = replace(SHORT, family=family, draws=4, harmonics=3)
    assert_within(model, plan_excitation(model, rest(model), settings).plan)


@pytest.mark.parametrize('plateau', [0.3, LARGEST_PLATEAU])
@pytest.mark.parametrize('model', [dual_arm_prior(), servicer()], ids=['dual arm', 'servicer'])
def test_with_a_plateau_every_limit_is_kept(model, plateau):
    """Also between the samples that the search looks at, and where plateaus begin and end."""
    settings = PlannerSettings(
        intervals=8, interval=2.0, draws=6, restarts=1, iterations=8, plateau=plateau
    )
    planned = plan_excitation(model, rest(model), settings)
    assert planned.plan.plateau == plateau
    assert planned.limits[0].share <= 1.0 + 1e-6
    assert_within(model, planned.plan)


@LIMITED
@given(SEEDS)
@pytest.mark.slow
def test_random_robots_keep_random_limits_or_are_refused(seed):
    """From random starts; a refusal says which limit is in the way, or that nothing shows."""
    rng = np.random.default_rng(seed)
    joints = int(rng.integers(1, 5))
    model = with_wheels(random_tree(seed % 1000, joints), rng, int(rng.integers(1, 4)))
    model = with_random_limits(model, rng)
    demands = LimitSettings(
        base_rate=rng.choice([np.inf, 10.0 ** rng.uniform(-4, 0)]),
        base_excursion=rng.choice([np.inf, 10.0 ** rng.uniform(-3, 1)]),
    )
    lower, upper = (
        np.array([getattr(joint.limits, end) for joint in model.joints])
        for end in ('lower', 'upper')
    )
    present = np.append(rng.uniform(lower - 0.02, upper + 0.02), np.zeros(len(model.wheels)))
    intervals = int(rng.integers(1, 12))
    effort = replace(SHORT, limits=demands, intervals=intervals, draws=3, iterations=3)
    plan, reason = planned_or_refused(model, present, effort)
    if plan is None:
        names = (*model.joint_names, *model.wheel_names, 'base')
        is_limit = any(reason.startswith(f'{name}: ') for name in names)
        assert is_limit or 'shows no parameter better than the description' in reason
        return
    np.testing.assert_array_equal(plan.knots[0], present)
    assert plan.duration == pytest.approx(intervals)
    assert_within(model, plan, demands, present)


def planned_or_refused(model, present, effort):
    """Return a plan, or None and why there is none."""
    try:
        return plan_excitation(model, present, effort).plan, ''
    except PlanningError as error:
        return None, str(error)


def with_random_limits(model, rng):
    """Return a robot with limits of position, rate, acceleration and torque, wide or narrow."""

    def limits():
        middle, reach = rng.uniform(-1.0, 1.0), 10.0 ** rng.uniform(-2.0, 0.5)
        velocity, acceleration, effort = 10.0 ** rng.uniform([-2, -2, -1], [0, 1, 3])
        return JointLimits(middle - reach, middle + reach, velocity, acceleration, effort)

    wheels = [replace(wheel, max_torque=10.0 ** rng.uniform(-1.0, 2.0)) for wheel in model.wheels]
    joints = [replace(joint, limits=limits()) for joint in model.joints]
    return replace(model, tree_joints=joints, wheels=wheels)


@pytest.mark.parametrize(
    ('demand', 'name'),
    [({'base_rate': 1e-3}, 'base: rate'), ({'base_excursion': 2e-3}, 'base: excursion')],
)
@pytest.mark.slow
def test_limits_of_the_base_shape_the_motion(demand, name):
    """They are kept, used, and reported the closest first."""
    model = servicer()
    limits = LimitSettings(**demand)
    planned = plan_excitation(model, rest(model), replace(SHORT, limits=limits))
    assert_within(model, planned.plan, limits)
    assert {use.name: use for use in planned.limits}[name].share > 0.5
    assert all(use.share <= 1.0 + 1e-6 for use in planned.limits)
    shares = [use.share for use in planned.limits]
    assert shares == sorted(shares, reverse=True)
    assert [use.is_active for use in planned.limits] == [share >= 0.95 for share in shares]


@pytest.mark.slow
def test_links_keep_their_distance():
    """A folded arm moves without touching the bus or itself, the tool within its box.

    It would touch if nobody looked.
    """
    model, box = servicer(), KeepInBox('tool', (-1.0, -1.5, -0.2), (2.5, 1.5, 2.6))
    limits = LimitSettings(clearance=0.02, keep_in=(box,))
    present = np.array([0.3, 1.2, 0.0, 1.6, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0])
    effort = replace(SHORT, interval=3.0, limits=limits)
    plan = plan_excitation(model, present, effort).plan
    assert_within(model, plan, limits)
    motion, _ = dense(plan)
    for limit in (SelfCollisionLimit.of(model, 0.02), KeepInBoxLimit(model, box)):
        assert limit.usage(motion).max() <= 1.0 + 1e-5
    assert np.abs(np.diff(plan.knots[:, :7], axis=0)).max() > 0.05
    blind = replace(effort, limits=LimitSettings(clearance=-1.0))
    motion, _ = dense(plan_excitation(model, present, blind).plan)
    assert SelfCollisionLimit.of(model, 0.0).usage(motion).max() > 1.1


def test_it_starts_where_the_robot_is(planned):
    """The first knot is the present position of every joint and wheel."""
    np.testing.assert_array_equal(planned.plan.knots[0], PRESENT)
    assert planned.plan.names == dual_arm_prior().joint_names + dual_arm_prior().wheel_names


def test_it_starts_and_ends_at_rest(planned):
    """No rate at either end."""
    ends = planned.plan.sample([0.0, planned.plan.duration])
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)


def test_where_the_start_is_free_it_is_chosen():
    """NaN lets the planner choose, of some joints or of all; the others start where they are."""
    present = np.append(np.full(3, np.nan), np.full(6, 0.25))
    knots = plan_excitation(dual_arm_prior(), present, SHORT).plan.knots
    np.testing.assert_array_equal(knots[0, 3:], 0.25)
    assert (np.abs(knots[0, :3] - 0.25) > 1e-3).all()


def test_in_three_steps_the_ranges_are_those_of_the_paper():
    """Every actuator goes its range in each interval that pruning left (Eqs. 30, 31)."""
    model = dual_arm_prior()
    effort = replace(SHORT, family=FamilyName.SEEDS, draws=2)
    plan = plan_excitation(model, np.full(9, np.nan), effort).plan
    steps = np.abs(np.diff(plan.knots, axis=0))
    np.testing.assert_allclose(steps, np.tile(steps[0], (len(steps), 1)), atol=1e-12)
    assert 9 <= len(steps) < 256
    assert (steps > 0.0).all()


def test_the_same_seed_gives_the_same_plan(planned):
    """Twice the same knots; others with another seed."""
    same = plan_excitation(dual_arm_prior(), PRESENT, SHORT)
    other = plan_excitation(dual_arm_prior(), PRESENT, replace(SHORT, seed=1))
    np.testing.assert_array_equal(same.plan.knots, planned.plan.knots)
    assert same.cost == planned.cost
    assert other.cost != planned.cost


def test_searching_longer_is_never_worse(planned):
    """Followed downhill, a motion costs less than the best draw."""
    drawn = plan_excitation(dual_arm_prior(), PRESENT, replace(SHORT, restarts=0))
    assert planned.cost < drawn.cost
    assert planned.evaluations > drawn.evaluations == SHORT.draws


def test_what_is_planned_on_the_prior_is_good_on_the_true_robot():
    """Far more than the paper's 248.8 for the condition number would be luck, not a plan."""
    model = dual_arm_prior()
    effort = PlannerSettings(
        criterion=PlanCriterionSettings(CriterionName.CONDITION), draws=20, restarts=1
    )
    planned = plan_excitation(model, np.full(9, np.nan), effort)
    minimal = minimal_parameters(model)
    true = condition_number(dual_arm(), minimal, predict_motion(dual_arm(), planned.plan, 10))
    assert planned.plan.duration == 67.0
    assert planned.cost < 110.0
    assert true < 248.8


def test_robots_that_the_prior_might_be_are_planned_for():
    """The motion differs, the score is over all of them."""
    model = dual_arm_prior()
    lone = plan_excitation(model, PRESENT, SHORT)
    many = plan_excitation(model, PRESENT, replace(SHORT, prior_draws=3))
    assert np.abs(lone.plan.knots - many.plan.knots).max() > 1e-3


def test_the_next_motion_excites_what_is_still_unknown():
    """Where all but one parameter is known well, that one is what the next motion shows."""
    model = dual_arm_prior()
    minimal = minimal_parameters(model)
    place = minimal.names.index('L3.mx')
    std = np.full(52, 1e-6)
    std[place] = 1e3
    known = Known(minimal.values(model), np.diag(std**-2.0))
    again = plan_excitation(model, rest(model), SHORT, known=known)
    plain = plan_excitation(model, rest(model), SHORT)
    assert again.std[place] < plain.std[place]
    assert (again.std <= np.maximum(std, 1e-12)).all()


def test_progress_is_told_and_can_stop_the_search():
    """The best cost never rises; asked to stop, the planner gives the best so far."""
    reported = []

    def progress(evaluations, cost):
        reported.append((evaluations, cost))
        return evaluations == 5

    planned = plan_excitation(dual_arm_prior(), PRESENT, SHORT, progress)
    assert [evaluations for evaluations, _ in reported] == [1, 2, 3, 4, 5]
    assert (np.diff([cost for _, cost in reported]) <= 0.0).all()
    assert planned.cost == reported[-1][1]
    assert planned.evaluations == 5


@pytest.mark.parametrize('count', [1, 6])
def test_joints_without_a_position_limit_can_be_planned_for(count):
    """Continuous joints, one or all; a start that is free is within half a turn of zero."""
    model = dual_arm_prior()
    for joint in range(count):
        model = with_limits(model, joint, lower=-np.inf, upper=np.inf)
    plan = plan_excitation(model, np.full(9, np.nan), SHORT).plan
    assert np.abs(plan.knots[0, :count]).max() <= np.pi


def test_limits_far_from_zero_can_be_planned_for():
    """A joint that works between 4 and 6 rad stays there."""
    model = with_limits(dual_arm_prior(), 0, lower=4.0, upper=6.0)
    present = np.append(5.0, rest(model)[1:])
    knots = plan_excitation(model, present, SHORT).plan.knots[:, 0]
    assert knots.min() >= 4.0 - 1e-9
    assert knots.max() <= 6.0 + 1e-9


# Demands that cannot be met


@pytest.mark.parametrize(
    ('changed', 'reason'),
    [
        ({'lower': 0.0, 'upper': 0.0}, 'joint_3: its limits leave no motion'),
        ({'velocity': 0.0}, 'joint_3: its limits leave no motion'),
        ({'velocity': np.inf}, 'joint_3: needs a velocity or acceleration limit'),
        ({'lower': 0.5}, 'joint_3: is at 0, outside its limits'),
        ({'effort': 1e-12}, 'joint_3: torque: no motion keeps this limit'),
    ],
)
def test_an_impossible_demand_names_the_joint(changed, reason):
    """Limits without room, without a rate, or already left."""
    model = with_limits(dual_arm_prior(), 2, **changed)
    with pytest.raises(PlanningError, match=reason):
        plan_excitation(model, rest(model), SHORT)


def test_a_body_that_nothing_moves_cannot_be_planned_for():
    """The error names the robot."""
    with pytest.raises(PlanningError, match='random_robot: has neither joints nor'):
        plan_excitation(random_tree(0, 0), [], SHORT)


def test_a_robot_without_wheels_is_planned_for_with_its_scale_open():
    """What shows beside the scale is judged: the cost is that of a mass that is known."""
    model = replace(dual_arm_prior(), wheels=())
    planned = plan_excitation(model, rest(model), SHORT)
    prior = replace(SHORT.counted.prior, known_mass=model.mass)
    weighed = replace(SHORT, counted=replace(SHORT.counted, prior=prior))
    known = plan_excitation(model, rest(model), weighed)
    assert planned.cost == pytest.approx(known.cost, rel=1e-6)
    assert np.nanmedian(planned.relative_std) > 3.0 * np.nanmedian(known.relative_std)


def test_a_wheel_without_a_limit_is_named():
    """Nobody knows how fast it may turn."""
    model = dual_arm_prior()
    wheels = [replace(wheel, max_momentum=np.inf) for wheel in model.wheels]
    with pytest.raises(PlanningError, match='wheel_1: needs a rate or momentum limit'):
        plan_excitation(replace(model, wheels=wheels), rest(model), SHORT)


@pytest.mark.parametrize('present', [np.zeros(6), np.full(9, np.inf)])
def test_present_positions_of_all_are_needed(present):
    """Joints alone, or numbers that are none, are refused; the error lists what is needed."""
    with pytest.raises(PlanningError, match=r'present positions of joint_1, .*wheel_3 needed'):
        plan_excitation(dual_arm_prior(), present, SHORT)


def test_stopped_at_once_there_is_a_plan_still():
    """The first draw within the limits."""
    model = dual_arm_prior()
    planned = plan_excitation(model, PRESENT, SHORT, lambda *_: True)
    assert planned.evaluations == 1
    assert_within(model, planned.plan)


def test_a_start_that_breaks_a_limit_is_named():
    """Whatever the robot did, the tool is outside of its box when it begins."""
    model = servicer()
    box = KeepInBox('tool', (-9.0, -9.0, 50.0), (9.0, 9.0, 60.0))
    effort = replace(SHORT, limits=LimitSettings(keep_in=(box,)))
    with pytest.raises(PlanningError, match='tool: box along z: this limit is broken where'):
        plan_excitation(model, rest(model), effort)


def test_noise_beyond_a_limit_is_no_reason_to_refuse():
    """A joint a little outside, as encoders see it, starts there and comes back."""
    model = dual_arm_prior()
    present = rest(model)
    present[2] = np.pi + 0.009
    plan = plan_excitation(model, present, SHORT).plan
    assert plan.knots[0, 2] == present[2]
    assert plan.knots[:, 2].max() == present[2]
    present[2] = np.pi + 0.011
    with pytest.raises(PlanningError, match=r'joint_3: is at 3\.153, outside its limits'):
        plan_excitation(model, present, SHORT)

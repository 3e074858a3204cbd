"""Limits of motions: shares against other roads to the same numbers, gradients, collisions."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import assert_close, random_tree, servicer, with_wheels
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import LimitSettings
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox, KeepInBoxLimit
from spacerobot_id.excitation.constraint.limit_set import (
    actuator_limits,
    ActuatorLimits,
    BaseExcursionLimit,
    BaseRateLimit,
    limit_set,
    TorqueLimits,
)
from spacerobot_id.excitation.constraint.self_collision import segment_distance, SelfCollisionLimit
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import Capsule, JointLimits, robot_from_urdf_string, urdf_from_robot
from spacerobot_id.multibody.free_floating.planned_base import base_attitude, PlannedBase

SEEDS = st.integers(0, 2**32 - 1)
SPACING = np.full(30, 0.1)


def limited_robot(seed=0):
    """Return a random robot with limits of torque, capsules on its links and two wheels."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, 4), rng, 2)
    limits = JointLimits(-1.0, 2.0, 0.5, 1.5, effort=3.0)
    return replace(
        model,
        tree_joints=[replace(joint, limits=limits) for joint in model.joints],
        wheels=[replace(wheel, max_torque=0.4) for wheel in model.wheels],
        collision=[
            Capsule(link, rng.normal(size=3), rng.normal(size=3), 0.2) for link in range(5)
        ],
    )


def motion_of(model, seed=0):
    rng = np.random.default_rng(seed)
    actuators = len(model.joints) + len(model.wheels)
    values = (0.3 * rng.normal(size=(30, actuators)) for _ in range(3))
    return PlannedMotion(np.cumsum(SPACING) - 0.05, *values)


def limits_of(model):
    box = KeepInBox(model.link_names[-1], (-0.5, -0.6, -0.7), (0.4, 0.5, 0.6))
    model = replace(model, frames={**model.frames, **frame_of_last_link(model)})
    return {
        'actuators': ActuatorLimits(model.joint_names + model.wheel_names, actuator_limits(model)),
        'torques': TorqueLimits(PlannedBase(model)),
        'rate': BaseRateLimit(PlannedBase(model), 0.3),
        'excursion': BaseExcursionLimit(PlannedBase(model), 0.4, SPACING),
        'box': KeepInBoxLimit(model, box),
        'collision': SelfCollisionLimit(model, ((0, 2), (1, 4), (0, 4)), 0.05),
    }


def frame_of_last_link(model):
    frame = servicer().frames['tool']
    return {model.link_names[-1]: replace(frame, link=len(model.links) - 1)}


@pytest.mark.parametrize('kind', list(limits_of(limited_robot())))
@pytest.mark.parametrize('seed', range(3))
def test_shares_grow_as_their_gradients_say(kind, seed):
    """Along a random direction of all samples at once."""
    model = limited_robot(seed)
    limit, motion = limits_of(model)[kind], motion_of(model, seed)
    rng = np.random.default_rng(seed)
    by = rng.normal(size=(30, len(limit.names)))
    along = [rng.normal(size=motion.position.shape) for _ in range(3)]
    back = limit.pull_back(motion, by)
    parts = (back.position, back.velocity, back.acceleration)
    slope = sum(np.sum(each * part) for each, part in zip(along, parts, strict=True))

    def total(step):
        moved = [
            getattr(motion, part) + step * each
            for part, each in zip(('position', 'velocity', 'acceleration'), along, strict=True)
        ]
        return np.sum(by * limit.usage(PlannedMotion(motion.times, *moved)))

    numeric = (total(1e-6) - total(-1e-6)) / 2e-6
    assert slope == pytest.approx(numeric, rel=2e-3, abs=1e-3)


@settings(deadline=None)
@given(SEEDS)
def test_attitudes_are_the_product_of_all_turns(seed):
    """The parallel product is the one that is taken turn by turn."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    turning, spacing = rng.normal(size=(count, 3)), rng.uniform(0.01, 0.2, count)
    expected, attitude = [], Rotation.identity()
    for rate, time in zip(turning, spacing, strict=True):
        attitude = attitude * Rotation.from_rotvec(rate * time)
        expected.append(attitude.as_matrix())
    assert_close(base_attitude(turning, spacing).as_matrix(), expected, 1e-12)


@settings(deadline=None, max_examples=50)
@given(SEEDS)
def test_distances_of_segments_are_the_least_of_all_points(seed):
    """Found by a bounded minimisation; parallel segments and points among them."""
    rng = np.random.default_rng(seed)
    start, other = rng.normal(size=(2, 3))
    way, other_way = rng.normal(size=(2, 3))
    kind = rng.integers(4)
    if kind == 1:
        other_way = 0.7 * way
    elif kind == 2:
        way = np.zeros(3)
    elif kind == 3:
        way, other_way = np.zeros(3), np.zeros(3)

    def squared(shares):
        return np.sum((start + shares[0] * way - other - shares[1] * other_way) ** 2)

    best = min(
        minimize(squared, guess, bounds=[(0.0, 1.0)] * 2, tol=1e-14).fun
        for guess in ([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5])
    )
    columns = [each[:, None] for each in (start, way, other, other_way)]
    assert segment_distance(*columns)[0] == pytest.approx(np.sqrt(best), abs=1e-6)


def test_neighbours_and_what_always_touches_are_no_collision():
    """Links that share a joint, and capsules as long as the robot, do not count."""
    model = limited_robot()
    huge = [replace(shape, radius=100.0) for shape in model.collision]
    assert SelfCollisionLimit.of(replace(model, collision=huge), 0.0) is None
    assert SelfCollisionLimit.of(replace(model, collision=()), 0.0) is None
    assert SelfCollisionLimit.of(model, -1.0) is None
    small = [replace(shape, radius=1e-3) for shape in model.collision]
    pairs = SelfCollisionLimit.of(replace(model, collision=small), 0.0).pairs
    joined = {(joint.parent, child) for child, joint in enumerate(model.joints, 1)}
    assert set(pairs) == {
        (i, j) for i in range(5) for j in range(i + 1, 5) if (i, j) not in joined
    }


def test_a_box_needs_a_frame_and_room():
    """Both errors name the frame."""
    model = servicer()
    with pytest.raises(PlanningError, match='hand: no frame to keep in a box; known are bus'):
        KeepInBoxLimit(model, KeepInBox('hand', (0.0,) * 3, (1.0,) * 3))
    with pytest.raises(PlanningError, match='tool: its box has no room'):
        KeepInBoxLimit(model, KeepInBox('tool', (0.0,) * 3, (1.0, 0.0, 1.0)))


def test_limits_that_are_not_there_are_not_looked_at():
    """Nothing but joints and wheels unless more is asked for or described."""
    model = replace(servicer(), collision=())
    free = replace(
        model,
        tree_joints=[
            replace(each, limits=replace(each.limits, effort=np.inf)) for each in model.joints
        ],
        wheels=[replace(each, max_torque=np.inf) for each in model.wheels],
    )
    for robot, count in ((free, 1), (model, 2)):
        found = limit_set(PlannedBase(robot), LimitSettings(), actuator_limits(robot), SPACING)
        assert len(found.limits) == count


SHAPES = """<robot name="shapes">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
    <collision><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.1" length="2"/></geometry></collision></link>
  <link name="plate">
    <collision><geometry><box size="0.3 2 0.4"/></geometry></collision></link>
  <joint name="bolted" type="fixed"><parent link="base"/><child link="plate"/>
    <origin xyz="1 0 0"/></joint>
</robot>"""


def test_collision_shapes_are_read_as_capsules():
    """Spheres, cylinders along their turned axis, boxes along their longest edge."""
    sphere, cylinder, box = robot_from_urdf_string(SHAPES).collision
    assert sphere.radius == 0.3
    assert np.array_equal(sphere.start, sphere.end)
    np.testing.assert_allclose([cylinder.start, cylinder.end], [[-1, 0, 1], [1, 0, 1]], atol=1e-12)
    np.testing.assert_allclose([box.start, box.end], [[1, -1, 0], [1, 1, 0]], atol=1e-12)
    assert box.radius == pytest.approx(np.hypot(0.15, 0.2))


def test_written_collision_shapes_read_as_the_same():
    """Through the text of a URDF, turned joint axes included."""
    model = limited_robot(1)
    again = robot_from_urdf_string(urdf_from_robot(model))
    for old, new in zip(model.collision, again.collision, strict=True):
        turn = model.links[old.link].R_UL.T @ again.links[new.link].R_UL
        assert (old.link, old.radius) == (new.link, pytest.approx(new.radius))
        ends = {tuple(np.round(turn @ end, 9)) for end in (new.start, new.end)}
        assert ends == {tuple(np.round(end, 9)) for end in (old.start, old.end)}

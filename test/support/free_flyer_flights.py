"""Flights of the Space CoBot with loads, for the tests."""

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.periodic_family import pose_family
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.model import InertialParameters, load_robot, shipped_file
from spacerobot_id.simulation import fly, SaturatedTracking

ROBOT = load_robot(shipped_file('config/robots/space_cobot.urdf'))
ALONE = ROBOT.links[0].inertial
PROPELLERS = ROBOT.actuators.propellers
LOADED = InertialParameters.from_com(
    7.3,
    [0.03, -0.05, 0.02],
    np.array([[0.07, 0.01, -0.02], [0.01, 0.08, 0.005], [-0.02, 0.005, 0.06]]),
)
PERIOD = 10.0
STEP = 0.05
POSITION_STD, ATTITUDE_STD = 0.05, 0.03


@cache
def reference(seed=1, cycles=4):
    """Return a random motion of the pose within the usual limits."""
    family = pose_family(FreeFlyerLimits(), PERIOD, cycles=cycles)
    numbers = np.random.default_rng(seed).uniform(-1.0, 1.0, family.shape)
    return FreeFlyerReference(family.kept_motion(numbers))


def stacked(references, steps):
    """Return references at the starts of steps, one row per body."""
    motions = [each.sample(STEP * np.arange(steps)) for each in references]
    names = PoseMotion.__dataclass_fields__
    return PoseMotion(*(np.stack([getattr(each, name) for each in motions]) for name in names))


@cache
def flight(*, limited=True, cycles=4, seed=1):
    """Return the flight of the loaded robot, tracked as if it were alone."""
    steps = round(cycles * PERIOD / STEP)
    tracking = SaturatedTracking(ALONE.vector, stacked([reference(seed, cycles)], steps))
    propellers = PROPELLERS if limited else None
    return fly([LOADED.vector], tracking, steps, STEP, propellers)


def record(flown, noise=1.0, seed=0):
    """Return what is measured of a flight: poses with a share of the paper's noise."""
    rng, states = np.random.default_rng(seed), flown.states[0, :-1]
    count = len(states)
    turned = Rotation.from_rotvec(noise * ATTITUDE_STD * rng.normal(size=(count, 3)))
    return Record(
        flown.times[:-1],
        position=states[:, :3] + noise * POSITION_STD * rng.normal(size=(count, 3)),
        attitude=(Rotation.from_quat(states[:, 3:7]) * turned).as_quat(),
        wrench=HeldSignal(flown.times[:-1], flown.wrenches[0]),
    )

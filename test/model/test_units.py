"""Descriptions in other units, without limits, and with soft limits."""

from dataclasses import replace
import warnings

import numpy as np
import pytest
from ros_harness import ROBOTS
from urdf_examples import ARM, BASE, joint_text, LIMIT, read

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import JointLimits
from spacerobot_id.model.description.urdf import read_urdf, warn_of_units

SHIPPED = sorted(ROBOTS.glob('*.urdf'))


def asked(path, mass=1.0, length=1.0, moment=1.0, angle=1.0):
    """Return what is asked about a robot whose units are others."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        description = read_urdf(path.read_text(encoding='utf-8'), path.name)
    links = []
    for link in description.links:
        inertial = link.inertial
        if inertial is not None:
            inertia, com = inertial.inertia_about_com, inertial.com
            inertial = inertial.from_com(mass * inertial.mass, length * com, moment * inertia)
        links.append(replace(link, inertial=inertial))
    joints = [
        replace(
            joint,
            p_PC_P=length * joint.p_PC_P,
            limits=JointLimits(angle * joint.limits.lower, angle * joint.limits.upper),
        )
        for joint in description.joints
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warn_of_units(replace(description, links=links, joints=joints))
    return [str(each.message) for each in caught]


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.stem)
def test_robots_as_they_are_are_not_asked_about(path):
    """From a robot on a table to a servicer; ten times as large, or a hundredth, too."""
    for size in (0.01, 1.0, 10.0):
        assert not asked(path, size**3, size, size**5)


@pytest.mark.parametrize('name', ['servicer', 'naveen_dual_arm', 'small_robot'])
@pytest.mark.parametrize(
    ('units', 'words'),
    [
        ({'mass': 1e3}, 'kg/m^3, which no robot has: masses are in kg'),
        ({'moment': 1e6}, 'kg/m^3, which no robot has: masses are in kg'),
        ({'mass': 1e3, 'length': 1e3, 'moment': 1e9}, 'kg/m^3, which no robot has'),
        ({'length': 1e3}, 'away from the joint before: lengths are in m'),
    ],
)
def test_grams_and_millimetres_are_asked_about_once(name, units, words):
    (path,) = [each for each in SHIPPED if each.stem == name] or SHIPPED[:1]
    (message,) = asked(path, **units)
    assert words in message


def hinge(turn, limit=LIMIT):
    """Return a joint whose frame is turned."""
    origin = '<origin xyz="0.5 0 0.3"'
    return joint_text(inside=limit).replace(origin, f'{origin} rpy="{turn}"')


@pytest.mark.parametrize('turn', ['0 0 0', '1.57 0 -3.15', '0 6.284 0'])
def test_radians_are_not_asked_about(turn):
    """No warning at all, which would be an error."""
    assert len(read(BASE, ARM, hinge(turn)).joints) == 1


@pytest.mark.parametrize(
    ('turn', 'limit', 'words'),
    [
        ('0 0 0', LIMIT.replace('-1', '-90'), 'its limits reach -90 rad, which look like degrees'),
        ('0 0 0', LIMIT.replace('"2"', '"180"'), 'its limits reach 180 rad, which look like'),
        ('0 -90 0', LIMIT, 'its <origin> turns by -90 rad, which looks like degrees'),
    ],
)
def test_degrees_are_asked_about(turn, limit, words):
    with pytest.warns(DescriptionWarning, match=words):
        read(BASE, ARM, hinge(turn, limit))


@pytest.mark.parametrize('key', ['velocity', 'effort'])
def test_a_limit_below_zero_is_none(key):
    """As some write where there is none; it is said."""
    limit = '<limit lower="-1" upper="1" velocity="0.5" effort="7"/>'
    old = {'velocity': 'velocity="0.5"', 'effort': 'effort="7"'}[key]
    with pytest.warns(DescriptionWarning, match='is negative, which is taken for none'):
        robot = read(BASE, ARM, joint_text(inside=limit.replace(old, f'{key}="-1"')))
    expected = {'velocity': 0.5, 'effort': 7.0} | {key: np.inf}
    limits = robot.joints[0].limits
    assert (limits.velocity, limits.effort) == (expected['velocity'], expected['effort'])


@pytest.mark.parametrize(
    ('soft', 'expected'),
    [
        ('soft_lower_limit="-0.3" soft_upper_limit="0.4"', (-0.3, 0.4)),
        ('soft_lower_limit="-0.3"', (-0.3, 1.0)),
        ('soft_upper_limit="0.4" k_position="9"', (-1.0, 0.4)),
        ('soft_lower_limit="-7" soft_upper_limit="7"', (-1.0, 1.0)),
        ('k_velocity="10"', (-1.0, 1.0)),
    ],
)
def test_soft_limits_are_limits(soft, expected):
    limit = '<limit lower="-1" upper="1" velocity="0.5" effort="7"/>'
    inside = f'{limit}<safety_controller {soft} k_velocity="1"/>'.replace(
        'k_velocity="10" k_velocity="1"', 'k_velocity="10"'
    )
    limits = read(BASE, ARM, joint_text(inside=inside)).joints[0].limits
    assert (limits.lower, limits.upper) == expected


@pytest.mark.parametrize('ends', [(0.0, 0.0), (2.0, 3.0)])
def test_soft_limits_that_leave_no_motion_are_said(ends):
    limit = '<limit lower="-1" upper="1" velocity="0.5" effort="7"/>'
    soft = '<safety_controller soft_lower_limit="{}" soft_upper_limit="{}" k_velocity="1"/>'
    with pytest.warns(DescriptionWarning, match='leave it no motion; they are passed over'):
        robot = read(BASE, ARM, joint_text(inside=limit + soft.format(*ends)))
    assert (robot.joints[0].limits.lower, robot.joints[0].limits.upper) == (-1.0, 1.0)

"""The YAML file beside a URDF: limits, noise, writing; faults name the file and the key."""

import re

import numpy as np
import pytest
from urdf_examples import ARM, BASE, joint_text, own_wheel, read_with_yaml, robot_text, ROTOR, SPIN

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.model import (
    JointLimits,
    load_robot,
    ReactionWheel,
    SensorNoise,
    write_robot,
    yaml_from_robot,
)


def test_limits_override_those_of_the_urdf():
    """What the YAML gives stands, the rest stays."""
    model = read_with_yaml(
        'joint_limits: {hinge: {upper: 1.5, acceleration: 0.25, velocity: 0.1}}'
    )
    assert model.joints[0].limits == JointLimits(-1.0, 1.5, 0.1, 0.25, 9.0)


def test_noise_is_what_the_yaml_says():
    """Every field can be given; the rest keeps its default."""
    assert read_with_yaml('').noise == SensorNoise()
    noise = read_with_yaml('noise: {joint_rate: 1e-5, base_position: 2, rate: 50}').noise
    assert noise == SensorNoise(joint_rate=1e-5, base_position=2.0, rate=50.0)


@pytest.mark.parametrize('number', ['1e-5', '1.0e-5', '1E-05', '+1e-5', '0.00001', '1.e-5'])
def test_numbers_may_be_written_as_people_do(number):
    """1e-5 is a text in YAML 1.1; here it is the number that its writer meant."""
    assert read_with_yaml(f'noise: {{joint_rate: {number}}}').noise.joint_rate == 1e-5


@pytest.mark.parametrize('text', ['', '# nothing\n', '{}', 'description: A robot.'])
def test_an_empty_file_says_nothing(text):
    """A file without settings is as good as none."""
    model = read_with_yaml(text)
    assert (model.wheels, model.noise) == ((), SensorNoise())


def test_the_file_beside_the_urdf_is_read(tmp_path):
    """It has the same stem; one of another name is none of ours."""
    path = tmp_path / 'robot.v2.urdf'
    path.write_text(robot_text(BASE))
    (tmp_path / 'other.yaml').write_text('nonsense: 1')
    assert load_robot(path).wheels == ()
    (tmp_path / 'robot.v2.yaml').write_text(own_wheel())
    assert load_robot(path).wheel_names == ('wheel',)


def test_errors_name_the_file_beside_the_urdf(tmp_path):
    """Not the URDF, in which nothing is wrong."""
    (tmp_path / 'robot.urdf').write_text(robot_text(BASE))
    (tmp_path / 'robot.yaml').write_text('nonsense: 1')
    with pytest.raises(DescriptionError, match=r'robot\.yaml: nonsense: unknown key') as raised:
        load_robot(tmp_path / 'robot.urdf')
    assert raised.value.source == str(tmp_path / 'robot.yaml')
    assert raised.value.element == 'nonsense'


FAULTS = {
    'unknown key': (
        'colour: red',
        'colour: unknown key; known are description, free_base, wheels',
    ),
    'unknown key of a wheel': (own_wheel(mass=1), r'wheels\[0\]\.mass: unknown key'),
    'unknown key of a joint': (
        'wheels: [{joint: wheel, axis: [1, 0, 0]}]',
        r'\.axis: unknown key',
    ),
    'unknown limit': ('joint_limits: {hinge: {jerk: 1}}', r'joint_limits\.hinge\.jerk: unknown'),
    'unknown noise': ('noise: {gyro: 1}', r'noise\.gyro: unknown key; known are joint_position'),
    'top is a list': ('[1, 2]', 'must be a mapping, got'),
    'wheels is no list': ('wheels: {joint: wheel}', 'wheels: must be a list'),
    'wheels is nothing': ('wheels:', 'wheels: must be a list, got None'),
    'wheel is a text': ('wheels: [wheel]', r"wheels\[0\]: must be a mapping, got 'wheel'"),
    'description is a number': ('description: 4', 'description: must be a string, got 4'),
    'limit is a text': (
        'joint_limits: {hinge: {velocity: fast}}',
        r"joint_limits\.hinge\.velocity: must be a number, got 'fast'",
    ),
    'limit is a truth value': ('joint_limits: {hinge: {lower: yes}}', 'lower: must be a number'),
    'limit is NaN': ('joint_limits: {hinge: {lower: .nan}}', 'lower: must be a number, got nan'),
    'limit is zero': ('joint_limits: {hinge: {velocity: 0}}', 'velocity: must be above zero'),
    'limits cross': (
        'joint_limits: {hinge: {lower: 3}}',
        r'joint_limits\.hinge: the lower limit 3 is above the upper limit 2',
    ),
    'unknown joint': ('joint_limits: {elbow: {}}', r"joint_limits\.elbow: 'elbow' is an unknown"),
    'negative noise': ('noise: {joint_rate: -1}', r'noise\.joint_rate: must not be negative'),
    'infinite noise': ('noise: {joint_rate: .inf}', r'noise\.joint_rate: must be finite'),
    'rate of zero': ('noise: {rate: 0}', r'noise\.rate: must be above zero'),
    'wheel without axis': (own_wheel(axis=None), r'wheels\[0\]\.axis: it is missing'),
    'wheel without name': (own_wheel(name=None), r'wheels\[0\]\.name: it is missing'),
    'wheel without inertia': (own_wheel(spin_inertia=None), r'spin_inertia: it is missing'),
    'wheel on an unknown link': (own_wheel(link='bus'), r"wheels\[0\]: link 'bus' is unknown"),
    'axis is zero': (
        own_wheel(axis='[0, 0, 0]'),
        r'wheels\[0\]\.axis: a direction must not be zero',
    ),
    'axis is short': (own_wheel(axis='[0, 1]'), r'wheels\[0\]\.axis: must have 3 entries'),
    'axis is infinite': (own_wheel(axis='[0, .inf, 1]'), r'axis\[1\]: must be finite'),
    'inertia is negative': (own_wheel(spin_inertia=-1), r'spin_inertia: must be above zero'),
    'limit is negative': (own_wheel(max_rate=-1), r'max_rate: must be above zero, got -1'),
    'two wheels of one name': (
        f'{own_wheel()[:-1]}, {{name: wheel, axis: [1, 0, 0], spin_inertia: 1}}]',
        r"wheels\[1\]: two wheels are named 'wheel'",
    ),
    'wheel named as a joint': (own_wheel(name='hinge'), r"wheels\[0\]: 'hinge' is a joint"),
    'wheel is an unknown joint': ('wheels: [{joint: w}]', r"wheels\[0\]: joint 'w' is unknown"),
    'wheel is bounded': ('wheels: [{joint: hinge}]', r"'hinge' must be continuous to be a wheel"),
    'key is there twice': (
        'noise: {rate: 1, rate: 2}',
        "line 1: invalid YAML: duplicate key 'rate'",
    ),
    'no YAML': ('noise:\n  rate: [1\n', 'line 3: invalid YAML: '),
    'tag': (
        'noise: !!python/object/apply:os.getcwd []',
        'line 1: invalid YAML: could not determine',
    ),
    'control character': ('noise: \0', 'the text: invalid YAML: '),
}


@pytest.mark.parametrize(('text', 'message'), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_an_error_that_names_it(text, message):
    """The error has the file, the key and the reason."""
    with pytest.raises(DescriptionError, match=message) as raised:
        read_with_yaml(text)
    assert raised.value.source == 'example.urdf (YAML)'
    assert raised.value.element in str(raised.value)


def test_a_robot_and_what_urdf_cannot_hold_are_written(tmp_path):
    """Wheels of both kinds, limits and noise come back with the robot."""
    settings_text = (
        'wheels: [{joint: wheel, max_momentum: 12},'
        ' {name: other, link: arm, axis: [1, 2, 3], spin_inertia: 0.1}]\n'
        'joint_limits: {hinge: {acceleration: 0.5}}\nnoise: {joint_rate: 1e-5, rate: 20}\n'
    )
    model = read_with_yaml(settings_text, BASE, ROTOR, SPIN, ARM, joint_text())
    write_robot(model, tmp_path / 'robot.urdf')
    again = load_robot(tmp_path / 'robot.urdf')
    assert again.noise == model.noise
    assert again.joints[0].limits == model.joints[0].limits
    np.testing.assert_allclose(again.parameters, model.parameters, atol=1e-12)
    for one, other in zip(model.wheels, again.wheels, strict=True):
        np.testing.assert_allclose(other.axis, one.axis, atol=1e-15)
        assert _without_axis(other) == _without_axis(one)


def _without_axis(wheel: ReactionWheel):
    values = wheel.name, wheel.link, wheel.spin_inertia
    return (*values, wheel.max_rate, wheel.max_momentum, wheel.max_torque)


def test_every_section_that_is_written_is_explained():
    """A comment stands before each."""
    text = yaml_from_robot(read_with_yaml(own_wheel()))
    assert re.findall(r'^# .*\n(\w+):', text, re.MULTILINE) == ['wheels', 'noise']

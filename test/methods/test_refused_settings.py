"""Every setting of a method is taken, or refused by its name: none is passed over in silence."""

from dataclasses import replace

from method_cases import METHODS, robot_of, settings_of
import pytest

from spacerobot_id.estimation import RecursionSettings
from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.registry import method_class
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.settings import own_parameters, values_from_settings

OF_METHODS = own_parameters(MethodSettings) | own_parameters(RecursionSettings)
OF_ALIGNMENT = {'base_velocity': own_parameters(IdentifySettings)['base_velocity']}
KEYS = OF_METHODS | OF_ALIGNMENT
OF_EVERY_METHOD = {'most_samples'}
OTHER = {
    'known_angular_momentum': (1.0, 2.0, 3.0),
    'change_links': ('hand',),
    'base_velocity': 'base_twist',
    'most_samples': 5000,
    'acceleration_window': 31,
    'calibrate': 'auto',
    'known_strengths': ('thruster_1',),
    'unevenness_order': 4,
}


def other_than_default(key, name):
    """Return a value that a setting can have and does not have by default."""
    default = KEYS[key].default
    if (name, key) == ('free_flyer', 'known_strengths'):  # it has no thrusters
        return ('fx',)
    if key in OTHER:
        return OTHER[key]
    if isinstance(default, bool):
        return not default
    return 0.5 * default if default else 0.25


def method_for(name, given):
    """Return the method with some settings beside those that it cannot do without."""
    needed = values_from_settings(settings_of(name))
    kind = method_class(name)
    needed = {key: value for key, value in needed.items() if key in kind.takes}
    robot = replace(robot_of(name), tolerances={'encoder_offset': 0.01})
    return settings_from_mapping({**needed, 'method': name, **given}).method_for(robot)


@pytest.mark.parametrize('key', sorted(KEYS))
@pytest.mark.parametrize('name', METHODS)
def test_a_setting_is_taken_or_refused_by_its_name(name, key):
    """As the method says of itself."""
    given = {key: other_than_default(key, name)}
    if key in method_class(name).takes | OF_EVERY_METHOD:
        beside = {'planar': True} if key == 'unevenness' else {}  # that of a table
        assert method_for(name, {**given, **beside}).name == name
        return
    with pytest.raises(ConfigurationError, match=f'{key}: not taken by the method {name}'):
        method_for(name, given)


@pytest.mark.parametrize('name', METHODS)
def test_a_method_takes_what_there_is(name):
    """No method names a setting that does not exist."""
    assert method_class(name).takes <= set(own_parameters(IdentifySettings))


@pytest.mark.parametrize('key', sorted(OF_METHODS))
def test_every_setting_is_of_use(key):
    """Some method takes it."""
    assert any(key in method_class(name).takes | OF_EVERY_METHOD for name in METHODS)


def test_the_refusal_says_which_methods_take_it():
    """So that one knows where to look."""
    with pytest.raises(ConfigurationError, match=r'period: .*harmonic_least_squares.* take it'):
        method_for('momentum', {'period': 10.0})


def test_several_are_refused_at_once():
    """In one sentence."""
    with pytest.raises(ConfigurationError, match='period, trust_zeros: not taken'):
        method_for('momentum', {'period': 10.0, 'trust_zeros': True})


@pytest.mark.parametrize('name', ['least_squares', 'weighted_least_squares'])
def test_least_squares_takes_no_positions(name):
    """Poses cannot stand in for a velocity in its regressor."""
    settings = settings_from_mapping({'method': name, 'base_velocity': 'base_pose'})
    with pytest.raises(ConfigurationError, match='base_velocity'):
        settings.method_for(robot_of(name), from_pose=True)


def test_a_momentum_has_three_components():
    """Two numbers are refused by the setting's name."""
    given = {'method': 'angular_momentum', 'known_angular_momentum': (1.0, 2.0)}
    with pytest.raises(ConfigurationError, match='known_angular_momentum'):
        settings_from_mapping(given)

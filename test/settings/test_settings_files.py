"""Settings from files: types, ranges and names are checked, for planner and estimator alike."""

from dataclasses import replace

import numpy as np
import pytest
from ros_harness import ROBOTS
from small_robot import small_robot
import yaml

from spacerobot_id.estimation import IdentifySettings, load_identify_settings
from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import LimitSettings, plan_excitation, PlannerSettings
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox
from spacerobot_id.excitation.planner_node_settings import (
    KEYS,
    load_plan_request,
    PlannerNodeSettings,
    request_from_mapping,
)
from spacerobot_id.excitation.planner_settings import check_thrust
from spacerobot_id.settings import own_parameters, settings_from_values
from spacerobot_id.simulation.settings import SimulatorSettings

SHIPPED = ROBOTS.parent / 'identify.yaml'


def load_planner_settings(path):
    return load_plan_request(path).settings


@pytest.fixture(name='load')
def loading(tmp_path):
    """Return a function that loads the planner's settings from a text."""

    def load(text, how=load_planner_settings):
        path = tmp_path / 'settings.yaml'
        path.write_text(text)
        return how(path)

    return load


def refused(load, text, reason, how=load_planner_settings):
    """Assert that a text is refused with file and reason."""
    with pytest.raises(ConfigurationError, match=reason) as caught:
        load(text, how)
    assert 'settings.yaml: ' in str(caught.value)


# Values


def test_the_settings_are_those_of_the_node():
    """Every key of a file is a parameter of the node; the defaults are those of the core."""
    assert set(KEYS) < set(own_parameters(PlannerNodeSettings))
    assert PlannerNodeSettings().search() == PlannerSettings()
    assert request_from_mapping({}).settings == PlannerSettings()


def test_values_are_taken_over(load):
    """Also as ROS reads them: a number without a point, powers of ten without one."""
    text = """
    family: seeds
    interval: 2
    delta: 1e-3
    of_interest: [bus]
    base_rate_limit: 0.1
    keep_in_frame: tool
    keep_in_lower: [-1, -1, 0]
    keep_in_upper: [1, 1, 2]
    planar: true
    """
    settings = load(text)
    assert (settings.family.value, settings.interval, settings.delta) == ('seeds', 2.0, 1e-3)
    assert settings.criterion.of_interest == ('bus',)
    box = KeepInBox('tool', (-1.0, -1.0, 0.0), (1.0, 1.0, 2.0))
    assert settings.limits == LimitSettings(base_rate=0.1, keep_in=(box,), planar=True)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('base_rate_limit: -1', 'base_rate_limit: must not be negative, got -1'),
        ('base_excursion_limit: -0.2', 'base_excursion_limit: must not be negative'),
        ("planar: 'no'", "planar: must be true or false, got 'no'"),
        ("planar: 'false'", "planar: must be true or false, got 'false'"),
        ('planar: 1', 'planar: must be true or false, got 1'),
        ('harmonics: 2.7', r'harmonics: must be a whole number, got 2\.7'),
        ('harmonics: 1', 'harmonics: must be at least 2'),
        ('worst_share: 5', 'worst_share: must be at most 1'),
        ('prior_draws: -1', 'prior_draws: must not be negative'),
        ('prior_spread: -3', 'prior_spread: must not be negative'),
        ('duration: -5', 'duration: must not be negative'),
        ('duration: .inf', 'duration: must be finite'),
        ('duration: .nan', 'duration: must be finite'),
        ('seed: -1', 'seed: must not be negative'),
        ('seed: true', 'seed: must be a whole number, got True'),
        ('draws: 0', 'draws: must be at least 1'),
        ('draws:', 'draws: must be a whole number, got None'),
        ('interval: long', "interval: must be a number, got 'long'"),
        ('of_interest: 3', 'of_interest: must be a list, got 3'),
        ('of_interest: bus', "of_interest: must be a list, got 'bus'"),
        ('of_interest: [3]', r'of_interest\[0\]: must be a string, got 3'),
        ('criterion: luck', "criterion: must be one of deviation, .*, got 'luck'"),
        ('criterion: [condition]', 'criterion: must be one of deviation, '),
        ('keep_in_frame: 3', 'keep_in_frame: must be a string'),
        ('keep_in_frame: tool', 'keep_in_lower: three numbers are needed'),
        ('keep_in_upper: [1, 1, 1]', 'keep_in_upper: means nothing without keep_in_frame'),
        ('keep_in_lower: [1, 1]', 'keep_in_lower: must have 0 or 3 entries, got 2'),
        ('drawz: 3', 'unknown key drawz'),
        ('- 3', 'needs keys and values'),
        ('draws: [', 'cannot be read'),
    ],
)
def test_values_that_make_no_sense_are_refused(load, text, reason):
    """The error names file and key."""
    refused(load, text, reason)


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        ({'duration': -5.0}, 'duration: must not be negative'),
        ({'interval': np.inf}, 'interval: must be finite'),
        ({'seed': -1}, 'seed: must not be negative'),
        ({'limits': LimitSettings(base_rate=-1.0)}, 'base_rate: must be above zero'),
        ({'limits': LimitSettings(planar='no')}, 'planar: must be true or false'),
    ],
)
def test_settings_made_in_code_are_checked_alike(change, reason):
    with pytest.raises(ConfigurationError, match=reason):
        plan_excitation(small_robot(), np.zeros(5), replace(PlannerSettings(), **change))


# Parameter files of several nodes


def test_the_parameter_file_of_the_nodes_will_do():
    """The one that is shipped, of which the node's part is taken."""
    assert load_planner_settings(SHIPPED) == PlannerSettings()
    assert load_identify_settings(SHIPPED) == IdentifySettings()


@pytest.mark.parametrize(
    'text',
    [
        '/**/planner: {ros__parameters: {draws: 3}}',
        'planner: {ros__parameters: {draws: 3}}',
        '/robot/planner: {ros__parameters: {draws: 3}}',
        'robot: {planner: {ros__parameters: {draws: 3}}}',
        '/**: {ros__parameters: {draws: 3, real_time_factor: 2.0}}',
        '/**: {ros__parameters: {draws: 5}}\n/**/planner: {ros__parameters: {draws: 3}}',
        '/**/planner: {ros__parameters: {draws: 3, robot: a.urdf, use_sim_time: true, '
        'qos_overrides./clock.depth: 1}}\n/**/simulator: {ros__parameters: {anything: 1}}',
    ],
)
def test_sections_of_the_node_and_of_all_nodes_count(load, text):
    """In any namespace, with what others are told beside it."""
    assert load(text).draws == 3


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('/**/planner: {ros__parameters: {drawz: 3}}', r'/\*\*/planner: unknown key drawz'),
        ('planner: {draws: 3}', 'planner: needs ros__parameters'),
        ('/**/planner:', r'/\*\*/planner: needs ros__parameters'),
        ('/**/planner: {ros__parameters: }', r'/\*\*/planner: needs ros__parameters'),
        (
            '/**/planner: {ros__parameters: {}, draws: 3}',
            'draws: must stand under ros__parameters',
        ),
        ('/**/planner: {ros__parameters: {}}\ndraws: 3', 'draws: must stand in a section'),
        (
            '/**/planner: {ros__parameters: {tracking_delay: 0}}',
            'tracking_delay: must be at least',
        ),
        ('/**/simulator: {ros__parameters: {seed: 3}}', 'has no section for the node planner'),
    ],
)
def test_sections_that_would_be_passed_over_are_refused(load, text, reason):
    """The error names file, section and key."""
    refused(load, text, reason)


# The estimator's


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('gyro_bias: -1', 'gyro_bias: must not be negative'),
        ('gyro_bias: .inf', 'gyro_bias: must be finite'),
        ('gate: 0.9', r'gate: must be at most 0\.5'),
        ("planar: 'no'", 'planar: must be true or false'),
        ('most_samples: 2000.5', 'most_samples: must be a whole number'),
        ('trust_zeros: maybe', 'trust_zeros: must be true or false'),
        ('acceleration_window: 20', 'acceleration_window: must be odd'),
        ('known_angular_momentum: [1, 2]', 'known_angular_momentum: must have 3 entries'),
        ('change_links: gripper', 'change_links: must be a list'),
        ('gyro_bais: 0.1', 'unknown key gyro_bais'),
        ('estimator: {gyro_bias: 0.1}', 'estimator: needs ros__parameters'),
        ('/**/estimator:', r'/\*\*/estimator: needs ros__parameters'),
        ('/**/estimator: {ros__parameters: {gyro_bais: 1}}', 'unknown key gyro_bais'),
    ],
)
def test_the_estimators_settings_are_checked_alike(load, text, reason):
    refused(load, text, reason, load_identify_settings)


def test_the_estimators_settings_are_taken_over(load):
    text = """
    /**/estimator:
      ros__parameters:
        gate: 1e-4
        change_links: [gripper]
        gyro_bias: 0.1
        planar: true
        known_angular_momentum: [1, 2, 3]
        publish_period: 2.0
    """
    settings = load(text, load_identify_settings)
    assert settings.recursion.change.gate == 1e-4
    assert settings.recursion.change.links == ('gripper',)
    assert settings.of_method.nuisance.gyro_bias == 0.1
    assert settings.of_method.planar
    assert settings.of_method.momentum.known_angular_momentum == (1.0, 2.0, 3.0)
    assert EstimatorSettings().identify == IdentifySettings()


# Shipped parameter files


@pytest.mark.parametrize('name', ['air_bearing', 'angular_momentum', 'free_flyer'])
def test_what_is_shipped_is_good(name):
    """Every key is a parameter of its node, every value is one that it takes."""
    content = yaml.safe_load((ROBOTS.parent / f'{name}.yaml').read_text(encoding='utf-8'))
    kinds = {
        'simulator': SimulatorSettings,
        'planner': PlannerNodeSettings,
        'estimator': EstimatorSettings,
    }
    for node, kind in kinds.items():
        given = content.get(f'/**/{node}', {}).get('ros__parameters', {})
        assert set(given) <= set(own_parameters(kind))
        settings = settings_from_values(kind, given)
        if node == 'simulator':
            settings.check()
        elif node == 'planner' and name == 'air_bearing':
            check_thrust(settings)

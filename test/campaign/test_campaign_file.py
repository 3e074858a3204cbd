"""Campaign files: what is wrong in them is an error that names the place."""

from campaigns import campaign_of, inputs_of, SMALL
import pytest

from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.lab.campaign.campaign_file import (
    campaign_from_inputs,
    campaign_inputs,
    campaign_names,
)
from spacerobot_id.lab.campaign.draws.dispersions import Meaning

pytestmark = pytest.mark.filterwarnings('ignore::spacerobot_id.exceptions.DescriptionWarning')

MASS = SMALL['dispersions'][0]
GRASP = {'link': 'arm_link_7', 'time': 1.0, 'mass': 1.0, 'inertia': [1, 1, 1, 0, 0, 0]}


def test_what_a_file_says_is_what_is_drawn(tmp_path):
    campaign = campaign_of(tmp_path)
    assert campaign.draws.keys[:2] == ('links.bus.mass', 'links.arm_link_1.mass')
    assert {each.meaning for each in campaign.draws.dispersions[:8]} == {Meaning.FACTOR}
    gyro = campaign.draws.dispersions[-1]
    assert gyro.keys == ('sensors.gyro_mounting.y',)
    assert gyro.distributions[0].numbers == (-1e-6, 1e-6)
    (requirement,) = campaign.requirements
    assert (requirement.bound, requirement.share, requirement.confidence) == (0.5, 0.8, 0.95)


@pytest.mark.parametrize('name', campaign_names())
def test_campaigns_that_come_with_the_package_can_be_read(name):
    campaign = campaign_from_inputs(campaign_inputs(name))
    assert campaign.requirements
    assert len(campaign.draws.keys) > 20
    assert campaign.draws.of_run(3) == campaign.draws.of_run(3)


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'robots': 'servicer'}, 'small.yaml: robots: unknown key'),
        ({'robot': 'servizer'}, "robot: 'servizer' is neither a file nor one of air_bearing"),
        ({'runs': None}, 'runs: it is missing'),
        ({'runs': 1.5}, 'runs: must be a whole number'),
        ({'design': 'grid'}, 'design: must be one of independent, latin_hypercube, sobol'),
        ({'stop': 'never'}, 'stop: must be one of decided, budget'),
        ({'mode': 'flying'}, 'mode: flying does not drive the wheels'),
        ({'thrust': {}}, 'thrust: .* has no thrusters'),
        ({'plan': {'draw': 3}}, 'plan.draw: unknown key'),
        ({'plan': {'draws': 0}}, 'plan: draws: must be at least 1'),
        ({'identify': {'method': 'guess'}}, "identify: method: must be one of .*, got 'guess'"),
        ({'identify': {'period': 3.0}}, 'period: not taken by the method momentum'),
        ({'start': {'joints': {'elbow': 0.1}}}, 'start.joints.elbow: unknown key'),
        ({'grasp': GRASP | {'link': 'hand'}}, "grasp.link: link 'hand' is unknown"),
        ({'grasp': {'link': 'arm_link_7'}}, 'grasp.time: it is missing'),
        (
            {'faults': {'f': {'fault': 'F0 none'}}},
            'faults.f.fault: must be one of F1 order, .*F0 none',
        ),
        (
            {'faults': {'f': {'fault': 'F7 zero', 'stream': 'imu/data'}}},
            'faults.f.stream: F7 zero cannot happen to imu/data',
        ),
        (
            {'faults': {'f': {'fault': 'F21 loss', 'stream': 'gps'}}},
            'stream: must be one of',
        ),
        ({'faults': {'f': {'fault': 'F17 back'}}}, 'faults.f.size: it is missing'),
        ({'faults': {'f': {'fault': 'F21 loss', 'size': 1.0}}}, 'size: F21 loss has none'),
        ({'faults': {'f': {'fault': 'F21 loss', 'share': 1.2}}}, 'share: must be at most 1'),
    ],
)
def test_wrong_keys_and_values_are_named(tmp_path, changes, message):
    with pytest.raises((DescriptionError, ConfigurationError), match=message):
        campaign_of(tmp_path, **changes)


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'keys': 'links.bus.mas'}, "unknown key 'links.bus.mas'; known are links.bus.mass"),
        ({'keys': 'links.hand.mass'}, 'links has bus, arm_link_1'),
        ({'keys': 'link.bus.mass'}, 'keys begin with'),
        ({'unit': 'kg'}, "unit: must be one of 1, %, got 'kg'"),
        ({'unit': None}, 'unit: it is missing'),
        ({'factor': {'normal': {'mean': 100}}}, 'factor.normal.std: it is missing'),
        ({'factor': {'normal': {'mean': 100, 'std': -5}}}, 'std: must be above zero'),
        ({'factor': {'cauchy': {}}}, 'factor.cauchy: unknown key'),
        ({'factor': {'uniform': {'low': 2, 'high': 1}}}, 'low: must be below high'),
        ({'value': MASS['factor']}, 'needs one of value, change, factor'),
        ({'keys': ['links.bus.mass', 'links.bus.mass'], 'factor': {'covariance': {}}}, 'matrix'),
    ],
)
def test_wrong_dispersions_are_named(tmp_path, changes, message):
    entry = {key: each for key, each in (MASS | changes).items() if each is not None}
    with pytest.raises(DescriptionError, match=message):
        campaign_of(tmp_path, dispersions=[entry])


def test_a_key_is_drawn_once(tmp_path):
    again = MASS | {'keys': 'links.bus.mass'}
    with pytest.raises(DescriptionError, match=r'dispersions\[1\]: links.bus.mass is drawn twice'):
        campaign_of(tmp_path, dispersions=[MASS, again])


def test_a_value_needs_the_unit_of_its_key(tmp_path):
    entry = {'keys': 'links.bus.mass', 'value': {'choice': {'values': [1, 2]}}, 'unit': 'm'}
    with pytest.raises(DescriptionError, match=r"unit: must be one of kg, g, got 'm'"):
        campaign_of(tmp_path, dispersions=[entry])


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('mass_error < 1 kg', "mass_error: unit must be one of 1, %, got 'kg'"),
        ('mass < 1 %', "'mass' is no metric"),
        ('mass_error about 1', 'must be like mass_error < 0.5 %'),
        ('error.bus.m < 1 m', "unit must be one of kg, g, got 'm'"),
    ],
)
def test_wrong_requirements_are_named(tmp_path, text, message):
    with pytest.raises(DescriptionError, match=message):
        campaign_of(tmp_path, requirements=[{'require': text, 'share': 0.9}])


def test_the_hash_is_that_of_all_texts(tmp_path):
    inputs = inputs_of(tmp_path)
    assert inputs_of(tmp_path).digest == inputs.digest
    assert inputs_of(tmp_path, seed=5).digest != inputs.digest
    assert inputs_of(tmp_path, robot='servicer_prior').digest != inputs.digest

"""Everything that can be drawn is set in the objects that fly, and read back from them."""

from dataclasses import fields, replace
from fnmatch import fnmatchcase

import numpy as np
import pytest

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.dispersions import RunSetting, Start
from spacerobot_id.lab.campaign.draws.key_names import DRAWN
from spacerobot_id.lab.campaign.draws.keys import known_keys, setting_with, values_of
from spacerobot_id.lab.faults import BY_KEY, Occurrence
from spacerobot_id.model import (
    Disturbances,
    InertialParameters,
    JointFriction,
    load_robot,
    SensorNoise,
    Sensors,
    shipped_file,
    StreamSettings,
    Thrusters,
    Valves,
)
from spacerobot_id.simulation import Payload

BODY = InertialParameters.from_com(5.0, (0.0, 0.0, 0.1), np.diag([0.1, 0.1, 0.1]))


def nominal(name):
    robot = load_robot(shipped_file(f'config/robots/{name}.urdf'))
    grasp = Grasp(Payload(robot.link_names[-1], BODY), 3.0)
    fault = Occurrence(BY_KEY['F16 skew imu/data'], 1.0, 2.0, 1.0, 0.01)
    return RunSetting(robot, Start(dict.fromkeys(robot.joint_names, 0.1)), grasp, {'clock': fault})


@pytest.mark.parametrize('name', ['servicer', 'air_bearing', 'space_cobot'])
def test_all_keys_at_once_are_read_back_as_they_were_drawn(name):
    setting = nominal(name)
    keys, rng = known_keys(setting), np.random.default_rng(0)
    drawn = {}
    for key in keys.values():
        start = key.nominal if np.isfinite(key.nominal) else 1.0
        grown = start + 1e-3 * (1.0 + rng.random())
        shrinks = key.name.endswith('.rate') or start == 1.0
        drawn[key.name] = 0.5 * start if shrinks else grown
    read = values_of(setting_with(setting, drawn), setting)
    assert not [each for each in drawn if not keys[each].is_at(drawn[each], read[each])]
    assert setting.robot.noise == nominal(name).robot.noise  # the nominal one is as it was


def test_every_error_that_the_simulator_has_can_be_drawn():
    """A field that is added to the sensors or drives must get a key, or a reason."""
    kinds = {
        'noise': SensorNoise,
        'sensors': Sensors,
        'sensors.streams.STREAM': StreamSettings,
        'actuators.valves': Valves,
        'actuators.thrusters': Thrusters,
        'actuators.friction.JOINT': JointFriction,
        'disturbances': Disturbances,
    }
    not_numbers = {'sensors.imu_frame', 'sensors.streams'}
    for prefix, kind in kinds.items():
        for each in fields(kind):
            name = f'{prefix}.{each.name}'
            has_key = any(key == name or key.startswith(f'{name}.') for key in DRAWN)
            assert has_key or name in not_numbers, name


def test_every_pattern_of_the_docs_is_a_key_of_some_robot():
    found = {key for name in ('servicer', 'air_bearing') for key in known_keys(nominal(name))}
    for pattern in DRAWN:
        parts = pattern.split('.')
        words = [part if part.islower() and '|' not in part else '*' for part in parts]
        assert any(fnmatchcase(key, '.'.join(words)) for key in found), pattern


@pytest.mark.parametrize(
    ('drawn', 'message'),
    [
        ({'links.bus.mass': -1.0}, 'links.bus: mass -1 kg is not positive'),
        ({'noise.joint_rate': -1e-3}, 'noise.joint_rate: must not be negative'),
        ({'sensors.streams.base_pose.dropout': 1.2}, 'base_pose.dropout: must be at most 1'),
        ({'wheels.wheel_x.spin_inertia': 0.0}, 'wheels.wheel_x.spin_inertia: must be above zero'),
        ({'grasp.mass': -2.0}, 'grasp.mass: must be above zero'),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(drawn, message):
    with pytest.raises(ConfigurationError, match=message):
        setting_with(nominal('servicer'), drawn)


def test_a_value_that_was_not_used_is_seen():
    """As if the simulation had its own sensors whatever is drawn."""
    setting = nominal('servicer')
    drawn = {'sensors.gyro_mounting.x': 1e-3, 'start.angular_momentum.z': 0.5}
    made = setting_with(setting, drawn)
    broken = replace(made, robot=replace(made.robot, sensors=setting.robot.sensors))
    keys, read = known_keys(setting), values_of(broken, setting, drawn)
    assert [each for each in drawn if not keys[each].is_at(drawn[each], read[each])] == [
        'sensors.gyro_mounting.x'
    ]

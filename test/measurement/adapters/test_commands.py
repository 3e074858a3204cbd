"""Commands are written as the adapter of a bed reads them: there and back they are the same."""

from beds import make
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter, parse_adapter
from spacerobot_id.measurement.adapters.commands import command_writer
from spacerobot_id.measurement.adapters.conversion import conversion, own_topics

SHARES = {
    'px4_spacecraft': 1e-6,
    'stanford_freeflyer': 0.5,
    'luxembourg_zero_g': 0.5,
    'basilisk_bridge': 1e-12,
}
"""Presets with thrusters, and how far what is read may be from what was written: some only open
and close."""

OURS = own_topics({'thrust': 'thruster_commands', 'wrench': 'base_wrench'})
STAMP = 1234.5
NUMBERS = st.floats(-20.0, 20.0, allow_subnormal=False)


def there_and_back(adapter, kind, thrusters, values):
    """Return the message and the reading of a command."""
    adapter = adapter if adapter.base else adapter.giving(frozenset([kind]))
    (source,) = adapter.giving(frozenset([kind])).sources
    name = source.types[0]
    write = command_writer(adapter, source, kind, thrusters, make(name))
    message = make(name)
    write(message, STAMP, np.array(values))
    (reading,) = conversion(adapter, source, message, name)(message, STAMP)
    return message, reading


@pytest.mark.parametrize('name', SHARES)
@given(st.data())
def test_shares_of_thrusters(name, data):
    """Of some of the thrusters in another order; the others stay closed."""
    adapter = load_adapter(name)
    (source,) = adapter.giving(frozenset(['thruster_commands'])).sources
    (quantity,) = source.quantities
    thrusters = data.draw(st.permutations(quantity.names))[:6]
    shares = data.draw(st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6))
    _, reading = there_and_back(adapter, 'thruster_commands', thrusters, shares)
    read = dict(zip(reading.names, reading.shares, strict=True))
    assert_allclose([read[each] for each in thrusters], shares, rtol=0, atol=SHARES[name])
    assert not any(read[each] for each in quantity.names if each not in thrusters)
    assert reading.stamp == pytest.approx(STAMP, abs=1e-9)


def test_ours_name_their_thrusters():
    adapter = OURS
    _, reading = there_and_back(adapter, 'thruster_commands', ('b', 'a'), [0.25, 1.0])
    assert reading.names == ('b', 'a')
    assert_allclose(reading.shares, [0.25, 1.0], atol=0)


WRENCH_IN_FRD = """
axes: {body: frd}
topics:
- topic: wrench
  type: geometry_msgs/msg/WrenchStamped
  base_wrench:
    force: {fields: wrench.force, unit: mN}
    torque: {fields: wrench.torque, unit: 0.001}
    in: body
"""
PLANAR = """
topics:
- topic: wrench
  type: geometry_msgs/msg/WrenchStamped
  base_wrench:
    force: [wrench.force.x, wrench.force.y]
    torque: wrench.torque.z
"""
ADAPTERS = {
    'Astrobee': load_adapter('astrobee'),
    'other axes and units': parse_adapter(WRENCH_IN_FRD, 'frd.yaml'),
    'in the plane': parse_adapter(PLANAR, 'planar.yaml'),
}


@pytest.mark.parametrize('name', ADAPTERS)
@given(st.lists(NUMBERS, min_size=6, max_size=6))
def test_wrenches(name, wrench):
    """In the axes and units of the bed, three numbers or those of the plane."""
    kept = [0, 1, 5] if name == 'in the plane' else range(6)
    _, reading = there_and_back(ADAPTERS[name], 'base_wrench', (), wrench)
    wanted = np.zeros(6)
    wanted[kept] = np.array(wrench)[kept]
    assert_allclose(reading.wrench, wanted, rtol=1e-12, atol=1e-12)


def test_axes_are_those_of_the_bed():
    """Right-handed with y and z the other way."""
    message, _ = there_and_back(
        ADAPTERS['other axes and units'], 'base_wrench', (), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    )
    force = message.wrench.force
    assert_allclose([force.x, force.y, force.z], [1e3, -2e3, -3e3])


REFUSED = {
    'a thruster that has no place': (
        {'names': "['a']", 'shares': "'data[0:1]'"},
        'no place for commands of b',
    ),
    'a field that is not there': (
        {'names': "['a', 'b']", 'shares': "'dta[0:2]'"},
        "has no field 'dta'",
    ),
    'a constant that is not there': (
        {'names': "['a', 'b']", 'shares': "'data[0:2]'", 'constants': '{dta: 1}'},
        "has no field 'dta'",
    ),
}


@pytest.mark.parametrize('name', REFUSED)
def test_what_cannot_be_written_is_refused_by_key(name):
    keys, reason = REFUSED[name]
    lines = ''.join(f'    {key}: {value}\n' for key, value in keys.items())
    text = 'topics:\n- topic: valves\n  type: std_msgs/msg/Int16MultiArray\n'
    text += '  stamp: {receipt: true}\n  thruster_commands:\n' + lines
    with pytest.raises(DescriptionError, match=r'bed\.yaml') as error:
        there_and_back(parse_adapter(text, 'bed.yaml'), 'thruster_commands', ('a', 'b'), [0, 1])
    assert reason in str(error.value)


def test_wrenches_in_inertial_axes_are_refused():
    """The planner has none."""
    text = PLANAR + '    in: world\n'
    with pytest.raises(DescriptionError, match='commands are in axes of the base'):
        there_and_back(parse_adapter(text, 'world.yaml'), 'base_wrench', (), np.zeros(6))

"""Outputs: each value of an estimate in its field, in the axes and units that are wanted."""

from dataclasses import replace

from beds import make, store
from loaded_arm import LINK, LOAD, PRIOR, result_of
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
import yaml

from spacerobot_id.estimation.write_back.output import body_values, NAMES
from spacerobot_id.estimation.write_back.output_yaml import (
    file_name,
    load_output,
    output_names,
    parse_output,
    value_file,
)
from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.methods.angular_momentum import AngularMomentum

STAMP = 1700000000.25
LIVE = ('astrobee', 'basilisk_bridge', 'ur_payload')


def output(fields, what='topic: t\ntype: geometry_msgs/msg/InertiaStamped'):
    return parse_output(f'{what}\nfields: {fields}', 'out.yaml')


def values_of(name, result=None):
    wanted = load_output(name) if isinstance(name, str) else name
    return wanted, body_values(result or result_of(), wanted, STAMP)


def filled(wanted, message, result=None):
    """Return a message that an output has filled, once it has been to the wire and back."""
    wanted, known = values_of(wanted, result)
    wanted.fill(message, known)
    kind = message.__msgtype__
    return store().deserialize_cdr(store().serialize_cdr(message, kind), kind)


def whole():
    return result_of().robot


def tensor_of(message):
    """Return the tensor of a message with six elements."""
    return np.array([[getattr(message, f'i{min(a, b)}{max(a, b)}') for b in 'xyz'] for a in 'xyz'])


def test_every_preset_is_read_and_every_name_has_a_value():
    assert set(output_names()) == {*LIVE, 'luxembourg_zero_g', 'px4_spacecraft'} | {
        'stanford_freeflyer'
    }
    assert set(values_of('astrobee')[1]) == set(NAMES)
    for name in output_names():
        assert load_output(name).description


def test_an_inertia_with_header():
    """Stamp, frame, and the tensor about the centre of mass."""
    message = filled('astrobee', make('geometry_msgs/msg/InertiaStamped'))
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1700000000, 250000000)
    assert message.header.frame_id == PRIOR.links[0].name
    inertia = message.inertia
    assert inertia.m == whole().mass
    assert_array_equal([inertia.com.x, inertia.com.y, inertia.com.z], whole().com)
    assert_array_equal(tensor_of(inertia), whole().inertia_about_com)


def test_the_vehicle_configuration_of_basilisk():
    """Row by row, about the origin of the base."""
    message = filled('basilisk_bridge', make('bsk_msgs/msg/VehicleConfigMsgPayload'))
    assert message.masssc == whole().mass
    assert_array_equal(message.com_b, whole().com)
    assert_array_equal(message.iscpntb_b.reshape(3, 3), whole().inertia)
    assert message.stamp.sec == 1700000000


def test_the_load_of_a_link_is_what_its_description_has_not():
    """With the link renamed to one of this robot; about the load's own centre of mass."""
    preset = load_output('ur_payload')
    wanted = replace(preset, subject=replace(preset.subject, link=LINK))
    message = filled(wanted, make('ur_msgs/msg/SetPayloadRequest'))
    assert message.mass == pytest.approx(LOAD.mass, rel=1e-6)
    gravity = message.center_of_gravity
    assert_allclose([gravity.x, gravity.y, gravity.z], LOAD.com, atol=1e-9)
    assert_allclose(tensor_of(message), LOAD.inertia_about_com, atol=1e-9)
    assert (message.transition_time.sec, message.transition_time.nanosec) == (0, 500_000_000)


def test_parameters_of_a_node_make_a_parameter_file():
    wanted = load_output('stanford_freeflyer')
    content = yaml.safe_load(value_file(result_of(), wanted, STAMP))
    assert content == {
        '/**/robot_params_node': {
            'ros__parameters': {
                'dynamics': {
                    'mass': whole().mass,
                    'inertia': whole().inertia_about_com[2, 2],
                    'CoM_offset': whole().com[:2].tolist(),
                }
            }
        }
    }
    assert file_name(wanted) == 'robot_params_node.yaml'


def test_a_file_has_the_axes_that_it_says():
    """Forward, right, down: y and z the other way round."""
    text = value_file(result_of(), load_output('px4_spacecraft'), STAMP)
    assert text.startswith(f'# {PRIOR.name} by momentum, 600 samples\n# A YAML file with mass')
    content, turn = yaml.safe_load(text), np.diag([1.0, -1.0, -1.0])
    assert content['mass'] == whole().mass
    assert_array_equal(content['center_of_mass'], turn @ whole().com)
    tensor = turn @ whole().inertia_about_com @ turn
    assert_array_equal(
        [content['inertia'][each] for each in ('xx', 'xy', 'yz')], tensor[[0, 0, 1], [0, 1, 2]]
    )


@pytest.mark.parametrize('name', LIVE)
def test_topics_and_services_are_for_running_systems(name):
    with pytest.raises(ConfigurationError, match='can be written to live only, by ~/apply'):
        value_file(result_of(), load_output(name), STAMP)


def test_units_lists_constants_and_elements():
    fields = (
        '{inertia.m: {value: mass, unit: g}, inertia.com.x: {value: com.y, unit: mm}, '
        'inertia.ixx: -1.5, header.frame_id: {constant: body}}'
    )
    message = filled(output(fields), make('geometry_msgs/msg/InertiaStamped'))
    assert message.inertia.m == pytest.approx(1000.0 * whole().mass)
    assert message.inertia.com.x == pytest.approx(1000.0 * whole().com[1])
    assert (message.inertia.ixx, message.header.frame_id) == (-1.5, 'body')
    fields = '{com_b: [com.x, 0.0, com.z], "iscpntb_b[4]": inertia.yy, currentadcsstate: 3}'
    message = filled(output(fields), make('bsk_msgs/msg/VehicleConfigMsgPayload'))
    assert_array_equal(message.com_b, whole().com * [1.0, 0.0, 1.0])
    assert_array_equal(np.nonzero(message.iscpntb_b)[0], [4])
    assert message.currentadcsstate == 3


@pytest.mark.parametrize(
    ('fields', 'message'),
    [
        ('{inertia.mass: mass}', "fields.inertia.mass: mass: .* has no field 'mass'; it has m"),
        ('{inertia.m: com}', r'fields.inertia.m: takes a number, got \['),
        ('{inertia.m: frame}', "takes a number, got 'base"),
        ('{inertia.com: mass}', 'fields.inertia.com: takes 3 numbers, got'),
        ('{inertia: mass}', 'say which of its fields'),
        ('{header.frame_id: mass}', 'is str, not'),
        ('{header.frame_id: {constant: 3}}', 'is str, not 3'),
    ],
)
def test_fields_that_a_message_has_not_are_said_with_file_and_key(fields, message):
    with pytest.raises(DescriptionError, match=message.replace("'base", "'")):
        filled(output(fields), make('geometry_msgs/msg/InertiaStamped'))


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('fields: {a: mass}', 'needs one of topic, service, parameters, file'),
        ('topic: a\nfile: b\nfields: {a: mass}', 'needs one of topic'),
        ('file: a\nfields: {}', 'out.yaml: fields: there are none'),
        ('file: a\nfields: {a: weight}', "fields.a: must be one of mass, com.*, got 'weight'"),
        ('file: a\nfields: {a: 2 * mass}', "must be one of mass, .*, got '2 . mass'"),
        ('file: a\nfields: {"a b": mass}', 'must be a field such as'),
        ('file: a\nfields: {a: mass, a.b: mass}', 'must be the name of one parameter'),
        (
            'file: a\nfields: {a: {value: mass, unit: stone}}',
            "unit: must be one of m, cm, .*, got 'stone'",
        ),
        ('file: a\nfields: {a: {constant: 1, unit: m}}', 'a constant stands alone'),
        ('file: a\ntype: b\nfields: {a: mass}', 'type: means nothing beside file'),
        ('topic: a\nfields: {a: mass}', 'type: it is missing'),
        ('topic: a\ntype: p/srv/T\nfields: {a: mass}', 'must be like PACKAGE/msg/NAME'),
        ('file: a\naxes: {world: ned}\nfields: {a: mass}', 'axes.world: unknown key'),
        ('file: a\nbody: {less_prior: true}\nfields: {a: mass}', 'body.link: it is missing'),
    ],
)
def test_a_file_that_is_wrong_is_said_with_its_key(text, message):
    with pytest.raises(DescriptionError, match=message):
        parse_output(text, 'out.yaml')


def test_unknown_presets_and_links_are_said():
    with pytest.raises(ConfigurationError, match='output: nothing is neither a file nor one of'):
        load_output('nothing')
    with pytest.raises(DescriptionError, match=r"body: .* has no link 'wrist_3_link'; it has"):
        load_output('ur_payload').check(PRIOR)


def test_what_does_not_show_is_not_written():
    """The total mass by angular momentum alone; no load where there is none; no links that fit."""
    wanted = output('{inertia.m: mass}')
    reduced = result_of(method=AngularMomentum)
    with pytest.raises(DescriptionError, match=r'inertia\.m: mass does not show with this method'):
        filled(wanted, make('geometry_msgs/msg/InertiaStamped'), reduced)
    assert 'inertia.zz' in values_of(wanted, reduced)[1]
    what = f'body: {{link: {LINK}, less_prior: true}}\nfile: a'
    with pytest.raises(ConfigurationError, match='L6 carries nothing beside what'):
        values_of(output('{a: mass}', what), result_of(PRIOR))
    with pytest.raises(ConfigurationError, match='no links that can exist fit'):
        values_of(output('{a: mass}', what), result_of(misfit=11.0))

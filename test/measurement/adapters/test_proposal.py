"""Topics that are seen, and adapters proposed for them."""

from bed_logs import BEDS
from beds import make, vector, write_messages
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter, parse_adapter
from spacerobot_id.measurement.adapters.observation import TopicObserver, topics_of_bag
from spacerobot_id.measurement.adapters.proposal import could_be, presets_for, proposal
from spacerobot_id.measurement.bag.reader import read_bag


@pytest.mark.parametrize('name', BEDS)
def test_a_proposal_reads_what_the_preset_reads(tmp_path, name):
    """It is an adapter; of beds that are known it says what their preset does."""
    bed = BEDS[name]()
    write_messages(tmp_path / 'bag', bed.types, bed.messages)
    topics = topics_of_bag(tmp_path / 'bag')
    adapter = parse_adapter(proposal(topics), 'proposed')
    preset = load_adapter(name)
    there = {topic.strip('/') for topic in bed.types}
    wanted = {kind for each in preset.sources if each.topic in there for kind in each.gives}
    assert adapter.kinds == wanted
    streams = read_bag(tmp_path / 'bag', (), adapter)
    assert streams.joints is not None
    foreign = any(kind.startswith(('px4', 'ff_', 'bsk')) for kind in bed.types.values())
    assert (name in presets_for(topics)) == foreign


def test_rates_stamps_and_fields_are_seen(tmp_path):
    bed = BEDS['px4_spacecraft']()
    write_messages(tmp_path / 'bag', bed.types, bed.messages)
    topics = {each.topic: each for each in topics_of_bag(tmp_path / 'bag')}
    odometry = topics['/fmu/out/vehicle_odometry']
    assert odometry.rate == pytest.approx(25.0, rel=0.01)
    assert (odometry.stamp, odometry.stamp_unit) == ('timestamp_sample', 'us')
    assert odometry.lag == pytest.approx(0.0, abs=1e-3)
    assert odometry.fields['q'] == '4 numbers'
    assert could_be(odometry) == ('base_pose', 'base_twist', 'imu')
    assert topics['/fmu/in/actuator_motors'].stamp == 'timestamp'
    assert topics['/joint_states'].fields['name'] == 'names'


def test_a_type_that_nobody_knows_is_guessed_from_its_fields():
    observer = TopicObserver('/truth', 'some_msgs/msg/State')
    for k in range(5):
        state = make(
            'ff_msgs/msg/EkfState',
            pose=make('geometry_msgs/msg/Pose', orientation=vector([0, 0, 0, 1], 'Quaternion')),
        )
        observer.take(state, 1.0 + 0.1 * k)
    text = proposal([observer.observed()])
    (source,) = parse_adapter(text, 'proposed').sources
    assert source.gives == ('base_pose', 'base_twist', 'imu')
    assert source.quantities[0].numbers['position'].fields == 'pose.position'
    assert source.quantities[0].attitude.numbers.fields == 'pose.orientation'
    assert source.quantities[2].numbers['angular_velocity'].fields == 'omega'


def test_the_command_prints_a_table_and_an_adapter(tmp_path, capsys):
    bed = BEDS['luxembourg_zero_g']()
    write_messages(tmp_path / 'bag', bed.types, bed.messages)
    assert main(['topics', str(tmp_path / 'bag'), '--fields']) == 0
    printed = capsys.readouterr().out
    assert 'receipt only' in printed
    assert 'header.stamp, 0.0 ms before receipt' in printed
    assert '  data: 9 numbers' in printed
    parse_adapter(printed[printed.index('# Proposed') :], 'printed')
    assert main(['topics', str(tmp_path / 'nothing')]) == 1
    assert np.char.find(capsys.readouterr().err, 'no rosbag2 folder') >= 0


def test_the_command_needs_a_log_or_live():
    with pytest.raises(SystemExit, match='2'):
        main(['topics'])

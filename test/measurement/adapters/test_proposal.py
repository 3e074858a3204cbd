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


def observed(topic, kind, messages):
    """Return a topic with some messages."""
    observer = TopicObserver(topic, kind)
    for place, message in enumerate(messages):
        observer.take(message, 1.0 + 0.1 * place)
    return observer.observed()


def joint_states(*names):
    count = len(names)
    kind = 'sensor_msgs/msg/JointState'
    return [make(kind, name=list(names), position=np.zeros(count))] * 3


def test_truth_and_topics_without_messages_are_comments_only():
    """However many messages they have; the truth of others is taken where no sensor is."""
    pose, imu = 'geometry_msgs/msg/PoseStamped', 'sensor_msgs/msg/Imu'
    topics = [
        observed('/simulator/truth/base_pose', pose, [make(pose)] * 9),
        observed('/simulator/truth/base_twist', 'geometry_msgs/msg/TwistStamped',
                 [make('geometry_msgs/msg/TwistStamped')] * 9),
        observed('/base_pose', pose, [make(pose)] * 3),
        observed('/loc/truth/pose', pose, [make(pose)] * 9),
        observed('/imu/data', imu, []),
        observed('/joint_states', 'sensor_msgs/msg/JointState', joint_states('a', 'b')),
    ]  # fmt: skip
    text = proposal(topics)
    adapter = parse_adapter(text, 'proposed')
    assert {each.topic for each in adapter.sources} == {'/base_pose', '/joint_states'}
    assert '# The truth of a simulator, no sensor:\n# - topic: /simulator/truth/base_twist' in text
    assert '# Instead of the above:\n# - topic: /loc/truth/pose' in text
    (alone,) = parse_adapter(proposal([topics[3]]), 'proposed').sources
    assert alone.topic == '/loc/truth/pose'
    assert '# No messages:\n# - topic: /imu/data' in text


@pytest.mark.parametrize(('names', 'count'), [(('b', 'a'), 1), (('a', 'c'), 1), (('w', 'x'), 2)])
def test_joint_states_are_taken_twice_of_different_joints_only(names, count):
    kind = 'sensor_msgs/msg/JointState'
    topics = [
        observed('/joint_states', kind, joint_states('a', 'b')),
        observed('/others', kind, joint_states(*names)),
    ]
    assert len(parse_adapter(proposal(topics), 'proposed').sources) == count


def transforms(count, child='body'):
    """Return messages with one transform each, the third of them with none."""
    kind = 'geometry_msgs/msg/TransformStamped'
    found = []
    for place in range(count):
        values = {
            'header': make('std_msgs/msg/Header', frame_id='map'),
            'child_frame_id': child,
            'transform': make(
                'geometry_msgs/msg/Transform',
                translation=vector([1.0 * place, 2.0, 3.0], 'Vector3'),
                rotation=vector([0, 0, 0, 1], 'Quaternion'),
            ),
        }
        values['header'].stamp.sec = 5 + place
        listed = [] if place == 2 else [make(kind, **values)]
        found.append(make('tf2_msgs/msg/TFMessage', transforms=listed))
    return found


def test_an_adapter_of_arrays_of_messages_that_is_proposed_is_read(tmp_path):
    """A message in which the array is empty is left out and said; frames are the message's."""
    messages = [(1.0 + place, '/tf', each) for place, each in enumerate(transforms(5))]
    write_messages(tmp_path / 'bag', {'/tf': 'tf2_msgs/msg/TFMessage'}, messages)
    (topic,) = topics_of_bag(tmp_path / 'bag')
    assert topic.stamp == 'transforms[0].header.stamp'
    streams = read_bag(tmp_path / 'bag', ('pose',), parse_adapter(proposal([topic]), 'proposed'))
    assert streams.pose.positions.tolist() == [[k, 2.0, 3.0] for k in (0.0, 1.0, 3.0, 4.0)]
    assert streams.pose.stamps.tolist() == [5.0, 6.0, 8.0, 9.0]
    assert (streams.pose.frame_id, streams.pose.child_frame) == ('map', 'body')
    (note,) = streams.notes
    assert '/tf: 1 of 5 messages could not be read' in note


def test_the_command_writes_the_adapter_beside_its_table(tmp_path, capsys):
    bed = BEDS['luxembourg_zero_g']()
    write_messages(tmp_path / 'bag', bed.types, bed.messages)
    path = tmp_path / 'new' / 'adapter.yaml'
    assert main(['topics', str(tmp_path / 'bag'), '--out', str(path)]) == 0
    printed = capsys.readouterr().out
    assert f'written: {path}' in printed
    assert '# Proposed' not in printed
    assert load_adapter(path).kinds

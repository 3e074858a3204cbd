"""Messages to the core's values and back, with every field checked by rclpy."""

import array

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu, JointState
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from spacerobot_id.exceptions import MeasurementError, TrajectoryError
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.model import InertialParameters
from spacerobot_id.nodes.estimator.estimate_outputs import inertia_message, inertial_from_message
from spacerobot_id.nodes.messages import (
    duration_from_seconds,
    gyro_from_message,
    imu_message,
    joint_state_message,
    joints_from_message,
    pose_from_message,
    pose_message,
    stamp_from_seconds,
    trajectory_from_message,
    trajectory_message,
    twist_from_message,
    twist_message,
)

NAN = float('nan')


def sent(message):
    """Return what a subscriber gets of a message."""
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize('seconds', [0.0, 1.0, 0.01, 1.999999999, 1_760_000_000.123456])
def test_stamps_there_and_back(seconds):
    stamp = stamp_from_seconds(seconds)
    assert seconds_from_stamp(stamp) == pytest.approx(seconds, abs=1e-9, rel=1e-16)
    assert 0 <= stamp.nanosec < 1_000_000_000


def test_negative_times_have_positive_nanoseconds():
    stamp = duration_from_seconds(-0.25)
    assert (stamp.sec, stamp.nanosec) == (-1, 750_000_000)
    assert seconds_from_stamp(stamp) == -0.25


@pytest.mark.parametrize('derivatives', [0, 1, 2])
def test_trajectory_there_and_back(derivatives):
    """The message has zero as its stamp (F37) and exactly the fields that there are."""
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(4, 3)) for _ in range(1 + derivatives)]
    trajectory = JointTrajectory(('a', 'b', 'c'), np.array([0.5, 1.0, 1.5, 2.25]), *values)
    message = sent(trajectory_message(trajectory))
    assert seconds_from_stamp(message.header.stamp) == 0.0
    back = trajectory_from_message(message)
    assert back.names == trajectory.names
    assert_array_equal(back.times, trajectory.times)
    for field in ('positions', 'velocities', 'accelerations'):
        assert_array_equal(getattr(back, field), getattr(trajectory, field))


def test_F36_trajectory_without_points_has_no_rows():
    """It can be converted; the check refuses it."""
    back = trajectory_from_message(JointTrajectoryMessage(joint_names=['a']))
    assert back.positions.shape == (0, 1)


def point(**fields):
    return JointTrajectoryPoint(time_from_start=duration_from_seconds(1.0), **fields)


@pytest.mark.parametrize(
    ('points', 'reason'),
    [
        ([point(positions=[1.0])], 'point 0 has 1 positions for 2 joints'),
        ([point(positions=[1.0, 2.0]), point()], 'point 1 has 0 positions'),
        ([point(positions=[1.0, 2.0], velocities=[1.0])], 'point 0 has 1 velocities'),
        ([point(velocities=[1.0, 2.0])], 'no positions'),
        ([point(positions=[1.0, 2.0], effort=[1.0, 1.0])], 'efforts'),
    ],
)
def test_F36_trajectory_of_wrong_sizes(points, reason):
    message = JointTrajectoryMessage(joint_names=['a', 'b'], points=points)
    with pytest.raises(TrajectoryError, match=reason):
        trajectory_from_message(message)


def plan():
    rng = np.random.default_rng(2)
    knots = np.cumsum(rng.uniform(-0.1, 0.1, (6, 3)), axis=0)
    return ExcitationPlan(('a', 'b', 'wheel'), knots, np.array([1.0, 2.0, 0.7, 1.0, 1.3]))


def test_plan_is_sent_with_what_controllers_need():
    """Knots among the points, strictly increasing times, at rest at the last point."""
    whole = plan()
    trajectory = whole.joint_trajectory(('wheel', 'a'))
    assert trajectory.names == ('wheel', 'a')
    assert (np.diff(trajectory.times) > 0.0).all()
    assert (np.diff(trajectory.times) < 0.1 + 1e-9).all()
    assert trajectory.times[0] > 0.0
    ends = np.cumsum(whole.durations)
    gaps = abs(trajectory.times[:, None] - ends).min(axis=0)
    assert gaps.max() < 1e-12
    assert_allclose(trajectory.velocities[-1], 0.0, atol=1e-12)
    assert_allclose(trajectory.positions[-1], whole.knots[-1, [2, 0]])


def test_plan_between_the_points_is_what_was_planned():
    """A controller that joins the points by quintics follows the cycloids to 1e-6 rad."""
    whole = plan()
    trajectory = whole.joint_trajectory(whole.names)
    start = JointMotion.at_rest(whole.knots[0])
    times = np.linspace(0.0, whole.duration, 2001)
    followed = TrajectoryMotion.from_trajectory(trajectory, whole.names, start).at(times)
    planned = whole.sample(times)
    assert_allclose(followed.position, planned.position, atol=1e-6)
    assert_allclose(followed.velocity, planned.velocity, atol=1e-5)


def test_plan_can_be_sent_from_the_middle_on():
    whole = plan()
    rest = whole.joint_trajectory(whole.names, since=1.5)
    assert rest.times[0] > 0.0
    assert rest.times[-1] == pytest.approx(whole.duration - 1.5)
    assert_allclose(rest.positions, whole.sample(rest.times + 1.5).position)


NAMES = ('a', 'b')


def joint_state(**fields):
    return JointState(name=['x', 'b', 'a'], **fields)


def test_F1_F2_joints_are_found_by_name():
    message = joint_state_message(3.5, ['x', 'b', 'a'], [1, 2, 3], [4, 5, 6])
    reading = joints_from_message(sent(message), NAMES)
    assert reading.stamp == 3.5
    assert_array_equal(reading.positions, [3.0, 2.0])
    assert_array_equal(reading.velocities, [6.0, 5.0])


def test_F2_missing_joint_is_named():
    with pytest.raises(MeasurementError, match='joint c is missing'):
        joints_from_message(joint_state(), ('a', 'c'))


def test_F3_F4_not_provided_is_nan():
    """An empty array, or NaN in it: not zero."""
    reading = joints_from_message(
        joint_state(position=[1.0, 2.0, 3.0], velocity=[0.0, NAN, 0.5]), NAMES
    )
    assert_array_equal(reading.velocities, [0.5, NAN])
    reading = joints_from_message(joint_state(position=[1.0, 2.0, 3.0]), NAMES)
    assert np.isnan(reading.velocities).all()


@pytest.mark.parametrize('field', ['position', 'velocity'])
def test_F3_wrong_size_is_an_error(field):
    message = joint_state(**{field: [1.0, 2.0]})
    with pytest.raises(MeasurementError, match=f'2 {field} values for 3 joints'):
        joints_from_message(message, NAMES)


def test_F2_joint_named_twice_is_an_error():
    message = JointState(name=['a', 'a'], position=array.array('d', [1.0, 2.0]))
    with pytest.raises(MeasurementError, match='twice'):
        joints_from_message(message, ('a',))


def test_gyro_there_and_back():
    message = sent(imu_message(2.5, 'imu', [1, 2, 3], 0.1))
    assert message.orientation_covariance[0] == -1.0
    assert message.linear_acceleration_covariance[0] == -1.0
    reading = gyro_from_message(message)
    assert (reading.stamp, reading.frame_id) == (2.5, 'imu')
    assert_array_equal(reading.angular_velocity, [1.0, 2.0, 3.0])
    assert reading.noise == pytest.approx(0.1)


def test_F9_covariance_of_zeros_is_unknown_and_minus_one_is_absent():
    unknown = gyro_from_message(Imu())
    assert unknown.noise == 0.0
    assert_array_equal(unknown.angular_velocity, np.zeros(3))
    message = Imu()
    message.angular_velocity_covariance[0] = -1.0
    absent = gyro_from_message(message)
    assert absent.noise == 0.0
    assert np.isnan(absent.angular_velocity).all()


def test_attitude_of_an_imu():
    message = sent(imu_message(1.0, 'imu', np.zeros(3), 0.0, [0.1, 0.2, 0.3, 0.4]))
    assert message.orientation_covariance[0] == 0.0
    assert (message.orientation.x, message.orientation.w) == (0.1, 0.4)


def test_pose_there_and_back_and_from_odometry():
    message = sent(pose_message(2.5, 'world', [1, 2, 3], [0.1, 0.2, 0.3, 0.4]))
    assert isinstance(message, PoseStamped)
    odometry = Odometry(header=message.header)
    odometry.pose.pose = message.pose
    for each in (message, odometry):
        reading = pose_from_message(each)
        assert (reading.stamp, reading.frame_id) == (2.5, 'world')
        assert_array_equal(reading.position, [1.0, 2.0, 3.0])
        assert_array_equal(reading.attitude, [0.1, 0.2, 0.3, 0.4])


def test_twist_there_and_back_and_from_odometry():
    """The twist of an odometry is in the axes of its child frame."""
    message = sent(twist_message(2.5, 'base', [1, 2, 3, 4, 5, 6]))
    odometry = Odometry(child_frame_id='base')
    odometry.header.stamp, odometry.header.frame_id = message.header.stamp, 'world'
    odometry.twist.twist = message.twist
    for each in (message, odometry):
        reading = twist_from_message(each)
        assert (reading.stamp, reading.frame_id) == (2.5, 'base')
        assert_array_equal(reading.twist, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def test_inertia_is_about_the_centre_of_mass_in_the_message():
    """A body of two points: what the message holds is what a textbook says; and back."""
    rng = np.random.default_rng(0)
    turn = Rotation.random(rng=rng).as_matrix()
    tensor = turn @ np.diag([1.0, 2.0, 2.5]) @ turn.T
    com = np.array([0.3, -0.2, 0.5])
    body = InertialParameters.from_com(4.0, com, tensor)
    message = sent(inertia_message(1.5, 'base', body))
    assert message.header.frame_id == 'base'
    given = message.inertia
    assert given.m == 4.0
    assert_allclose([given.com.x, given.com.y, given.com.z], com, rtol=1e-15)
    rows, columns = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]
    fields = [given.ixx, given.ixy, given.ixz, given.iyy, given.iyz, given.izz]
    assert_allclose(fields, tensor[rows, columns], atol=1e-14)
    assert_allclose(inertial_from_message(message).vector, body.vector, atol=1e-14)


def test_efforts_are_taken_where_all_joints_have_them():
    """By name like the rest; an array of another size is as good as none."""
    message = joint_state_message(3.5, ['b', 'a'], [1, 2], [3, 4], [5, 6])
    assert joints_from_message(message, ['a', 'b']).efforts.tolist() == [6.0, 5.0]
    message.effort = [1.0]
    assert np.isnan(joints_from_message(message, ['a', 'b']).efforts).all()

"""Rates where none were read near by have no weight: nothing is judged by them."""

from dataclasses import replace

from motions import measure, random_plan, with_noise
import numpy as np
from reference_logs import log_of_record
from small_robot import small_robot, small_robot_prior

from spacerobot_id.estimation.batch.identify import log_from_streams
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.measurement import AlignmentSettings
from spacerobot_id.methods.momentum import Momentum


def test_F21_a_gyro_heard_in_bursts_does_not_contradict_twists():
    """A third of a second every three seconds, where gaps of five do not end a flight."""
    robot = small_robot()
    clean = measure(robot, random_plan(robot, 1, 20), rate=100.0)
    streams = log_of_record(robot, with_noise(clean, Momentum.from_model(robot), 0))
    gyro = streams.imu
    twists = streams.twist.twists.copy()
    twists[:, 3:] = gyro.angular_velocity
    received = (gyro.stamps - gyro.stamps[0]) % 3.0 < 0.3
    columns = {
        name: each[received] for name, each in vars(gyro).items() if isinstance(each, np.ndarray)
    }
    streams = replace(
        streams, imu=replace(gyro, **columns), twist=replace(streams.twist, twists=twists)
    )
    settings = IdentifySettings(alignment=AlignmentSettings(longest_gap=5.0))
    record = log_from_streams(small_robot_prior(), streams, settings).log.measurement
    assert np.isinf(record.noise_of('gyro')).mean() > 0.8

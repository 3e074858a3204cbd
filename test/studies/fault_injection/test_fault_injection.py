"""No estimate is harmed and called valid, whatever fault the log carries."""

from dataclasses import replace
from functools import cache

from method_cases import robot_of
import numpy as np
import pytest
from reference_logs import settings_for, streams

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.lab.faults import FAULTS
from spacerobot_id.lab.faults.cells import (
    FaultInjection,
    Harm,
    harm,
    HARMED,
    noticed,
    Verdict,
)
from spacerobot_id.lab.faults.replay import Replay

METHODS = {
    'dual_arm': 'momentum',
    'air_bearing': 'momentum_balance',
    'space_cobot': 'free_flyer',
    'turning_arm': 'angular_momentum',
}
GROUPS = {
    'dual_arm': ('F5', 'F12 base_twist', 'F17 back', 'F22 imu/data'),
    'air_bearing': ('F21 loss', 'F22 base_pose'),
    'space_cobot': ('F7 zero', 'F22 base_pose'),
    'turning_arm': ('F8 wrap', 'F12 base_pose'),
}
"""Four robots: two arms and wheels, thrusters on a table, propellers alone, an arm that turns."""


@cache
def injection(log):
    method = METHODS[log]
    return FaultInjection.of_streams(robot_of(method), streams(log), settings_for(method))


@cache
def clean(log):
    return injection(log).clean()


@cache
def cell(log, key, place, begin):
    (fault,) = [each for each in FAULTS if each.key == key]
    return injection(log).cell(clean(log), fault, fault.strengths[place], begin)


@pytest.mark.parametrize('log', METHODS)
def test_the_clean_logs_are_valid(log):
    """The live estimator without ROS uses what it is given."""
    assert not clean(log).snapshots[-1].defects
    assert clean(log).snapshots[-1].samples > 200


def test_F1_F2_F8_what_does_no_harm_is_not_held_against_a_log():
    """Order, further joints and wrapped angles leave every digit that counts."""
    for key in ('F1 order', 'F2 extra', 'F8 wrap'):
        found = cell('dual_arm', key, 2, 'middle')
        assert found.notice is None
        assert found.live.is_valid
        assert found.live.harm.worst < 1e-3


def test_F6_F21_what_is_refused_or_lost_is_said_and_does_no_harm():
    """A rejection by its reason, a loss by its count, within seconds."""
    found = cell('dual_arm', 'F6 not finite', 1, 'middle')
    assert 'rejected: has NaN or infinity' in found.notice.how
    assert found.notice.after < 1.0
    assert not found.falsely_valid
    lost = cell('dual_arm', 'F21 loss', 1, 'middle')
    assert 'missing' in lost.notice.how
    assert not lost.falsely_valid


@pytest.mark.slow
@pytest.mark.parametrize('key', ['F10 turned', 'F16 skew joint_states'])
def test_F10_F16_what_harms_is_not_valid(key):
    """An IMU that is turned by 10 degrees, and joint states 20 ms late."""
    found = cell('dual_arm', key, 1, 'start')
    assert found.live.harm.is_harm
    assert not found.live.is_valid
    assert found.notice is not None


@pytest.mark.slow
@pytest.mark.parametrize('log', METHODS)
def test_no_estimate_is_harmed_and_called_valid(log):
    """The strongest of some faults from the middle on; ``make faults`` replays all."""
    for fault in injection(log).faults(GROUPS[log]):
        found = cell(log, fault.key, 2, 'middle').live
        assert not found.falsely_valid, f'{fault.key}: {found.harm}'


@pytest.mark.slow
def test_F21_lost_commands_of_thrusters_do_no_harm():
    """Half of the commands are lost from the middle on: what they did counts as disturbance."""
    found = cell('air_bearing', 'F21 commands', 2, 'middle').live
    assert found.harm.worst < 3.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ('log', 'key', 'place'),
    [
        ('air_bearing', 'F21 commands', 1),
        ('air_bearing', 'F22 thruster_commands', 2),
        ('space_cobot', 'F21 commands', 2),
    ],
)
def test_F21_F22_forces_that_look_like_lost_commands_are_not_called_valid(log, key, place):
    """A third of the commands of thrusters, all of them, or half of the wrenches."""
    found = cell(log, key, place, 'start')
    assert not found.live.is_valid
    assert found.notice is not None


@pytest.mark.slow
def test_F30_rates_off_by_less_than_the_gyro_shows_do_no_harm():
    """Half of the joint states with one number far off: their positions show which rates are."""
    found = cell('dual_arm', 'F30 outliers joint_states', 2, 'start')
    assert found.live.harm.worst < 2.0
    assert found.notice is not None


@pytest.mark.slow
def test_F16_poses_late_in_half_of_a_log_are_shown_by_that_half():
    """By 2 ms, which all samples together hardly show."""
    found = cell('turning_arm', 'F16 skew base_pose', 0, 'middle')
    assert found.live.harm.is_harm
    assert not found.live.is_valid


@pytest.mark.slow
def test_F10_an_imu_turned_by_a_degree_does_no_harm():
    """From the middle of a log of 20 s."""
    assert not cell('dual_arm', 'F10 turned', 0, 'middle').falsely_valid


def test_harm_is_counted_in_the_deviations_that_an_estimate_states():
    """A shift of one parameter by k deviations is a worst of k; joint is the Mahalanobis root."""
    estimate = clean('dual_arm').result.estimate
    count, std = len(estimate.names), estimate.std
    moved = replace(estimate, values=estimate.values + 5.0 * std * (np.arange(count) == 3))
    found = harm(moved, estimate)
    assert found.worst == pytest.approx(5.0)
    assert found.parameter == estimate.names[3]
    inverse = np.linalg.inv(estimate.covariance)
    assert found.joint == pytest.approx(5.0 * std[3] * np.sqrt(inverse[3, 3] / count), rel=1e-6)


@pytest.mark.parametrize(
    ('worst', 'defects', 'falsely_valid'),
    [(HARMED, (), False), (3.1, (), True), (3.1, ('bad',), False), (np.nan, (), True)],
)
def test_what_is_harmed_and_valid_is_a_lie(worst, defects, falsely_valid):
    """An estimate whose harm is not known is not vouched for."""
    assert Verdict(Harm(0.1, worst, 'm'), defects, 10).falsely_valid is falsely_valid


def test_nothing_is_noticed_of_a_log_without_a_fault():
    live = clean('dual_arm')
    assert noticed(live, live, 0.0) is None


def test_a_clean_log_without_what_the_method_needs_is_refused():
    with pytest.raises(MeasurementError, match='imu/data is not in the log'):
        FaultInjection.of_streams(
            robot_of('momentum'), replace(streams('dual_arm'), imu=None), settings_for('momentum')
        )


def test_the_batch_is_judged_beside_the_live_estimator():
    """What identify refuses to read is no valid estimate."""
    own, live = injection('dual_arm'), clean('dual_arm')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FaultInjection, '_live', lambda *_: live)
        whole = own.clean(with_batch=True)
        (fault,) = [each for each in FAULTS if each.key == 'F11 NED']
        found = own.cell(whole, fault, np.inf, 'start')
    assert isinstance(whole, Replay)
    assert not whole.batch.reasons
    assert found.live.is_valid
    assert not found.batch.is_valid
    assert not found.falsely_valid

"""Free-flyers with wrenches or poses that are not as stated: errors are found beside the body."""

from dataclasses import replace

from flight_mistakes import late, seen_from, with_strengths
from free_flyer_flights import flight, LOADED, record, ROBOT
import numpy as np
import pytest
from scipy.stats import chi2

from spacerobot_id.estimation import begin_identification, identify
from spacerobot_id.estimation.live_feed import refined
from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.model import PARAMETER_NAMES

STRENGTHS = np.array([1.0, 1.08, 0.95, 0.9, 1.1, 1.05])
POINT, MOUNTING, DELAY = (0.04, -0.02, 0.03), (0.05, -0.03, 0.02), 0.12
OF_POSES = {f'pose_point.{axis}': value for axis, value in zip('xyz', POINT, strict=True)} | {
    f'pose_mounting.{axis}': value for axis, value in zip('xyz', MOUNTING, strict=True)
}
OF_WRENCH = {
    f'wrench_scale.{name}': share - 1.0
    for name, share in zip(('fy', 'fz', 'tx', 'ty', 'tz'), STRENGTHS[1:], strict=True)
}
SCALES = FreeFlyer(ROBOT, actuators=ActuatorSettings(wrench_scale=0.1, known_strengths=('fx',)))
POSES = FreeFlyer(ROBOT, calibration=CalibrationSettings(pose_point=0.05, pose_mounting=0.05))
CASES = {
    'strengths': (SCALES, lambda flown: with_strengths(flown, STRENGTHS), OF_WRENCH),
    'poses': (POSES, lambda flown: seen_from(flown, POINT, MOUNTING), OF_POSES),
    'delay': (
        FreeFlyer(ROBOT, actuators=ActuatorSettings(delay_wrench=0.2)),
        lambda flown: late(flown, DELAY),
        {'delay.wrench': DELAY},
    ),
}


def identified(name, seed):
    """Return what is known after a flight, and the truth of all unknowns."""
    method, change, truth = CASES[name]
    flown = change(record(flight(cycles=4, seed=1 + seed), seed=seed))
    others = [truth.get(each, 0.0) for each in method.unknowns.names[len(PARAMETER_NAMES) :]]
    state = refined(absorb(begin_identification(method), flown))
    return state, np.append(LOADED.vector, others)


@pytest.mark.parametrize('name', CASES)
def test_errors_are_found_beside_the_body(name):
    """With true intervals of all unknowns, by their full covariance, and nothing else named.

    Scales of torques are known to some percent only, over which products of unknowns bend.
    """
    squares = []
    for seed in range(4):
        state, truth = identified(name, seed)
        assert not defects(state, None)
        assert not state.causes
        error = state.values() - truth
        covariance = state.information.covariance()
        assert (np.abs(error) < 4.5 * np.sqrt(np.diag(covariance))).all()
        squares.append(error @ np.linalg.solve(covariance, error))
    count = 4 * len(truth)
    assert sum(squares) < (2.0 if name == 'strengths' else 1.0) * chi2.ppf(0.999, count)


def test_poses_are_described_as_they_were_found():
    """So that the next identification begins there, and finds nothing left."""
    values = identified('poses', 0)[0].values()
    found = POSES.described(values)
    assert set(found.calibration) == {'pose_point', 'pose_mounting'}
    np.testing.assert_allclose(found.calibration['pose_point'], POINT, atol=0.02)
    np.testing.assert_allclose(found.calibration['pose_mounting'], MOUNTING, atol=0.015)
    flown = seen_from(record(flight(cycles=4)), POINT, MOUNTING)
    again = identify(flown, FreeFlyer(found))
    assert again.is_usable, again.reasons
    std = again.estimate.std
    assert (np.abs(again.estimate.values - values[: len(std)]) < 3.0 * std).all()


def test_a_common_scale_of_the_wrench_stays_as_unsure_as_is_stated():
    """No pose shows it: the mass is known as well as the mean of the forces' strengths."""
    unsure = replace(SCALES, actuators=ActuatorSettings(wrench_scale=0.1))
    exact = identify(record(flight(cycles=4)), FreeFlyer(ROBOT)).estimate
    result = identify(record(flight(cycles=4)), unsure).estimate
    mass = PARAMETER_NAMES.index('m')
    assert result.condition == pytest.approx(exact.condition, rel=0.5)
    assert exact.std[mass] < 0.015 * exact.values[mass]
    assert 0.1 / np.sqrt(6.5) < result.std[mass] / result.values[mass] < 0.1 / np.sqrt(2.5)

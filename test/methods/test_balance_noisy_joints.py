"""Momentum balance beside joints that are read badly: their curve is no noisier than it must."""

from dataclasses import replace

from air_bearing import air_bearing
import numpy as np
import pytest
from scipy.stats import chi2
from table_flights import scores, table_flight
from thruster_flights import Truth

from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model import SensorNoise

SECONDS = 20.0


def squared_error(seed, gyro):
    """Return the squared error of what shows by the full covariance, and how many show."""
    noise = SensorNoise(
        joint_position=5e-4,
        joint_rate=6e-3,
        base_angular_velocity=gyro,
        base_position=2e-5,
        base_attitude=7e-5,
        rate=50.0,
    )
    robot, prior = (replace(air_bearing(prior=each), noise=noise) for each in (False, True))
    record = table_flight(Truth(scatter=0.1), seed, SECONDS, robot=robot, gyro=50.0)
    method = MomentumBalance(prior, planar=True, prior_settings=PriorSettings(1.0, 5e-3))
    fit = fit_flights(method, [method.flight(record)])
    count = len(method.minimal)
    truth = np.append(method.minimal.values(robot), np.zeros(len(fit.values) - count))
    seen = scores(fit, method, truth)[1][:count]
    covariance = fit.information.covariance()[:count, :count][np.ix_(seen, seen)]
    error = (fit.values - truth)[:count][seen]
    return error @ np.linalg.solve(covariance, error), seen.sum()


@pytest.mark.parametrize('gyro', [2e-4, 1e-3])
def test_inertias_beyond_noisy_joints_do_not_shrink(gyro):
    """The gyro sees a hand turn that the joint rates show with a noise of 6 mrad/s.

    A curve that follows the noise of single readings makes the torques of this noise, which the
    gyro does not see, count against the inertia of the arm: it was off by a hundred deviations.
    """
    square, shown = squared_error(0, gyro)
    assert shown > 9
    assert square < chi2.ppf(0.999, shown)

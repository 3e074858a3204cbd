"""The robot on a table, identified live: what momentum balance is given, and what it finds."""

from air_bearing import air_bearing
from live_report import live_report
import numpy as np
from std_srvs.srv import Trigger

from spacerobot_id.regressor import minimal_parameters

SETTINGS = {
    'method': 'momentum_balance',
    'planar': True,
    'known_mass': 15.4,
    'strength': 0.3,
    'publish_period': 0.25,
    'longest_gap': 5.0,
}


def refined(client, reports, end):
    """Return the report of an estimator that has refined what was measured until some time."""
    assert client.call(Trigger, 'estimator/refine').success

    def done():
        last = live_report(reports.last.data)
        return last['stamp'] > end - 3.0 and last['updates_waiting'] == 0

    client.wait_until(done)
    return live_report(reports.last.data)


def assert_body_found(report):
    """Arm and base are within their intervals where the data show something."""
    true = minimal_parameters(air_bearing()).values(air_bearing())
    count, names = len(true), np.array(report['names'])
    seen = ~np.isin(names, report['not_identified'])
    assert {'base.Izz', 'upper_arm.mx', 'forearm.mx'} <= set(names[seen])
    scores = (np.array(report['values'])[:count] - true) / np.array(report['std'])[:count]
    assert np.abs(scores[seen[:count]]).max() < 5.0
    assert report['valid'], report['defects']


def assert_strengths_found(report):
    """Thrusters are as strong as stated."""
    columns = report['other_names'], report['other_values'], report['other_std']
    others = {name: (value, std) for name, value, std in zip(*columns, strict=True)}
    for thruster in air_bearing().thrusters:
        value, std = others[f'strength.{thruster.name}']
        assert std < 0.15
        assert abs(value) < 4.5 * std

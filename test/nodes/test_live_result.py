"""An estimate for other programs: typed, complete, and JSON that every reader takes."""

from dataclasses import dataclass, replace
import json

from live_report import live_report
import numpy as np
from numpy.testing import assert_allclose
import pytest
from rcl_interfaces.msg import ParameterType
from robots import dual_arm

from spacerobot_id.estimation import Estimate
from spacerobot_id.estimation.recursive.changed_body import ChangedBody
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.verdict import Defect
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.solution import LinearPrior
from spacerobot_id.model import InertialParameters
from spacerobot_id.nodes.estimator.live_result import _VALUES, LiveResult, MOST_NAMES

ESTIMATE = Estimate(
    names=('L0.m', 'L1.mx'),
    units=('kg', 'kg m'),
    values=np.array([100.0, -2.0]),
    covariance=np.array([[4.0, 0.1], [0.1, 0.25]]),
    prior_std=np.array([50.0, 0.6]),
    rank=1,
    condition=12.5,
    samples=300,
    chi_square=1.01,
)
BODY = InertialParameters.from_com(100.0, np.array([0.1, 0.2, 0.3]), np.diag([1.0, 2.0, 2.5]))


@dataclass(frozen=True, eq=False)
class Told(Momentum):
    """A method whose whole robot is given."""

    body: InertialParameters | None = BODY
    masses = (0,)

    def robot(self, values, q):
        return self.body

    def inertia(self, values, q):
        return BODY.inertia_about_com

    def prior(self):
        return LinearPrior(np.array([90.0, -1.0]), np.eye(2))


METHOD = Told.from_model(dual_arm())
RESULT = Result(
    method=METHOD,
    estimate=ESTIMATE,
    values=ESTIMATE.values,
    positions=np.zeros(6),
    rejected={'samples that did not fit': 7},
    changes=1,
    changed=(ChangedBody('L6', np.arange(1.0, 11.0), 0.01 * np.eye(10)),),
)
REPORT = LiveResult(
    result=RESULT,
    stamp=12.5,
    resets=2,
    clock_jumps=1,
    configuration='0123456789abcdef',
    velocity_source='base_twist',
)


def answer(*names, report=REPORT):
    return report.parameter_values(list(names))


def test_singles_are_served_by_their_names():
    """Every parameter by its own name, and its standard deviation."""
    mass, mass_std, moment, moment_std = answer('L0.m', 'L0.m.std', 'L1.mx', 'L1.mx.std')
    assert (mass.double_value, mass_std.double_value) == (100.0, 2.0)
    assert (moment.double_value, moment_std.double_value) == (-2.0, 0.5)


@pytest.mark.parametrize(
    ('name', 'kind', 'field', 'value'),
    [
        ('valid', ParameterType.PARAMETER_BOOL, 'bool_value', True),
        ('samples', ParameterType.PARAMETER_INTEGER, 'integer_value', 300),
        ('resets', ParameterType.PARAMETER_INTEGER, 'integer_value', 2),
        ('stamp', ParameterType.PARAMETER_DOUBLE, 'double_value', 12.5),
        ('mass', ParameterType.PARAMETER_DOUBLE, 'double_value', 100.0),
        ('changed_links', ParameterType.PARAMETER_STRING_ARRAY, 'string_array_value', ['L6']),
        ('changed_mass', ParameterType.PARAMETER_DOUBLE_ARRAY, 'double_array_value', [7.0]),
        ('configuration', ParameterType.PARAMETER_STRING, 'string_value', '0123456789abcdef'),
        ('units', ParameterType.PARAMETER_STRING_ARRAY, 'string_array_value', ['kg', 'kg m']),
        ('not_identified', ParameterType.PARAMETER_STRING_ARRAY, 'string_array_value', ['L1.mx']),
        ('std', ParameterType.PARAMETER_DOUBLE_ARRAY, 'double_array_value', [2.0, 0.5]),
        (
            'covariance',
            ParameterType.PARAMETER_DOUBLE_ARRAY,
            'double_array_value',
            [4.0, 0.1, 0.1, 0.25],
        ),
    ],
)
def test_values_are_typed(name, kind, field, value):
    (found,) = answer(name)
    assert found.type == kind
    given = getattr(found, field)
    assert (given if np.isscalar(given) else list(given)) == value


def test_empty_lists_keep_their_type():
    """Of texts and of numbers: a reader need not know that there is nothing in them."""
    defects, others = answer('defects', 'other_values')
    assert defects.type == ParameterType.PARAMETER_STRING_ARRAY
    assert others.type == ParameterType.PARAMETER_DOUBLE_ARRAY


def test_unknown_names_are_not_set_and_answers_keep_the_order():
    values = answer('charge', 'samples', '', 'samples')
    assert [value.type for value in values] == [
        ParameterType.PARAMETER_NOT_SET,
        ParameterType.PARAMETER_INTEGER,
        ParameterType.PARAMETER_NOT_SET,
        ParameterType.PARAMETER_INTEGER,
    ]
    assert answer() == []


def test_of_very_many_names_the_first_are_answered(monkeypatch):
    """Each is looked up once, however often it is asked for; what is beyond is not set."""
    looked = []
    value = LiveResult.value
    monkeypatch.setattr(
        LiveResult, 'value', lambda live, name: looked.append(name) or value(live, name)
    )
    names = ['covariance', 'L0.m'] * 50_000
    values = REPORT.parameter_values(names)
    assert sorted(looked) == ['L0.m', 'covariance']
    assert len(values) == len(names)
    assert all(each.double_value == 100.0 for each in values[1:MOST_NAMES:2])
    assert {each.type for each in values[MOST_NAMES:]} == {ParameterType.PARAMETER_NOT_SET}
    looked.clear()
    REPORT.parameter_values([f'unknown{k}' for k in range(100_000)])
    assert len(looked) == MOST_NAMES


def test_the_whole_robot_has_its_tensor_about_the_centre_of_mass():
    assert_allclose(REPORT.value('center_of_mass'), [0.1, 0.2, 0.3])
    inertia = np.reshape(REPORT.value('inertia'), (3, 3))
    assert_allclose(inertia, np.diag([1.0, 2.0, 2.5]), atol=1e-12)


def test_json_says_the_same_without_what_is_said_twice():
    """The covariance and the singles are for those who ask for them."""
    report = live_report(REPORT.json())
    singles = {'L0.m', 'L0.m.std', 'L1.mx', 'L1.mx.std'}
    values = {name: REPORT.value(name) for name in {*_VALUES, *singles}}
    apart = singles | {'covariance', 'changed_center_of_mass', 'changed_center_of_mass_std'}
    assert set(values) - set(report) == apart
    for name in set(values) & set(report) - {'inertia'}:
        value = list(values[name]) if isinstance(values[name], tuple) else values[name]
        assert report[name] == value, name
    assert np.ravel(report['inertia']).tolist() == values['inertia']


@pytest.mark.parametrize('number', [np.nan, np.inf, -np.inf])
def test_numbers_that_json_does_not_know_become_null(number):
    """Before the first sample the condition number is infinite and chi-square is not defined."""
    estimate = replace(
        ESTIMATE, condition=number, chi_square=number, values=np.array([number, 1.0])
    )
    result = replace(RESULT, estimate=estimate)
    text = replace(REPORT, result=result).json()
    json.loads(text, parse_constant=pytest.fail)
    report = live_report(text)
    assert report['condition_number'] is None
    assert report['chi_square'] is None
    assert report['values'] == [None, 1.0]


def test_F32_with_defects_it_is_not_valid():
    """And it says why."""
    defect = Defect('body', 'mass -3 kg is not positive')
    report = replace(REPORT, result=replace(RESULT, defects=(defect,)))
    assert not report.is_valid
    assert json.loads(report.json())['defects'] == ['mass -3 kg is not positive']
    assert answer('valid', report=report)[0].bool_value is False


def test_a_mass_that_does_not_show_is_no_number():
    """NaN in typed values, null in JSON; the inertia about the centre of mass is there."""
    report = replace(REPORT, result=replace(RESULT, method=replace(METHOD, body=None)))
    mass, com, inertia = answer('mass', 'center_of_mass', 'inertia', report=report)
    assert np.isnan(mass.double_value)
    assert np.isnan(com.double_array_value).all()
    assert_allclose(inertia.double_array_value, BODY.inertia_about_com.ravel())
    assert json.loads(report.json())['robot']['mass'] is None

"""No sample, one, two, or nothing that moves: a sentence or an answer, of every method."""

from contextlib import suppress
from dataclasses import replace

from method_cases import case_of, METHODS
import numpy as np
import pytest

from spacerobot_id.estimation import begin_identification, identify
from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.exceptions import SpaceRobotIdError


def at_rest(record):
    """Return the samples of sensors that read the same all the time, and nothing moves."""
    still = {
        name: np.repeat(value[:1], len(record), axis=0)
        for name in ('q', 'attitude', 'position')
        if (value := getattr(record, name)) is not None
    }
    still |= {
        name: np.zeros_like(value)
        for name in ('qd', 'wheel_rates', 'base_twist', 'joint_torque')
        if (value := getattr(record, name, None)) is not None
    }
    return replace(record, **still)


def answered(method, record):
    """Return what is identified, or the sentence that says why nothing is."""
    try:
        return identify(record, method)
    except SpaceRobotIdError as error:
        return str(error)


@pytest.mark.parametrize('count', [0, 1, 2, 3])
@pytest.mark.parametrize('name', METHODS)
def test_few_samples_identify_nothing(name, count):
    case = case_of(name)
    found = answered(case.method, case.record[:count])
    assert found if isinstance(found, str) else not found.is_usable


@pytest.mark.parametrize('name', METHODS)
def test_nothing_that_moves_identifies_nothing(name):
    case = case_of(name)
    found = answered(case.method, at_rest(case.record[:300]))
    assert found if isinstance(found, str) else not found.is_usable


@pytest.mark.parametrize('count', [0, 1, 2])
@pytest.mark.parametrize('name', METHODS)
def test_few_samples_are_absorbed(name, count):
    """Live, where more may come: the estimate is the description's, and not valid."""
    case = case_of(name)
    state = begin_identification(case.method)
    with suppress(SpaceRobotIdError):
        state = absorb(state, case.record[:count])
    assert state.samples <= count

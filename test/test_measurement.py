"""Measurements: rows stay together when they are taken apart and put together."""

from dataclasses import fields, replace

from motions import measure, paper_plan
import numpy as np
import pytest
from robots import dual_arm

from spacerobot_id.data import Measurement


@pytest.fixture(name='measured', scope='module')
def measured_dual_arm():
    measured = measure(dual_arm(), paper_plan(3), 10.0)
    return replace(
        measured, position=measured.base_twist[:, :3] + 1.0, joint_torque=2.0 * measured.q
    )


def assert_same(first, second):
    for field in fields(Measurement):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name))


def test_its_length_is_the_number_of_samples(measured):
    """Three seconds at 10 Hz."""
    assert len(measured) == 30


@pytest.mark.parametrize(
    'rows', [slice(3, 9), np.arange(30) % 2 == 0, np.array([5, 1, 1]), slice(0, 0)]
)
def test_some_samples_are_the_same_rows_of_everything(measured, rows):
    """A slice, a mask and indices take the same rows of every field."""
    some = measured[rows]
    for field in fields(Measurement):
        np.testing.assert_array_equal(
            getattr(some, field.name), getattr(measured, field.name)[rows]
        )


def test_parts_make_the_whole_again(measured):
    """Consecutive parts, an empty one among them, come together in their order."""
    parts = [measured[:7], measured[7:7], measured[7:20], measured[20:]]
    assert_same(Measurement.concatenate(parts), measured)

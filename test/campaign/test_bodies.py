"""Links that are drawn can exist, and are read back as they were drawn."""

from hypothesis import given, settings
from hypothesis import strategies as some
import numpy as np
import pytest
from robots import dual_arm, servicer

from spacerobot_id.lab.campaign.draws.distributions import body_values, FIELDS, link_with

NUMBERS = some.floats(-0.8, 0.8)


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 7), some.floats(0.2, 3.0), some.lists(NUMBERS, min_size=9, max_size=9))
def test_any_numbers_are_a_body_that_is_read_back(link, factor, numbers):
    before = servicer().links[link]
    drawn = dict(zip(list(FIELDS)[1:], numbers, strict=True))
    drawn |= {'mass': factor * before.inertial.mass}
    made = link_with(before, drawn)
    assert made.inertial.is_physical()
    read = body_values(made, before)
    for name, value in drawn.items():
        assert read[name] == pytest.approx(value, abs=1e-7)


def test_mass_scales_the_whole_body():
    before = servicer().links[2]
    made = link_with(before, {'mass': 2.0 * before.inertial.mass})
    np.testing.assert_allclose(made.inertial.vector, 2.0 * before.inertial.vector, rtol=1e-12)


def test_described_bodies_that_cannot_exist_have_no_shape_but_a_mass():
    """As those that the momentum-model paper prints."""
    before = dual_arm().links[1]
    assert not before.inertial.is_physical()
    assert not [name for name in body_values(before, before) if name.startswith('shape')]
    made = link_with(before, {'mass': 1.1 * before.inertial.mass})
    assert made.inertial.mass == pytest.approx(1.1 * before.inertial.mass)


def test_a_mass_below_zero_is_refused():
    with pytest.raises(ValueError, match='not positive'):
        link_with(servicer().links[1], {'mass': -1.0})

"""Direction combinations: all of them, each once, and fair draws from them."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.excitation.family.cycloid_family import (
    CombinationOrder,
    direction_combinations,
    draw_direction_combinations,
)

SEEDS = st.integers(0, 2**32 - 1)


def draw(actuators, count, seed=0):
    return draw_direction_combinations(actuators, count, np.random.default_rng(seed))


@pytest.mark.parametrize('actuators', [1, 2, 3, 9, 12])
def test_there_are_two_to_the_power_of_all_but_one(actuators):
    """Every combination of signs occurs once, the last actuator always goes forward."""
    combinations = direction_combinations(actuators)
    assert combinations.shape == (2 ** (actuators - 1), actuators)
    assert len(np.unique(combinations, axis=0)) == len(combinations)
    assert set(np.unique(combinations)) <= {-1, 1}
    assert (combinations[:, -1] == 1).all()


def test_the_robot_of_the_paper_has_256():
    """Six joints and three wheels: 2^8 combinations ([Naveen 2024] 6.2.1)."""
    assert len(direction_combinations(9)) == 256


def test_one_actuator_turns_at_a_time():
    """From one combination to the next a single sign changes."""
    changes = np.abs(np.diff(direction_combinations(9), axis=0)).sum(axis=1)
    np.testing.assert_array_equal(changes, 2)


def test_counted_they_are_the_same_combinations():
    """In binary order the signs read as the numbers from 0 on, forward for a digit 0."""
    counted = direction_combinations(5, CombinationOrder.BINARY)
    digits = (1 - counted[:, :-1].astype(int)) // 2
    np.testing.assert_array_equal(digits @ [8, 4, 2, 1], np.arange(16))


@pytest.mark.parametrize('order', CombinationOrder)
def test_the_first_can_be_the_fixed_one(order):
    """The others keep their order."""
    last, first = (direction_combinations(6, order, first_fixed=flag) for flag in (False, True))
    assert (first[:, 0] == 1).all()
    np.testing.assert_array_equal(first[:, 1:], last[:, :-1])


@pytest.mark.parametrize('actuators', [0, -1, 21])
def test_what_cannot_be_listed_is_refused(actuators):
    """No actuator, or too many for a computer; the error says how many."""
    with pytest.raises(ValueError, match=f'of {actuators} actuators cannot be listed'):
        direction_combinations(actuators)


@settings(deadline=None)
@given(SEEDS, st.sampled_from([(9, 67), (9, 256), (14, 100), (20, 67), (21, 67), (40, 67)]))
def test_draws_are_distinct(seed, size):
    """As many as asked for, no combination twice, the last actuator forward."""
    actuators, count = size
    drawn = draw(actuators, count, seed)
    assert drawn.shape == (count, actuators)
    assert len(np.unique(drawn, axis=0)) == count
    assert (drawn[:, -1] == 1).all()


@settings(deadline=None)
@given(SEEDS)
def test_drawing_more_than_there_are_gives_all(seed):
    """The combinations of a small robot run out."""
    drawn = np.unique(draw(4, 67, seed), axis=0)
    np.testing.assert_array_equal(drawn, np.unique(direction_combinations(4), axis=0))


@pytest.mark.parametrize('actuators', [9, 20, 21, 40])
def test_draws_favour_no_direction(actuators):
    """Over many draws every actuator but the last goes back as often as forth."""
    drawn = np.vstack([draw(actuators, 67, seed) for seed in range(100)])
    assert np.abs(drawn[:, :-1].mean(axis=0)).max() < 0.1


@pytest.mark.parametrize('actuators', [9, 30])
def test_in_a_draw_every_actuator_turns(actuators):
    """No actuator goes one way in all intervals of a draw."""
    for seed in range(20):
        drawn = draw(actuators, 67, seed)
        assert (np.abs(drawn[:, :-1].sum(axis=0)) < 67).all()


def test_the_same_seed_draws_the_same():
    """Draws repeat with the seed, and differ without."""
    np.testing.assert_array_equal(draw(9, 67, 5), draw(9, 67, 5))
    assert (draw(9, 67, 5) != draw(9, 67, 6)).any()

"""All four studies: every printed number has its pair, and a pair is worth something."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from spacerobot_id.lab.papers import STUDIES, study
from spacerobot_id.lab.papers.comparison import Reproduction
from spacerobot_id.lab.papers.published import published

pytestmark = pytest.mark.slow

ALTERED = 1e-3  # of the reach of a tolerance, beyond its limit


@pytest.fixture(params=STUDIES)
def name(request):
    return request.param


def test_every_printed_number_is_the_paper_side_of_exactly_one_pair(name, reproduced):
    """By its key; where nothing stands beside it, a sentence says why."""
    paper = published(name)
    assert Counter(pair.key for pair in reproduced(name).result.pairs if pair.key) == Counter(
        paper.keys()
    )
    for pair in reproduced(name).result.pairs:
        if pair.key:
            assert pair.paper == paper.number(pair.key)
            entry = paper.entries[pair.key.partition('.')[0]]
            assert (pair.where, pair.unit) == (entry.where, entry.unit)
    assert all(
        entry.not_compared.endswith('.') or not entry.not_compared
        for entry in paper.entries.values()
    )


def test_what_is_compared_with_nothing_is_little():
    """Definitions, and what the runs have no use for, beside what they are given."""
    apart = {
        f'{name}: {key}'
        for name in STUDIES
        for key, entry in published(name).entries.items()
        if entry.not_compared and not entry.not_compared.startswith('Given: ')
    }
    assert apart == {
        'christidi: r_3',
        'ekal: start_scale',
        'ekal: far_choice',
        'naveen: torque_noise',
    }


def test_a_number_beyond_its_tolerance_makes_the_result_fail(name, reproduced):
    """Each of ours in turn, above its limits and below them."""
    result = reproduced(name).result
    good = [pair for pair in result.pairs if pair.holds]
    for index, pair in enumerate(good):
        for limit, sign in ((pair.tolerance.at_most, 1.0), (pair.tolerance.at_least, -1.0)):
            if np.isfinite(limit):
                moved = limit + sign * ALTERED * max(abs(limit), 1.0)
                others = [*good[:index], replace(pair, ours=moved), *good[index + 1 :]]
                assert not Reproduction(name, 'title', others, []).holds, pair.text
    assert Reproduction(name, 'title', good, []).holds


def test_tolerances_say_why_and_wide_ones_what_they_refuse(name, reproduced):
    """In sentences; a tolerance is judged by the printed number."""
    for pair in reproduced(name).result.pairs:
        assert pair.tolerance.reason.endswith('.')
        if pair.paper is not None and pair.tolerance.is_wide(pair.paper):
            assert pair.tolerance.refuses.startswith('It refuses')


@pytest.mark.parametrize('name', ['christidi', 'jain', 'naveen', 'wilde'])
def test_all_numbers_keep_their_limits(name, reproduced):
    """With few seeds of the noise and motions that were hardly searched for."""
    assert [(pair.text, pair.ours) for pair in reproduced(name).result.failing] == []


def test_a_study_is_found_by_its_name(name):
    """And takes a folder."""
    assert study(name).__module__ == f'spacerobot_id.lab.papers.{name}.reproduction'

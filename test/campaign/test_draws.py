"""What is drawn depends on seed and index alone, and lies as the design says."""

from dataclasses import replace

import numpy as np
import pytest

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.draws.dispersions import Design, Dispersion, Draws, Meaning
from spacerobot_id.lab.campaign.draws.distributions import Continuous

UNIT = Continuous('uniform', (0.0, 1.0))
DISPERSIONS = tuple(Dispersion((f'key_{k}',), (2.0,), Meaning.VALUE, (UNIT,)) for k in range(3))


def draws(design, runs=64, seed=7):
    return Draws(DISPERSIONS, design, runs, seed)


def table(of, count):
    return np.array([list(of.of_run(index).values()) for index in range(count)])


@pytest.mark.parametrize('design', Design)
def test_a_run_is_drawn_the_same_alone_and_after_others(design):
    of = draws(design)
    everything = table(of, 64)
    np.testing.assert_array_equal(list(of.of_run(41).values()), everything[41])
    assert not np.array_equal(everything, table(replace(of, seed=8), 64))
    assert len(np.unique(everything)) == everything.size


@pytest.mark.parametrize('design', [Design.LATIN_HYPERCUBE, Design.SOBOL])
def test_designs_have_one_sample_in_every_stratum(design):
    """64 samples: one in each 64th of every key."""
    strata = np.sort(np.floor(64 * table(draws(design), 64)), axis=0)
    np.testing.assert_array_equal(strata, np.repeat(np.arange(64.0)[:, None], 3, axis=1))


def test_what_numbers_are_to_the_nominal_value():
    drawn = {
        meaning: replace(DISPERSIONS[0], meaning=meaning).values(np.array([[0.25]]))[0, 0]
        for meaning in Meaning
    }
    assert drawn == {Meaning.VALUE: 0.25, Meaning.CHANGE: 2.25, Meaning.FACTOR: 0.5}
    for meaning, value in drawn.items():
        dispersion = replace(DISPERSIONS[0], meaning=meaning)
        assert dispersion.numbers(0, np.array([value])) == pytest.approx([0.25])


def test_seeds_of_noise_are_apart():
    of = draws(Design.INDEPENDENT)
    seeds = {of.noise_seed(index) for index in range(500)}
    seeds |= {of.plan_seed(index) for index in range(500)}
    assert len(seeds) == 1000


def test_a_latin_hypercube_that_no_process_can_hold_is_refused():
    with pytest.raises(ConfigurationError, match='take sobol'):
        draws(Design.LATIN_HYPERCUBE, runs=100_000_000).check()

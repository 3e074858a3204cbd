"""Standard deviations by how far flights scatter: right where noise is as modelled."""

import numpy as np
import pytest

from spacerobot_id.estimation.states.flight_scatter import scatter_of
from spacerobot_id.statistics.square_root_information import SquareRootInformation

UNKNOWNS, ROWS = 3, 40


def drawn(rng, flights, spread=0.0):
    """Return prior and flights whose own unknowns differ by a spread, and each alone."""
    truth = rng.normal(size=UNKNOWNS)
    information = SquareRootInformation.from_prior(np.zeros(UNKNOWNS), np.eye(UNKNOWNS))
    equations = []
    for _ in range(flights):
        matrix = rng.normal(size=(ROWS, UNKNOWNS)) * [1.0, 0.3, 2.0]
        own = truth + [spread, 0.0, 0.0] * rng.normal(size=UNKNOWNS)
        right = matrix @ own + rng.normal(size=ROWS)
        information = information.absorb(matrix, right)
        equations.append(np.column_stack([matrix, right]))
    return information, equations, truth


@pytest.mark.parametrize('flights', [3, 6, 15])
def test_flights_as_modelled_have_the_standard_deviations_of_the_fit(flights):
    """Their squares are right on average, as many degrees of freedom as they scatter with."""
    rng = np.random.default_rng(flights)
    found = [scatter_of(*drawn(rng, flights)[:2]) for _ in range(300)]
    squares = np.array([each.ratio**2 for each in found])
    assert np.abs(squares.mean(axis=0) - 1.0).max() < 0.2
    freedom = np.mean([each.freedom for each in found], axis=0)
    assert np.all(freedom > 0.8 * flights)
    spread = np.array([2.0 / squares[:, row].var() for row in range(UNKNOWNS)])
    assert np.all(spread < 1.5 * freedom)
    assert np.all(spread > 0.5 * freedom)
    assert np.mean([each.is_larger.any() for each in found]) < 0.01


def test_flights_that_differ_have_the_errors_that_they_say():
    """What differs between flights is named first; the errors are as large."""
    rng, names = np.random.default_rng(7), ('a', 'b', 'c')
    errors, stds, noted = [], [], 0
    for _ in range(150):
        information, flights, truth = drawn(rng, 12, spread=1.0)
        scatter = scatter_of(information, flights)
        errors.append((information.values() - truth)[0])
        stds.append(scatter.std[0])
        (sentence,) = scatter.sentences(names) or ('',)
        noted += ' times a ' in sentence
    assert np.sqrt(np.mean(np.square(stds))) == pytest.approx(np.std(errors), rel=0.25)
    assert noted > 0.95 * 150


def test_what_one_flight_alone_tells_of_counts_as_modelled():
    """No other flight can contradict it."""
    rng = np.random.default_rng(1)
    information, equations, _ = drawn(rng, 5)
    alone = np.zeros((30, UNKNOWNS + 1))
    alone[:, 1] = 100.0
    alone[:, -1] = 100.0 * 3.0 + rng.normal(size=30)
    information = information.absorb(alone[:, :-1], alone[:, -1])
    scatter = scatter_of(information, [*equations, alone])
    assert scatter.ratio[1] == pytest.approx(1.0, abs=0.05)

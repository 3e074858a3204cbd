"""The algorithms of [Jain 1995]: that an error in any of them is found, and their cost."""

from dataclasses import replace

import numpy as np
import pytest
from robots import random_tree

from spacerobot_id.lab.papers.jain import free_links, reproduction
from spacerobot_id.lab.papers.jain.free_links import FreeLinks, slope_of
from spacerobot_id.lab.papers.jain.reproduction import chain, compared, random_state
from spacerobot_id.lab.papers.published import published
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.multibody import link_dynamics

PAPER = published('jain')


@pytest.fixture(scope='module', name='model')
def spatial_robot():
    return load_robot(shipped_file('config/robots/wilde_spatial.urdf'))


def failing(model):
    """Return the texts of what does not hold."""
    return [pair.text for pair in compared(PAPER, 'robot', model) if not pair.holds]


@pytest.mark.parametrize('seed', range(5))
def test_free_links_accelerate_as_those_with_joint_angles(seed):
    """Random trees of up to twelve joints, prismatic ones among them."""
    model = random_tree(seed, 12)
    state = random_state(model, 1)
    one = tuple(each[0] for each in state)
    links = FreeLinks.of(model, *one[:3])
    expected = link_dynamics(model, *state).link_acceleration[0]
    found = slope_of(model, links, one[3]).twist
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
    assert np.abs(links.gaps(model)).max() < 1e-12


def transposed(inward):
    return replace(inward, shift=np.swapaxes(inward.shift, -1, -2))


def without_coriolis(inward):
    return replace(inward, coriolis=0.0 * inward.coriolis)


@pytest.mark.parametrize('error', [transposed, without_coriolis])
def test_an_error_in_the_inward_bodies_is_found(model, monkeypatch, error):
    """A transpose, a missing term: accelerations of links that know no joint angle."""
    assert not failing(model)
    right = free_links._inward
    monkeypatch.setattr(free_links, '_inward', lambda *given: error(right(*given)))
    monkeypatch.setattr(reproduction, '_drift', lambda *_: (1.0, 1.0, 1.0))  # integrates to no end
    with np.errstate(invalid='ignore'):
        assert any('no joint angle' in text for text in failing(model))


@pytest.mark.parametrize(
    ('name', 'error', 'found'),
    [
        ('operational_space_inertia', lambda right: 2.0 * right, 'P + S'),
        ('operational_space_inertia_inverse', lambda right: -right, 'by recursion'),
        ('mass_matrix', lambda right: np.abs(right), 'mass matrix'),
    ],
    ids=['a factor', 'a sign', 'signs'],
)
def test_an_error_in_an_algorithm_is_found(model, monkeypatch, name, error, found):
    right = getattr(reproduction, name)
    monkeypatch.setattr(reproduction, name, lambda *given: error(right(*given)))
    assert any(found in text for text in failing(model))


def test_links_in_another_frame_are_found(model, monkeypatch):
    """Attitudes the other way round."""
    of = FreeLinks.of

    def inverted(*given):
        links = of(*given)
        return replace(links, rotation=np.swapaxes(links.rotation, -1, -2))

    monkeypatch.setattr(reproduction.FreeLinks, 'of', inverted)
    assert any('no joint angle' in text for text in failing(model))


def test_the_cost_is_drawn_and_tabled(reproduced):
    """A row for each length of the chains, a column for each algorithm."""
    (table,) = reproduced('jain').result.tables
    assert [row[0] for row in table.rows] == [5, 10]
    assert all(cell > 0.0 for row in table.rows for cell in row)
    (axes,) = reproduced('jain').figures['cost'].axes
    assert len(axes.get_lines()) == 3
    assert len(chain(7).joints) == 6

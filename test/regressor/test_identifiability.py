"""What can be seen of a robot, as ranks and as text, before any data."""

from dataclasses import replace

from build_robots import ROBOTS
from planar_robot import free_flyer
import pytest
from robots import dual_arm, random_tree, servicer

from spacerobot_id.model import load_robot
from spacerobot_id.regressor import identifiability_table

MEASURED = (
    'linear and angular momentum',
    'angular momentum alone',
    'angular momentum, no base velocity',
    'zero momentum, no known wheel momentum',
    'joint torques alone',
)


@pytest.fixture(name='table', scope='module')
def table_of_the_dual_arm():
    return {row.measured: row for row in identifiability_table(dual_arm())}


def ranks(model, seed=0):
    return tuple(row.rank for row in identifiability_table(model, seed))


def test_the_dual_arm_robot_has_the_ranks_of_theory(table):
    """10 + 7 n; one less without linear momentum; one less without scale; joint torques 7 n."""
    assert tuple(table) == MEASURED
    assert tuple(row.rank for row in table.values()) == (52, 51, 52, 51, 42)
    assert {row.total for row in table.values()} == {52}


def test_linear_and_angular_momentum_show_everything(table):
    """Nothing is lost, and that is what it says."""
    row = table['linear and angular momentum']
    assert row.lost == ()
    assert row.verdict == 'all 52 minimal parameters can be identified'


def test_angular_momentum_alone_loses_the_total_mass(table):
    """The base's minimal mass is the mass of all."""
    row = table['angular momentum alone']
    assert row.lost == ('L0.m',)
    assert row.verdict == 'L0.m cannot be identified'


def test_about_the_centre_of_mass_a_short_arm_hides_the_total_mass():
    """Of the robot of [Christidi 2017] all but the mass shows, and what goes with it."""
    model = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
    row = identifiability_table(model)[2]
    assert (row.rank, row.total) == (30, 31)
    assert {'base.m', 'base.mx', 'link_2.mx', 'link_3.mx'} <= set(row.lost)
    assert row.verdict.startswith('the total mass is lost')


def test_zero_momentum_without_wheels_loses_the_scale(table):
    """No parameter alone is identified, their ratios are."""
    row = table['zero momentum, no known wheel momentum']
    assert len(row.lost) == 52
    assert row.verdict.startswith('only ratios of the parameters can be identified')


def test_joint_torques_alone_lose_the_base(table):
    """All ten parameters of the base, and those alone."""
    row = table['joint torques alone']
    assert len(row.lost) == 10
    assert all(name.startswith('L0.') for name in row.lost)
    assert row.verdict.endswith('L0.mz cannot be identified')


@pytest.mark.parametrize(
    ('joints', 'expected'),
    [(1, (17, 16, 14, 16, 7)), (4, (38, 37, 38, 37, 28)), (8, (66, 65, 66, 65, 56))],
)
def test_trees_of_revolute_joints_have_the_ranks_of_theory(joints, expected):
    """10 + 7 n for n revolute joints of any tree."""
    assert ranks(random_tree(joints, joints, prismatic_share=0.0)) == expected


def test_the_servicer_has_the_ranks_of_theory():
    """Seven joints: 59 parameters; its wheels are no joints."""
    assert ranks(servicer()) == (59, 58, 59, 58, 49)


def test_mixed_trees_show_all_of_their_minimal_parameters():
    """Prismatic joints count four."""
    row = identifiability_table(random_tree(7, 8, prismatic_share=0.5))[0]
    assert row.rank == row.total
    assert row.lost == ()


def test_a_robot_without_joints_shows_its_ten_parameters():
    """Momentum ten, its angular part nine, six without velocity; at zero momentum it rests."""
    assert ranks(random_tree(0, 0)) == (10, 9, 6, 0, 0)


def test_names_are_those_of_the_robot():
    """What is lost is named by the links' own names."""
    model = dual_arm()
    bus = replace(model, links=[replace(model.links[0], name='bus'), *model.links[1:]])
    assert identifiability_table(bus)[1].lost == ('bus.m',)


@pytest.mark.parametrize('seed', range(5))
def test_the_random_states_do_not_matter(seed):
    """Ranks are those of theory for every seed."""
    assert ranks(dual_arm(), seed) == (52, 51, 52, 51, 42)


def test_of_arms_in_the_plane_the_table_says_what_the_plane_shows():
    """Mass, two first moments and Izz of the base, and three per link of an arm: 4 + 3 n."""
    table = {row.measured: row for row in identifiability_table(free_flyer())}
    assert tuple(table)[:-2] == MEASURED
    row = table['momentum in the plane']
    assert (row.rank, row.total) == (10, 24)
    assert {'base.Ixx', 'base.mz', 'upper.Iyz'} <= set(row.lost)
    assert not {'base.m', 'base.Izz', 'lower.mx'} & set(row.lost)
    assert table['zero momentum in the plane, no wheels'].rank == 9

"""More than a hundred URDFs that others wrote: read, and the same to pinocchio as here.

One in eight by default, the others in the slow group.
"""

import time
import warnings
from zlib import crc32

import numpy as np
import pytest
from registry_urdfs import PinocchioUrdf, registry_urdfs

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError, DescriptionError, DescriptionWarning
from spacerobot_id.model import load_robot, robot_from_urdf_string, urdf_from_robot
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import mass_matrix, momentum
from spacerobot_id.regressor import identifiability_table, minimal_parameters

URDFS = registry_urdfs()
REFUSED = {
    'alex_psyonic_hands.urdf': r"joint Left_index_q2: it mimics 'index_q1', which is an unknown",
    'humanoid.urdf': "joint chest: joints of type 'spherical' are not supported",
    'microtaur.urdf': 'joint dynamixel7_chassis_left: rpy of <origin> must be 3 finite numbers',
}
"""What is wrong with those that cannot be read."""

UNREADABLE = ('bike.urdf', 'biped2d_pybullet.urdf', 'husky.urdf')
"""Those that pinocchio cannot read, and this package can."""

pytestmark = pytest.mark.skipif(len(URDFS) < 100, reason='packages with URDFs are not installed')


def some(names):
    """Return names as parameters, most of them slow."""
    return [
        name if crc32(name.encode()) % 8 == 0 else pytest.param(name, marks=pytest.mark.slow)
        for name in names
    ]


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(URDFS[name])


def test_at_most_three_percent_are_refused():
    """Each with a sentence that names file, element and reason; nothing else is raised."""
    refused = {}
    for name, path in URDFS.items():
        try:
            load(name)
        except DescriptionError as error:
            refused[path.name] = error.source == str(path)
    assert len(refused) <= 0.03 * len(URDFS)
    assert refused == dict.fromkeys(REFUSED, True)


@pytest.mark.parametrize('name', REFUSED)
def test_a_refusal_says_what_is_wrong(name):
    """The element and the reason."""
    (path,) = (path for path in URDFS.values() if path.name == name)
    with pytest.raises(DescriptionError, match=REFUSED[name]):
        load_robot(path)


@pytest.mark.parametrize('name', some(URDFS))
def test_pinocchio_has_the_same_robot(name):
    """Momentum, mass matrix and rank of the regressor, joints that follow others and all."""
    if URDFS[name].name in {*REFUSED, *UNREADABLE}:
        pytest.skip('pinocchio, or this package, does not read it')
    model, rng = load(name), np.random.default_rng(0)
    oracle, n = PinocchioUrdf(URDFS[name], model), len(model.joints)

    def state():
        return rng.uniform(-3.0, 3.0, n), rng.normal(size=n), rng.normal(size=6)

    q, qd, twist = state()
    expected = oracle.momentum(q, qd, twist)
    found = momentum(model, q[None], qd[None], twist[None])[0]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * abs(expected).max())
    expected = oracle.mass_matrix(q)
    found = mass_matrix(model, q[None])[0]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * abs(expected).max())
    minimal = minimal_parameters(model)
    rows = np.vstack([oracle.regressor(*state()) for _ in range(len(minimal) // 3 + 5)])
    scale = np.linalg.norm(rows, axis=0)
    singular = np.linalg.svd(rows / np.where(scale > 0.0, scale, 1.0), compute_uv=False)
    assert np.sum(singular > 1e-9 * singular[0]) == len(minimal)
    assert identifiability_table(model)[0].rank == len(minimal)


@pytest.mark.parametrize('name', some(URDFS))
def test_each_can_be_a_prior_and_be_written(name):
    """But for those whose base has no mass; what is written reads as the same robot."""
    if URDFS[name].name in REFUSED:
        pytest.skip('this package does not read it')
    model = load(name)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        again = robot_from_urdf_string(urdf_from_robot(model))
    assert again.joint_names == model.joint_names
    assert [each.mimic for each in again.tree_joints] == [e.mimic for e in model.tree_joints]
    np.testing.assert_allclose(
        again.parameters, model.parameters, rtol=0.0, atol=1e-9 * abs(model.parameters).max()
    )
    if not minimal_parameters(model).values(model)[MASS] > 0.0:
        with pytest.raises(ConfigurationError, match='describe the base with its mass'):
            IdentifySettings().method_for(model).prior()
    else:
        IdentifySettings().method_for(model).prior()


@pytest.mark.parametrize('name', some(URDFS))
def test_the_command_answers_within_seconds(name, capsys):
    """What can be identified of each, in less processor time than five seconds."""
    begin = time.process_time()
    code = main(['model', str(URDFS[name])])
    assert time.process_time() - begin < 5.0
    captured = capsys.readouterr()
    assert code == (URDFS[name].name in REFUSED)
    if code == 0:
        assert 'What can be identified' in captured.out

"""A user's method with local states, in one file: a bias of the gyro that walks is one."""

from dataclasses import dataclass, field, replace
import json
from typing import ClassVar

import numpy as np
import pytest
from robots import dual_arm_prior
from test_sixth_method import flight, truth, WheelsAlone, written_bag

from spacerobot_id.cli.main import main
from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.registry import register, unregister
from spacerobot_id.methods.unknowns import Unknowns
from spacerobot_id.methods.walking_state import ReadingsOfState, Walk, WalkingState
from spacerobot_id.model import RobotModel

NAME, STEP = 'wheels_and_bias', 5e-6
assert written_bag  # a fixture


@dataclass(frozen=True, eq=False)
class WheelsAndBias(WalkingState):
    """The inertia of the robot with its joints locked, the bias of its gyro a state."""

    name: ClassVar[str] = NAME
    summary: ClassVar[str] = 'inertia with joints locked, from wheels and a gyro whose bias walks'
    needs: ClassVar[StreamNeeds] = StreamNeeds(velocity=Need.UNUSED, pose=Need.UNUSED)
    takes: ClassVar[frozenset[str]] = frozenset({'gyro_noise'})
    no_gate: ClassVar[str] = 'the bias is fitted with the inertia'

    model: RobotModel
    gyro_std: float
    alone: WheelsAlone = field(init=False)
    unknowns: Unknowns = field(init=False)

    def __post_init__(self):
        alone = WheelsAlone(self.model, self.gyro_std)
        object.__setattr__(self, 'alone', alone)
        object.__setattr__(self, 'unknowns', alone.unknowns)

    @classmethod
    def from_settings(cls, model, settings, *, from_pose=False):
        return cls(model, settings.gyro_noise or model.noise.base_angular_velocity)

    outputs = 3
    output_units = ('rad/s',) * 3

    def prior(self):
        return self.alone.prior()

    def is_moving(self, record):
        return self.alone.is_moving(record)

    def inertia(self, values, q):
        return self.alone.inertia(values, q)

    def walk(self):
        return Walk(np.zeros(3), np.full(3, 1e-2), np.full(3, 1e-5))

    def readings(self, record, values, states):
        found = self.alone.predict(record, values)
        of_state = np.broadcast_to(np.eye(3), (len(record), 3, 3))
        std = np.full(found.error.shape, self.gyro_std)
        return ReadingsOfState(found.error - states, found.slope, of_state, std)


@pytest.fixture(name='registered', autouse=True)
def registering():
    register(NAME, f'{__name__}:WheelsAndBias')
    yield
    unregister(NAME)


def biased(seed=0):
    """Return what sensors see, the gyro with a bias that walks."""
    seen, rng = flight(seed=seed), np.random.default_rng(100 + seed)
    steps = STEP * np.sqrt(np.diff(seen.times, prepend=seen.times[0]))[:, None]
    bias = 2e-3 + np.cumsum(steps * rng.normal(size=(len(seen), 3)), axis=0)
    twist = seen.base_twist.copy()
    twist[:, 3:] += bias
    return replace(seen, base_twist=twist)


def test_inertia_and_walk_are_found_within_their_intervals():
    """Over seeds; without the state the bias is taken for inertia."""
    made, scores = WheelsAndBias(dual_arm_prior(), 1e-5), []
    for seed in range(4):
        result = identify(biased(seed), made)
        scores.append((result.estimate.values - truth()) / result.estimate.std)
        assert result.is_usable, result.reasons
        (walk, reading) = (each.value for each in result.noise)
        assert walk == pytest.approx(STEP / 1e-5, rel=0.3)
        assert reading == pytest.approx(1.0, abs=0.05)
    assert np.mean(np.square(scores)) < 1.8
    blind = identify(biased(), made.alone)
    assert not blind.is_usable


def test_live_it_ends_where_the_batch_does_and_a_checkpoint_goes_on():
    """Second by second, the oldest ones marginalised."""
    made, record = WheelsAndBias(dual_arm_prior(), 1e-5), biased()
    state = begin_identification(made)
    for begin in range(0, len(record), 50):
        state = absorb(state, record[begin : begin + 50])
    batch = identify(record, made).estimate
    found = state.estimate()
    np.testing.assert_allclose((found.values - batch.values) / batch.std, 0.0, atol=0.3)
    np.testing.assert_allclose(found.std, batch.std, rtol=0.1)
    again = restored(begin_identification(made), checkpoint_text(state, 'hash'), 'hash')
    np.testing.assert_allclose(again.estimate().values, found.values, rtol=1e-9)
    assert absorb(again, biased(1)).samples > state.samples


def test_commands_take_it(bag, tmp_path, capsys):
    """From a bag with a page, and planned for."""
    folder, prior = bag
    arguments = ['report', str(folder), '--robot', str(prior), '--method', NAME, '--json']
    assert main([*arguments, '--out', str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)['parameters']
    scores = (np.array(found['values']) - truth()) / found['std']
    assert np.abs(scores).max() < 4.0
    assert 'a gyro whose bias walks' in (tmp_path / 'report.html').read_text()
    settings = tmp_path / 'planner.yaml'
    settings.write_text('draws: 4\nrestarts: 1\niterations: 3\nintervals: 4\ninterval: 2.0\n')
    arguments = ['plan', str(prior), '--method', NAME, '--config', str(settings), '--no-page']
    assert main([*arguments, '--out', str(tmp_path / 'plan.yaml'), '--json']) == 0
    assert all(each is not None for each in json.loads(capsys.readouterr().out)['std'].values())

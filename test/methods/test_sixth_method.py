"""A method of a user's own, in one file: node, log, report, checkpoint and planner take it."""

from dataclasses import dataclass, field, replace
import json
from pathlib import Path
import sys
from typing import ClassVar

from live_report import live_report
from logs import log_of
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior
from ros_harness import Client, running
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.cli.main import main
from spacerobot_id.estimation import begin_identification, identify
from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.recursive.recursion import absorb, refine
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.methods.registry import method_names, register, unregister
from spacerobot_id.methods.solution import LinearPrior
from spacerobot_id.methods.unknowns import laid_out, Unknowns
from spacerobot_id.model import RobotModel
from spacerobot_id.model.description.robot_writer import write_robot
from spacerobot_id.multibody import base_twist_from_momentum, wheel_momentum, whole_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import imu_message, joint_state_message

NAME = 'wheels_alone'
REGISTERED = """
import sys
sys.path += {folders!r}
from spacerobot_id.methods.registry import register
register({name!r}, 'test_sixth_method:WheelsAlone')
from spacerobot_id.nodes.entry import run
sys.exit(run(sys.argv[1], sys.argv))
"""
"""Runs a node of a program that has registered the method."""
ENTRIES = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]


# What a user writes.


@dataclass(frozen=True, eq=False)
class WheelsAlone(Method):
    """The inertia of the robot with its joints locked, from what its wheels do to its attitude."""

    name: ClassVar[str] = NAME
    summary: ClassVar[str] = 'inertia with joints locked, from wheels and gyro'
    needs: ClassVar[StreamNeeds] = StreamNeeds(velocity=Need.UNUSED, pose=Need.UNUSED)
    takes: ClassVar[frozenset[str]] = frozenset({'gate', 'settle_time', 'gyro_noise'})
    gauge: ClassVar[str] = 'mass and centre of mass'

    model: RobotModel
    gyro_std: float
    unknowns: Unknowns = field(
        default_factory=lambda: laid_out(
            [f'J{"xyz"[i]}{"xyz"[j]}' for i, j in ENTRIES], ['kg m^2'] * 6
        )
    )

    @classmethod
    def from_settings(cls, model, settings, *, from_pose=False):
        return cls(model, settings.gyro_noise or model.noise.base_angular_velocity)

    @property
    def outputs(self):
        return 3

    @property
    def output_units(self):
        return ('rad/s',) * 3

    def prior(self):
        robot = whole_robot(self.model, np.zeros(len(self.model.joints)))
        mean = np.array([robot.inertia_about_com[entry] for entry in ENTRIES])
        return LinearPrior(mean, np.eye(6) * np.abs(mean).max() ** 2)

    def is_moving(self, record):
        return np.any(np.abs(record.wheel_rates) > 1e-3, axis=1)

    def predict(self, record, values, *, with_slope=True):
        inertia = self.inertia(values, None)
        spin = wheel_momentum(self.model, record.q, record.wheel_rates)[:, 3:]
        turning = -np.linalg.solve(inertia, spin.T).T
        by_entry = np.stack([turning @ self._unit(k) for k in range(6)], axis=-1)
        return Prediction(
            record.base_twist[:, 3:] - turning,
            -np.linalg.solve(inertia, by_entry),
            np.broadcast_to(self.gyro_std * np.eye(3), (len(record), 3, 3)),
        )

    def inertia(self, values, q):
        return sum(value * self._unit(k) for k, value in enumerate(values))

    def _unit(self, k):
        unit = np.zeros((3, 3))
        unit[ENTRIES[k]] = unit[ENTRIES[k][::-1]] = 1.0
        return unit


# What it does with it.


@pytest.fixture(name='registered', autouse=True)
def registering():
    register(NAME, f'{__name__}:WheelsAlone')
    yield
    unregister(NAME)


def truth():
    robot = whole_robot(dual_arm(), np.zeros(6))
    return np.array([robot.inertia_about_com[entry] for entry in ENTRIES])


def flight(seconds=40.0, rate=50.0, seed=0):
    """Return what sensors see of the dual arm, joints locked, while its wheels swing."""
    model, rng = dual_arm(), np.random.default_rng(seed)
    times = (np.arange(int(seconds * rate)) + 0.5) / rate
    phase = 2.0 * np.pi * np.outer(times, [0.11, 0.17, 0.23])
    wheels = 30.0 * np.sin(phase)
    still = np.zeros((len(times), 6))
    twist = base_twist_from_momentum(model, still, still, wheels)
    twist += 1e-5 * rng.normal(size=twist.shape)
    return Record(times, still, still, wheels, twist)


@pytest.fixture(name='bag', scope='module')
def written_bag(tmp_path_factory):
    folder = tmp_path_factory.mktemp('log')
    write_bag(folder / 'bag', log_of(dual_arm(), flight(), 1e-5))
    write_robot(dual_arm_prior(), folder / 'prior.urdf')
    return folder / 'bag', folder / 'prior.urdf'


def method(**changes):
    prior = dual_arm_prior()
    return replace(WheelsAlone(prior, 1e-5), **changes)


def test_it_is_a_choice_like_any_other():
    assert NAME in method_names()
    kind = IdentifySettings(method=NAME).method_type()
    assert kind.name == NAME
    settings = IdentifySettings(method=NAME)
    planar = replace(settings, of_method=replace(settings.of_method, planar=True))
    with pytest.raises(ConfigurationError, match='planar: not taken by the method wheels_alone'):
        planar.method_for(dual_arm_prior())


def test_slopes_are_those_of_the_prediction():
    made, record, values = method(), flight(1.0), truth()
    slope = made.predict(record, values).slope
    for column, step in enumerate(np.eye(6)):
        high, low = (made.predict(record, values + s * 1e-3 * step).error for s in (1.0, -1.0))
        np.testing.assert_allclose(-(high - low) / 2e-3, slope[:, :, column], atol=1e-12)


def test_it_identifies_within_its_intervals():
    """In batch and block by block, to the same digits."""
    made, record = method(), flight()
    result = identify(record, made, holdout=0.25)
    scores = (result.estimate.values - truth()) / result.estimate.std
    assert np.abs(scores).max() < 4.0
    assert result.quality.chi_square == pytest.approx(1.0, abs=0.05)
    assert result.validation.chi_square == pytest.approx(1.0, abs=0.07)
    assert result.is_usable
    state, used = begin_identification(made), record[: round(0.75 * len(record))]
    for begin in range(0, len(used), 50):
        state = absorb(state, used[begin : begin + 50])
    np.testing.assert_allclose(refine(state).estimate().values, result.estimate.values, rtol=1e-9)


def test_a_checkpoint_goes_on():
    made, record = method(), flight()
    state = refine(absorb(begin_identification(made), record))
    again = restored(begin_identification(made), checkpoint_text(state, 'hash'), 'hash')
    np.testing.assert_allclose(again.estimate().values, state.estimate().values, rtol=1e-9)
    assert absorb(again, flight(seed=1)).samples > state.samples


def test_identify_prints_it(bag, capsys):
    folder, prior = bag
    arguments = ['identify', str(folder), '--robot', str(prior), '--method', NAME]
    assert main([*arguments, '--holdout', '0.2', '--json']) == 0
    result = json.loads(capsys.readouterr().out)
    assert result['method'] == NAME
    assert result['parameters']['names'] == list(method().unknowns.names)
    assert result['robot']['mass'] is None
    scores = (np.array(result['parameters']['values']) - truth()) / result['parameters']['std']
    assert np.abs(scores).max() < 4.0
    assert main([*arguments, '--all']) == 0
    assert 'Jxx' in capsys.readouterr().out


def test_report_writes_its_page(bag, tmp_path, capsys):
    folder, prior = bag
    arguments = ['report', str(folder), '--robot', str(prior), '--method', NAME]
    assert main([*arguments, '--out', str(tmp_path)]) == 0
    page = (tmp_path / 'report.html').read_text()
    assert 'inertia with joints locked, from wheels and gyro' in page
    assert '<th scope="row">Jxx</th>' in page
    assert (tmp_path / 'result.parameters.csv').exists()
    assert json.loads((tmp_path / 'result.json').read_text())['method'] == NAME


def test_plans_are_made_for_it(bag, tmp_path, capsys):
    """The planner's information is that of its own equations, so that the inertia shows."""
    _, prior = bag
    settings = tmp_path / 'planner.yaml'
    settings.write_text('draws: 4\nrestarts: 1\niterations: 3\nintervals: 4\ninterval: 2.0\n')
    out = tmp_path / 'plan.yaml'
    arguments = ['plan', str(prior), '--method', NAME, '--config', str(settings)]
    assert main([*arguments, '--out', str(out), '--no-page', '--json']) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned['method'] == NAME
    assert set(planned['std']) == set(method().unknowns.names)
    assert all(std is not None for std in planned['std'].values())
    assert load_plan(out).duration == pytest.approx(planned['duration'])


def test_the_node_runs_it(bag):
    """Live, from messages, to the estimate of the batch."""
    _, prior = bag
    here = Path(__file__).parent
    folders = [str(here), str(here.parent / 'support')]
    launcher = (sys.executable, '-c', REGISTERED.format(folders=folders, name=NAME))
    parameters = {
        'robot': str(prior),
        'method': NAME,
        'publish_period': 0.1,
        'update_period': 0.05,
    }
    seen, model = flight(), dual_arm()
    with (
        running('estimator', parameters, launcher=launcher),
        Client() as client,
    ):
        joints = client.publisher(JointState, 'joint_states', qos.stream_output(5000))
        gyro = client.publisher(Imu, 'imu/data', qos.stream_output(5000))
        reports = client.record(String, 'estimator/minimal_parameters', qos.latched())
        client.wait_until(lambda: reports)
        names = model.joint_names + model.wheel_names
        for row, time in enumerate(seen.times):
            rates = np.append(seen.qd[row], seen.wheel_rates[row])
            stamp = 1000.0 + time
            joints.publish(joint_state_message(stamp, names, np.zeros(9), rates))
            gyro.publish(imu_message(stamp, 'L0', seen.base_twist[row, 3:], 1e-5))
            if row % 25 == 24:
                client.spin()
        client.wait_until(lambda: live_report(reports.last.data)['samples'] > 1500)
        client.call(Trigger, 'estimator/refine')
        client.wait_until(lambda: live_report(reports.last.data)['updates_waiting'] == 0)
        report = live_report(reports.last.data)
    assert report['method'] == NAME
    assert report['valid'], report['defects']
    assert report['mass'] is None
    scores = (np.array(report['values']) - truth()) / report['std']
    assert np.abs(scores).max() < 4.5

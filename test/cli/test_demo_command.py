"""``spacerobot-id demo``: what it makes of events of nodes, and a robot on a table, live."""

from contextlib import contextmanager
import json
import os
from pathlib import Path
import re
import subprocess
import sys

import numpy as np
import pytest
from small_robot import small_robot, small_robot_prior

from spacerobot_id.cli.main import main
from spacerobot_id.cli.processes import NodeFailedError
from spacerobot_id.model import write_robot
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.report.page.content import Page, Section, Text
from spacerobot_id.report.page.render import write_page

_PATIENCE = 900.0
"""Longest time that the live demonstration may take on a busy machine, s."""

PLANNED = {'state': 'running', 'duration': 60.0, 'plan_seconds': 3.0, 'cost': 0.01}


class FakeNodes:
    """Nodes that publish a mission of a minute at once; the estimator writes its page."""

    def __init__(self, event):
        self.event, self.started, self.checked = event, {}, 0

    def start(self, module, parameters, _file=None):
        self.started[module] = parameters

    def lines(self, _module, _parameters):
        estimate = {'samples': 5, 'rank': 2, 'median_relative_std': 0.1}
        yield json.dumps({'event': 'connected'})
        yield json.dumps({'event': 'planned', **PLANNED})
        for elapsed in range(60):
            planner = {**PLANNED, 'elapsed': float(elapsed)}
            yield json.dumps({'event': 'progress', 'planner': planner, 'estimate': estimate})
        for slowed in self.event.get('slowed', ()):
            yield json.dumps({'event': 'slowed', **slowed})
        yield json.dumps({'event': 'moved'})
        saved = self.started['estimator']['save_file']
        if 'late' not in self.event:
            self._write_page()
        yield json.dumps({'event': 'result', 'saved': saved, **self.event})

    def _write_page(self):
        saved = Path(self.started['estimator']['save_file'])
        section = Section('bodies', 'Bodies', [Text('the estimator was here')])
        write_page(Page('small', '', [section], verdict='fine'), saved.with_suffix('.html'))

    def check(self, but):
        self.checked += 1
        if self.checked == self.event['late']:
            self._write_page()
        elif self.checked > self.event['late']:
            raise NodeFailedError('estimator ended')


@pytest.fixture(name='demo')
def demonstration(monkeypatch, tmp_path):
    """Return a command line, and what the nodes answer it."""
    robot = small_robot()
    write_robot(robot, tmp_path / 'true.urdf')
    write_robot(small_robot_prior(), tmp_path / 'prior.urdf')
    minimal = minimal_parameters(robot)
    rng, count = np.random.default_rng(0), len(minimal.names)
    std = 0.01 * np.abs(minimal.values(robot)) + 1e-3
    event = {
        'names': minimal.names,
        'units': minimal.units,
        'values': (minimal.values(robot) + std * rng.normal(size=count)).tolist(),
        'std': std.tolist(),
        'covariance': np.diag(std**2).ravel().tolist(),
        'valid': True,
        'defects': [],
        'not_identified': [minimal.names[-1]],
        'condition_number': 12.0,
        **{'samples': 3000, 'rank': count - 1, 'chi_square': 1.0, 'rejected': 0, 'changes': 0},
        **{'plan_seconds': 3.0, 'motion_seconds': 60.0, 'samples_due': 3000},
    }

    @contextmanager
    def fake(folder):
        folder.mkdir(parents=True, exist_ok=True)
        yield FakeNodes(event)

    monkeypatch.setattr('spacerobot_id.cli.demo.node_processes', fake)
    robots = ['--robot', str(tmp_path / 'true.urdf'), '--prior', str(tmp_path / 'prior.urdf')]
    return ['demo', *robots, '--out', str(tmp_path / 'out')], event


def test_it_ends_with_some_lines(capsys, demo):
    """No more than one on what goes on every ten seconds, and the verdict."""
    command, event = demo
    assert main(command) == 0
    printed = capsys.readouterr().out
    *progress, title, seen, errors, joint, times, written, more = printed.splitlines()
    assert all(re.match(r'\[ *[\d.]+ s\] ', line) for line in progress)
    assert len(progress) == 3
    assert title == 'small: usable'
    count = len(event['names'])
    assert seen.startswith(f'{count - 1} of {count} parameters identified from 3000 samples')
    assert 'of the true values inside their 95 % intervals' in errors
    assert f'of {count - 1}; chance allows' in joint
    assert times.startswith('planned in 3.0 s, moved for 60.0 s')
    assert 'estimate.html' in written
    assert more == 'all parameters: demo --all'
    assert '\x1b' not in printed


def test_a_machine_that_does_not_keep_up_is_said_with_what_is_lost(capsys, demo):
    """It goes on slower instead of failing; lost samples are logged, and in the result."""
    command, event = demo
    event |= {
        'samples_due': 6750,
        'slowed': [{'before': 2.0, 'factor': 1.0, 'reason': '33 % of the samples are used'}],
    }
    assert main(command) == 0
    printed = capsys.readouterr().out
    slower = 'this machine does not keep 2 times real time (33 % of the samples are used)'
    assert f'{slower}: going on at 1\n' in printed
    assert '56 % of 6750 samples of the motion are lost: a lower --real-time-factor' in printed
    assert main([*command, '--json']) == 0
    assert json.loads(capsys.readouterr().out)['samples_due'] == 6750


def test_all_parameters_are_printed_when_they_are_asked_for(capsys, demo):
    command, event = demo
    assert main([*command, '--all']) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in event['names']:
        assert sum(line.startswith(f'{name} ') for line in lines) == 1


def test_the_errors_are_put_into_the_page_of_the_estimator(capsys, demo, tmp_path):
    """Before its own sections, with a link; the same figures as in the JSON object."""
    command, _ = demo
    assert main([*command, '--json']) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads((tmp_path / 'out' / 'result.json').read_text())
    page = (tmp_path / 'out' / 'estimate.html').read_text()
    assert re.findall(r'<section id="(\w+)"', page) == ['verdict', 'truth', 'bodies']
    assert page.count('href="#truth"') == 1
    assert f'{result["normalised_squared_error"]:.4g}; chance allows' in page


def test_an_estimate_that_is_not_valid_is_not_called_usable(capsys, demo):
    command, event = demo
    event |= {'valid': False, 'defects': ['the model does not explain these data']}
    assert main(command) == 0
    assert 'small: not to be used: the model does not explain' in capsys.readouterr().out


@pytest.mark.parametrize(('late', 'has_page'), [(1000, True), (0, False)])
def test_the_page_is_waited_for_while_the_estimator_lives(
    late, has_page, demo, tmp_path, monkeypatch
):
    """However long a busy machine takes; no longer where it has ended."""
    command, event = demo
    event['late'] = late
    monkeypatch.setattr('spacerobot_id.cli.demo.time.sleep', lambda _: None)
    assert main(command) == 0
    assert (tmp_path / 'out' / 'estimate.html').exists() == has_page


@pytest.mark.slow
@pytest.mark.ros
def test_a_robot_on_a_table_is_identified_live(tmp_path):
    """Under thrusters that are not as stated, from motion capture at 10 Hz with coarse stamps."""
    command = [sys.executable, '-m', 'spacerobot_id', 'demo', '--robot', 'planar']
    done = subprocess.run(
        [*command, '--json', '--real-time-factor', '1', '--out', str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE,
        env=os.environ | {'OPENBLAS_NUM_THREADS': '1'},
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result['valid'], result['defects']
    hidden = set(result['not_identified'])
    seen = [row for row in result['parameters'] if row['name'] not in hidden]
    assert {'base.Izz', 'upper_arm.mx', 'forearm.mx'} <= {row['name'] for row in seen}
    thrusters = {row['name']: row for row in result['thrusters']}
    assert {'strength.thruster_1', 'strength_loss', 'dead_time', 'delay.wrench'} <= set(thrusters)
    for row in [*seen, *thrusters.values()]:
        assert abs(row['value'] - row['true']) < 5.0 * row['std'], row
    assert 'id="truth"' in (tmp_path / 'estimate.html').read_text()

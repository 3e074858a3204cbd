"""``spacerobot-id inject-faults`` lists for each fault whether it was noticed and what it did."""

import csv
import json
from unittest.mock import Mock

from motions import measure, random_plan, with_noise
import pytest
from reference_logs import log_of_record
from small_robot import small_robot, small_robot_prior

from spacerobot_id.cli.main import main
from spacerobot_id.lab.faults.cells import FaultInjection
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import write_robot


@pytest.fixture(name='log', scope='module')
def log_of_a_small_robot(tmp_path_factory):
    folder = tmp_path_factory.mktemp('faults')
    robot = small_robot()
    clean = measure(robot, random_plan(robot, 1, 12), rate=12.5)
    seen = with_noise(clean, Momentum.from_model(robot), 0)
    write_bag(folder / 'bag', log_of_record(robot, seen))
    write_robot(small_robot_prior(), folder / 'robot.urdf')
    return folder


@pytest.fixture(autouse=True, scope='module')
def _replayed_once():
    """Replay no cell twice, whatever tests ask for it."""
    found, replayed = {}, FaultInjection.cell

    def cell(injection, clean, fault, strength, begin):
        key = fault.key, strength, begin
        if key not in found:
            found[key] = replayed(injection, clean, fault, strength, begin)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FaultInjection, 'cell', cell)
        yield


def called(log, capsys, *options):
    """Return exit code and what is printed."""
    words = ['inject-faults', str(log / 'bag'), '--robot', str(log / 'robot.urdf')]
    code = main([*words, '--out', str(log / 'out'), *options])
    return code, capsys.readouterr()


def test_a_table_a_page_and_files(log, capsys):
    """Three strengths from two times; page, JSON and CSV have the same cases."""
    code, captured = called(log, capsys, '--fault', 'F6', '--fault', 'F3 size', '--json')
    assert code == 0
    cells = json.loads(captured.out)['cells']
    assert {cell['fault'] for cell in cells} == {'F6 not finite', 'F3 size'}
    assert len(cells) == 12
    assert {cell['begin'] for cell in cells} == {'start', 'middle'}
    assert all('rejected' in c['noticed'] for c in cells if c['fault'] == 'F6 not finite')
    assert json.loads((log / 'out' / 'faults.json').read_text()) == cells
    with (log / 'out' / 'faults.csv').open(newline='') as table:
        rows = list(csv.DictReader(table))
    assert [row['fault'] for row in rows] == [cell['fault'] for cell in cells]
    assert 'No estimate of' in (log / 'out' / 'faults.html').read_text()


def test_every_case_on_request(log, capsys):
    code, captured = called(log, capsys, '--fault', 'F2 extra', '--all')
    assert code == 0
    assert captured.out.startswith('No estimate of 6 cases is harmed and called valid')
    assert captured.out.count('F2 extra') == 6
    assert '10 joints' in captured.out


def test_a_fault_that_the_log_cannot_carry_is_refused(log, capsys):
    code, captured = called(log, capsys, '--fault', 'F19')
    assert code == 1
    assert "--fault: 'F19' is none that this log can carry" in captured.err


def test_a_log_that_is_not_valid_without_faults_is_refused(log, capsys, tmp_path):
    """What a fault does can be seen with a good estimate only."""
    config = tmp_path / 'config.yaml'
    config.write_text('prior_mass_std: 1.0e-3\n')
    code, captured = called(log, capsys, '--config', str(config), '--fault', 'F1')
    assert code == 1
    assert 'even without faults it is not valid' in captured.err


def test_what_was_replayed_is_written_when_interrupted(log, capsys, monkeypatch):
    """Tables of the faults before; exit code 1, as there is no verdict on the others."""
    whole = FaultInjection.cells

    def interrupted(injection, clean, faults):
        if faults[0].key == 'F6 not finite':
            raise KeyboardInterrupt
        return whole(injection, clean, faults)

    monkeypatch.setattr(FaultInjection, 'cells', interrupted)
    code, captured = called(log, capsys, '--fault', 'F6', '--fault', 'F3 size', '--json')
    assert code == 1
    assert {cell['fault'] for cell in json.loads(captured.out)['cells']} == {'F3 size'}
    assert 'interrupted, 1 of 2 faults not replayed' in captured.err


def test_nothing_is_written_when_interrupted_at_once(log, capsys, monkeypatch):
    monkeypatch.setattr(FaultInjection, 'cells', Mock(side_effect=KeyboardInterrupt))
    code, captured = called(log, capsys, '--fault', 'F6')
    assert code == 130
    assert captured.out == ''
    assert 'spacerobot-id: interrupted' in captured.err

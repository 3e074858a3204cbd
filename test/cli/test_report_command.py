"""``spacerobot-id report``: a page, two pictures, a result and a robot."""

from dataclasses import replace
import json

from logs import dual_arm_log, dual_arm_log_with_still_joint, servicer_log
from matplotlib.image import imread
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.model import load_robot, shipped_file

DUAL_ARM = str(shipped_file('config/robots/naveen_dual_arm_prior.urdf'))
SERVICER = str(shipped_file('config/robots/servicer_prior.urdf'))


def report_of(capsys, folder, log, robot, *arguments, code=0):
    """Write the report of a log; return the folder, the page and the result."""
    write_bag(folder / 'bag', log)
    out = folder / 'report'
    command = ['report', str(folder / 'bag'), '--robot', robot, '--out', str(out), *arguments]
    assert main(command) == code
    return out, (out / 'report.md').read_text(), capsys.readouterr().out


def cells(page, name):
    """Return the cells of the row of a table that begins with a name."""
    (row,) = [line for line in page.splitlines() if line.startswith(f'| {name} |')]
    return [cell.strip() for cell in row.strip('|').split('|')]


@pytest.mark.slow
def test_the_page_says_what_identify_says(capsys, tmp_path):
    """Values, standard deviations, links and the part held out; the robot loads again."""
    out, page, printed = report_of(
        capsys, tmp_path, servicer_log(), SERVICER, '--holdout', '0.2', '--json'
    )
    result = json.loads((out / 'result.json').read_text())
    assert json.loads(printed) == result
    main(['identify', str(tmp_path / 'bag'), '--robot', SERVICER, '--holdout', '0.2', '--json'])
    said = json.loads(capsys.readouterr().out)
    said.pop('urdf')
    assert {name: result[name] for name in said} == said
    minimal = said['parameters']
    for name, value, std in zip(minimal['names'], minimal['values'], minimal['std'], strict=True):
        row = cells(page, name)
        assert float(row[3]) == pytest.approx(value, rel=1e-4)
        assert float(row[4]) == pytest.approx(std, rel=0.06)
    found = load_robot(out / 'robot.urdf')
    assert result['urdf'] == str(out / 'robot.urdf')
    for link in found.links:
        assert float(cells(page, link.name)[1]) == pytest.approx(link.inertial.mass, rel=1e-3)
    assert 'Held out: 600 samples' in page
    assert 'From `bag`' in page
    assert str(tmp_path) not in page


def test_the_page_shows_its_pictures(capsys, tmp_path):
    """They load, and are those that the page names; test/report looks at what is drawn."""
    out, page, _ = report_of(capsys, tmp_path, servicer_log(), SERVICER)
    for name in ('parameters.png', 'residuals.png'):
        assert f']({name})' in page
        assert imread(out / name).shape[1] > 500


def test_what_was_not_seen_is_said_with_the_reason(capsys, tmp_path):
    _, page, _ = report_of(capsys, tmp_path, dual_arm_log_with_still_joint(), DUAL_ARM)
    assert cells(page, 'L6.Izz')[5] == 'not identified'
    assert 'not seen: joint_6 does not move' in page
    assert cells(page, 'L1.Izz')[5] == 'changed'


def test_links_that_cannot_exist_are_not_written(capsys, tmp_path):
    """The paper's links cannot exist, and none that can move as they do."""
    out, page, _ = report_of(capsys, tmp_path, dual_arm_log(), DUAL_ARM)
    assert 'No links that can exist fit' in page
    assert not (out / 'robot.urdf').exists()


@pytest.mark.slow
@pytest.mark.parametrize(('noise', 'code'), [(1e-4, 0), (1e-3, 1)])
def test_noise_that_is_stated_too_small_is_said(capsys, tmp_path, noise, code):
    """As a warning up to three times; beyond, the result is not usable."""
    log = dual_arm_log()
    rng = np.random.default_rng(5)
    twists = log.twist.twists + noise * rng.normal(size=log.twist.twists.shape)
    louder = replace(log, twist=replace(log.twist, twists=twists))
    _, page, _ = report_of(capsys, tmp_path, louder, DUAL_ARM, code=code)
    assert 'do not trust the standard deviations' in page

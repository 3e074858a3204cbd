"""``spacerobot-id report``: a page, a result as JSON and CSV, a robot; and results compared."""

import csv
from dataclasses import replace
import json
import re
import subprocess
import sys

from logs import dual_arm_log, dual_arm_log_with_still_joint, servicer_log
import numpy as np
import pytest
from robots import dual_arm

from spacerobot_id.cli.main import main
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, shipped_file

DUAL_ARM = str(shipped_file('config/robots/naveen_dual_arm_prior.urdf'))
SERVICER = str(shipped_file('config/robots/servicer_prior.urdf'))
TRUE_SERVICER = str(shipped_file('config/robots/servicer.urdf'))
EXACT = Momentum.from_model(dual_arm())


def report_of(capsys, folder, log, robot, *arguments, code=0):
    """Write the report of a log; return the folder, the page and what is printed."""
    write_bag(folder / 'bag', log)
    out = folder / 'report'
    command = ['report', str(folder / 'bag'), '--robot', robot, '--out', str(out), *arguments]
    assert main(command) == code
    return out, (out / 'report.html').read_text(), capsys.readouterr().out


def rows(page, name):
    """Return the cells of each row of a table that begins with a name."""
    found = re.findall(rf'<th scope="row">{re.escape(name)}</th>(.*?)</tr>', page, re.DOTALL)
    return [re.findall(r'<td[^>]*>(.*?)</td>', row) for row in found]


@pytest.mark.slow
def test_the_page_says_what_identify_says(capsys, tmp_path):
    """Values, standard deviations, links and the part held out; the robot loads again."""
    out, page, printed = report_of(
        capsys, tmp_path, servicer_log(), SERVICER, '--holdout', '0.2', '--json'
    )
    result = json.loads((out / 'result.json').read_text())
    assert json.loads(printed) == result
    main(['identify', str(tmp_path / 'bag'), '--robot', SERVICER, '--holdout', '0.2', '--json'])
    printed = json.loads(capsys.readouterr().out)
    for key in ('urdf', 'written'):  # files that a command was asked for
        printed.pop(key)
    assert {name: result[name] for name in printed} == printed
    minimal = result['parameters']
    for name, value, std in zip(minimal['names'], minimal['values'], minimal['std'], strict=True):
        _, _, estimate, interval, *_ = rows(page, name)[0]
        assert float(estimate) == pytest.approx(value, abs=0.06 * std)
        assert float(interval.removeprefix('±')) == pytest.approx(1.96 * std, rel=0.06)
    found = load_robot(out / 'robot.urdf')
    assert result['urdf'] == str(out / 'robot.urdf')
    for link in found.links:
        assert float(rows(page, link.name)[0][0]) == pytest.approx(link.inertial.mass, rel=0.05)
    assert '600 samples at the end were held out' in page
    assert 'From bag by momentum' in page
    assert str(tmp_path) not in page


def test_the_tables_beside_the_page_are_the_estimate(capsys, tmp_path):
    """As CSV: a row for each parameter, and the covariance with their names."""
    out, _, _ = report_of(capsys, tmp_path, servicer_log(), SERVICER)
    minimal = json.loads((out / 'result.json').read_text())['parameters']
    with (out / 'result.parameters.csv').open(newline='') as file:
        table = list(csv.DictReader(file))
    assert [row['name'] for row in table] == minimal['names']
    for key, column in (('value', 'values'), ('std', 'std'), ('prior', 'prior')):
        np.testing.assert_array_equal([float(row[key]) for row in table], minimal[column])
    with (out / 'result.covariance.csv').open(newline='') as file:
        names, *covariance = csv.reader(file)
    assert names == minimal['names']
    std = np.sqrt(np.diag(np.array(covariance, dtype=float)))
    np.testing.assert_allclose(std, minimal['std'])


@pytest.mark.slow
def test_errors_against_the_truth(capsys, tmp_path):
    """On the page, in the JSON object and in the terminal; true robots of another kind refused."""
    log = servicer_log()
    out, page, printed = report_of(capsys, tmp_path, log, SERVICER, '--truth', TRUE_SERVICER)
    result = json.loads((out / 'result.json').read_text())
    low, high = result['truth']['normalised_squared_error_bounds']
    assert low < result['truth']['normalised_squared_error'] < high
    assert result['truth']['coverage_95'] > 0.7
    robot = load_robot(TRUE_SERVICER)
    total = sum(link.inertial.mass for link in robot.links)
    assert np.isclose(result['truth']['values'], total).any()
    for text in (page, ' '.join(printed.split())):
        assert f'Normalised squared error of all {len(result["truth"]["values"])}' in text
    wrong = ['report', str(tmp_path / 'bag'), '--robot', SERVICER, '--truth', DUAL_ARM]
    assert main([*wrong, '--out', str(out)]) == 1
    assert '--truth:' in capsys.readouterr().err


def test_what_was_not_seen_is_said_with_the_reason(capsys, tmp_path):
    """And in which combination it is seen."""
    _, page, _ = report_of(capsys, tmp_path, dual_arm_log_with_still_joint(), DUAL_ARM)
    assert rows(page, 'L6.Izz')[0][-1] == 'not identified'
    assert ['not seen: joint_6 does not move'] in rows(page, 'L6.Izz')
    assert rows(page, 'L1.Izz')[0][-1] == 'changed'
    assert 'Not alone, but in combination' in page
    combined = re.findall(r'<li>(L6\.[^<]*) = [^<]*alone is known', page)
    assert combined
    assert all('L5.' in formula or 'L6.' in formula.partition(' ')[2] for formula in combined)


def test_links_that_cannot_exist_are_not_written(capsys, tmp_path):
    """The paper's links cannot exist, and none that can move as they do."""
    out, page, _ = report_of(capsys, tmp_path, dual_arm_log(), DUAL_ARM)
    assert 'No links that can exist fit' in page
    assert not (out / 'robot.urdf').exists()


def with_twist_errors(errors):
    """Return the dual arm's log with errors added to its twists."""
    log = dual_arm_log()
    return replace(log, twist=replace(log.twist, twists=log.twist.twists + errors))


@pytest.mark.slow
@pytest.mark.parametrize('noise', [1e-4, 1e-3])
def test_noise_that_is_stated_too_small_is_weighed(capsys, tmp_path, noise):
    """The page says how much larger it is; the true values lie within the wider intervals."""
    rng = np.random.default_rng(5)
    louder = with_twist_errors(noise * rng.normal(size=dual_arm_log().twist.twists.shape))
    out, page, _ = report_of(capsys, tmp_path, louder, DUAL_ARM)
    assert 'Usable, with warnings' in page
    assert 'multiply standard deviations by' not in page
    assert 'times that stated: readings are weighed by what residuals show' in page
    result = json.loads((out / 'result.json').read_text())
    larger = {each['name']: each['value'] for each in result['noise']}
    assert larger['noise of base_twist'] == pytest.approx(np.hypot(noise, 5e-5) / 5e-5, rel=0.1)
    found = result['parameters']
    true = dict(zip(EXACT.unknowns.names, EXACT.minimal.values(dual_arm()), strict=True))
    scores = (np.array(found['values']) - [true[name] for name in found['names']]) / found['std']
    assert np.sqrt(np.mean(scores**2)) < 1.5


@pytest.mark.slow
@pytest.mark.parametrize(('noise', 'code'), [(1e-4, 0), (1e-3, 1)])
def test_noise_that_comes_and_goes_is_said(capsys, tmp_path, noise, code):
    """No one size explains it: a warning up to three times; beyond, the result is not usable."""
    stamps, twists = dual_arm_log().twist.stamps, dual_arm_log().twist.twists
    is_loud = np.sin(0.4 * stamps)[:, None] > 0.0
    bursts = noise * is_loud * np.random.default_rng(5).normal(size=twists.shape)
    _, page, _ = report_of(capsys, tmp_path, with_twist_errors(bursts), DUAL_ARM, code=code)
    assert 'multiply standard deviations by' in page
    assert ('Not to be used' if code else 'Usable, with warnings') in page


@pytest.mark.slow
def test_results_are_compared(capsys, tmp_path):
    """Of two logs in one call, or of what reports left; a changed robot shows."""
    log, robot = dual_arm_log(), DUAL_ARM
    twists = log.twist.twists * [1.0, 1.0, 1.0, 1.01, 1.01, 1.01]
    other = replace(
        log,
        imu=replace(log.imu, angular_velocity=1.01 * log.imu.angular_velocity),
        twist=replace(log.twist, twists=twists),
    )
    write_bag(tmp_path / 'before', log)
    write_bag(tmp_path / 'after', other)
    bags = [str(tmp_path / name) for name in ('before', 'after')]
    out = tmp_path / 'out'
    main(['report', *bags, '--robot', robot, '--out', str(out)])
    printed = capsys.readouterr().out
    assert 'They differ' in printed
    page = (out / 'comparison.html').read_text()
    results = [
        json.loads((out / name / 'result.json').read_text()) for name in ('before', 'after')
    ]
    columns = [{key: np.array(r['parameters'][key]) for key in ('values', 'std')} for r in results]
    scores = np.abs(columns[0]['values'] - columns[1]['values'])
    scores /= np.hypot(columns[0]['std'], columns[1]['std'])
    worst = results[0]['parameters']['names'][int(np.argmax(scores))]
    assert rows(page, worst)[0][-1] == f'{scores.max():.1f}'
    again = tmp_path / 'again'
    left = str(out / 'before')
    assert main(['report', left, left, '--out', str(again), '--json']) == 0
    assert json.loads(capsys.readouterr().out)['verdict'] == 'They agree'


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        (['nowhere'], '--robot: the prior model is needed'),
        (['{saved}'], 'a result alone; give two or more'),
        (['{saved}', '{broken}'], 'broken.json: is no result of an identification'),
    ],
)
def test_what_cannot_be_compared_is_said(capsys, tmp_path, arguments, reason):
    result = {key: ['a'] for key in ('names', 'units')} | {
        key: [1.0] for key in ('values', 'std', 'prior')
    }
    content = {'parameters': result, 'method': 'm', 'robot_name': 'r', 'usable': True}
    (tmp_path / 'saved.json').write_text(json.dumps(content))
    (tmp_path / 'broken.json').write_text('{"parameters": {}}')
    names = {name: str(tmp_path / f'{name}.json') for name in ('saved', 'broken')}
    assert main(['report', *(each.format(**names) for each in arguments)]) == 1
    assert reason in capsys.readouterr().err


def test_without_plotly_the_line_that_installs_it_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr('spacerobot_id.report.page.render.find_spec', lambda _: None)
    write_bag(tmp_path / 'bag', servicer_log())
    code = main(['report', str(tmp_path / 'bag'), '--robot', SERVICER, '--out', str(tmp_path)])
    assert code == 1
    assert 'pip install plotly' in capsys.readouterr().err


def test_help_loads_neither_charts_nor_numerics():
    """The start of the command is quick: nothing of reports is imported before it is needed."""
    code = (
        'import sys\nfrom spacerobot_id.cli.main import main\n'
        'try:\n    main(["--help"])\nexcept SystemExit:\n    pass\nprint(*sys.modules)'
    )
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert not loaded & {'numpy', 'jinja2', 'matplotlib', 'plotly', 'scipy'}

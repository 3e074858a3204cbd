"""Pages as a browser shows them, wide and narrow: nothing goes wrong, nothing sticks out."""

from browser import needs_browser, opened, WIDTHS
from campaigns import results_out_of_a_hat
from logs import servicer_log
from method_cases import case_of
import numpy as np
import pytest
from small_robot import small_robot_prior

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.batch.identify import identify, samples_fitted
from spacerobot_id.excitation import plan_excitation
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.lab.campaign.analysis.calibration import applied
from spacerobot_id.lab.campaign.analysis.page import campaign_page
from spacerobot_id.lab.campaign.analysis.requirements import judged
from spacerobot_id.lab.campaign.campaign_file import campaign_from_inputs, campaign_inputs
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.model import shipped_file
from spacerobot_id.report.page.content import Chart, Page, Section, Table
from spacerobot_id.report.page.render import write_page
from spacerobot_id.report.plan_page import plan_page
from spacerobot_id.report.result_files import Subject, Truth
from spacerobot_id.report.result_page import result_page

SECTIONS = {
    'verdict',
    'bodies',
    'robot',
    'parameters',
    'shown',
    'correlations',
    'convergence',
    'residuals',
    'prediction',
    'repeat',
}
"""Sections of the page of every method that finds a robot."""

pytestmark = [needs_browser, pytest.mark.slow]


def assert_good(path, folder, sections):
    """Look at a page in all widths."""
    found = opened(path, folder)
    assert set(found) == set(WIDTHS)
    for width, seen in found.items():
        assert seen['errors'] == []
        assert seen['outside'] == []
        assert seen['cut'] == []
        assert seen['scrolled'] <= width
        assert seen['drawn'] == seen['charts'] > 0
        assert seen['empty'] == 0
        assert seen['requests'] == []
        assert set(seen['sections']) >= sections
    assert path.stat().st_size < 6e6


def test_the_page_of_the_servicer(tmp_path, capsys):
    """From a log, by the command, with the truth."""
    write_bag(tmp_path / 'bag', servicer_log())
    prior, truth = (
        str(shipped_file(f'config/robots/servicer{end}.urdf')) for end in ('_prior', '')
    )
    arguments = ['report', str(tmp_path / 'bag'), '--robot', prior, '--truth', truth]
    assert main([*arguments, '--holdout', '0.2', '--out', str(tmp_path)]) == 0
    assert_good(tmp_path / 'report.html', tmp_path, SECTIONS | {'truth', 'streams', 'causes'})


@pytest.mark.parametrize('method', ['momentum_balance', 'free_flyer'])
def test_the_pages_of_robots_with_thrusters(tmp_path, method):
    """A planar one with an arm, and one without."""
    case = case_of(method)
    result = identify(case.record, case.method)
    used = samples_fitted(case.record, 0.0)
    subject = Subject(result, case.record, used, 'a flight', truth=Truth('known', case.truth))
    write_page(result_page(subject), tmp_path / 'page.html')
    assert_good(tmp_path / 'page.html', tmp_path, SECTIONS | {'truth'})


def test_the_page_of_a_campaign(tmp_path):
    """The servicer's, with all sections: numbers out of a hat, one run failed, one cause wrong."""
    campaign = campaign_from_inputs(campaign_inputs('servicer'))
    results = results_out_of_a_hat(campaign, 150)
    judgements = tuple(
        judged(each, each.kept(results[each.metric]), campaign.runs)
        for each in campaign.requirements
    )
    proof = applied(campaign.draws.dispersions, results)
    page = campaign_page(campaign, results, judgements, proof, 'out/servicer', 300.0)
    write_page(page, tmp_path / 'page.html')
    sections = ('verdicts', 'errors', 'application', 'calibration', 'detections', 'drivers')
    assert_good(tmp_path / 'page.html', tmp_path, {*sections, 'worst', 'failed', 'how'})


def test_the_page_of_a_plan(tmp_path):
    settings = PlannerSettings(intervals=8, interval=2.0, draws=4, restarts=1, iterations=2)
    robot = small_robot_prior()
    start = np.zeros(len(robot.joints) + len(robot.wheels))
    page = plan_page(robot, plan_excitation(robot, start, settings), 'momentum')
    write_page(page, tmp_path / 'page.html')
    assert_good(tmp_path / 'page.html', tmp_path, {'verdict', 'motion', 'known', 'limits'})


def test_what_is_wrong_is_found(tmp_path):
    """In a page with a table that is too wide for it, and a script that fails."""
    chart = Chart([{'type': 'scatter', 'x': [0, 1], 'y': [0, 1]}], {}, 'a chart')
    page = Page('bad', '', [Section('one', 'One', [Table(('a', 'b'), [('x', 'y')]), chart])])
    path = tmp_path / 'page.html'
    write_page(page, path)
    wide = '<style>table { width: 3000px !important; }</style><script>throw Error("no")</script>'
    path.write_text(path.read_text().replace('</head>', f'{wide}</head>'))
    for width, seen in opened(path, tmp_path).items():
        assert any('no' in each for each in seen['errors'])
        assert any(each.startswith('TABLE') for each in seen['outside'])
        assert seen['scrolled'] > width

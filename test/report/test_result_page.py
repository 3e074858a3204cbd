"""The page of a result, by every method: what it says is what the result says."""

import json
import re
import time

from method_cases import case_of, METHODS, SAMPLE_BY_SAMPLE
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.estimation.analysis.bodies import link_bodies, whole_body
from spacerobot_id.estimation.analysis.convergence import convergence
from spacerobot_id.estimation.batch.identify import identify, samples_fitted
from spacerobot_id.estimation.recursive.recursion import absorb, begin_identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.method import Method
from spacerobot_id.nodes.estimator.page_writer import PageWriter
from spacerobot_id.report.page.content import Chart, Details, Table
from spacerobot_id.report.page.render import page_html
from spacerobot_id.report.result_files import Subject, Truth
from spacerobot_id.report.result_page import result_page

EVERY = (
    'bodies',
    'parameters',
    'shown',
    'correlations',
    'convergence',
    'residuals',
    'prediction',
    'repeat',
)
"""Sections that there are whatever the method."""


@pytest.fixture(scope='module', name='subject', params=METHODS)
def subject_of_a_method(request):
    """Return what a report on most samples of a method's case is about."""
    case = case_of(request.param)
    held = 0.2 if request.param in SAMPLE_BY_SAMPLE else 0.0
    result = identify(case.record, case.method, holdout=held)
    used = samples_fitted(case.record, held)
    return Subject(result, case.record, used, 'a flight', truth=Truth('known', case.truth))


@pytest.fixture(scope='module', name='page')
def page_of_it(subject):
    return result_page(subject)


def blocks_of(page, key):
    """Return the blocks of a section, those folded away among them."""
    (section,) = [each for each in page.sections if each.key == key]
    blocks = []
    for block in section.blocks:
        blocks += block.blocks if isinstance(block, Details) else [block]
    return blocks


def test_every_section_is_there(subject, page):
    keys = [section.key for section in page.sections]
    assert len(set(keys)) == len(keys)
    assert set(keys) >= set(EVERY)
    assert ('robot' in keys) == (subject.result.body is not None)
    assert page.verdict
    assert all(section.blocks for section in page.sections)


def test_the_verdict_agrees_with_the_result(subject, page):
    result = subject.result
    is_to_compare = not result.intervals_hold
    assert (page.headline == 'To compare only') == is_to_compare
    assert page.headline.startswith('Not') == (not result.is_usable and not is_to_compare)
    for name in result.estimate.not_identified()[:6]:
        assert name in page.verdict


def test_parameters_beside_their_prior(subject, page):
    """Every parameter once in the table, those that changed most first, and drawn in order."""
    estimate = subject.result.estimate
    table = next(each for each in blocks_of(page, 'parameters') if isinstance(each, Table))
    assert sorted(row[0] for row in table.rows) == sorted(estimate.names)
    order = [estimate.names.index(row[0]) for row in table.rows]
    scores = np.abs(estimate.values - subject.description) / estimate.std
    assert (np.diff(scores[order]) <= 1e-9).all()
    for row in table.rows:
        place = estimate.names.index(row[0])
        near = 0.06 * estimate.std[place]
        assert float(row[3]) == pytest.approx(estimate.values[place], abs=near)
    chart = next(each for each in blocks_of(page, 'parameters') if isinstance(each, Chart))
    drawn = {
        name: x for trace in chart.traces for name, x in zip(trace['y'], trace['x'], strict=True)
    }
    for name, score in drawn.items():
        place = estimate.names.index(name)
        assert abs(score) == pytest.approx(scores[place], rel=1e-9)


def test_residuals_of_all_readings(subject, page):
    """One chart for each sensor, whose histogram is that of the whitened misfit."""
    left = subject.result.residuals
    charts = [each for each in blocks_of(page, 'residuals') if isinstance(each, Chart)]
    assert len(charts) == len(left.sensors())
    for chart, places in zip(charts, left.sensors().values(), strict=True):
        steps = [each for each in chart.traces if each.get('line', {}).get('shape') == 'hvh']
        assert len(steps) == len(places)
        for step, place in zip(steps, places, strict=True):
            values = left.values[np.isfinite(left.values[:, place]), place]
            inside = values[np.abs(values) < 6.0]
            mean_square = np.sum(step['x'] ** 2 * step['y']) / np.sum(step['y'])
            if len(inside) == len(values):
                assert mean_square == pytest.approx(np.mean(values**2), rel=0.05, abs=0.05)


def test_the_errors_are_those_against_the_truth(subject, page):
    estimate = subject.result.estimate
    table = next(each for each in blocks_of(page, 'truth') if isinstance(each, Table))
    for row, value, std, true in zip(
        table.rows, estimate.values, estimate.std, subject.truth.values, strict=True
    ):
        assert float(row[-1]) == pytest.approx((value - true) / std, abs=0.006)


def test_the_page_is_small_and_quickly_written(subject):
    """Below six megabytes and three seconds, and whole: nothing is fetched from elsewhere."""
    begin = time.process_time()
    text = page_html(result_page(subject))
    assert time.process_time() - begin < 3.0
    assert len(text.encode()) < 6e6
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    for chart in re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL):
        json.loads(chart)


def test_the_mass_of_the_whole_is_as_uncertain_as_the_result_says(subject):
    """By differences of the robot as by the sum of its parameters."""
    result = subject.result
    whole = whole_body(result)
    if result.robot is None:
        assert whole is None or np.isnan(whole.found[0])
        return
    assert whole.found[0] == pytest.approx(result.robot.mass)
    assert whole.std[0] == pytest.approx(result.mass_std(), rel=1e-4)
    assert_allclose(whole.found[1:4], result.robot.com)


def test_links_are_as_uncertain_as_their_description_at_most(subject):
    """The data never add to what the description leaves open; masses are in kilograms."""
    bodies = link_bodies(subject.result)
    links = subject.result.links
    assert bool(bodies) == (links is not None and not links.contradicts_data)
    settings = getattr(subject.result.method, 'prior_settings', None)
    for body, link in zip(bodies, subject.result.method.model.links, strict=False):
        assert body.described[0] == pytest.approx(link.inertial.mass)
        assert 0.0 <= body.std[0] <= 1.001 * settings.relative_std * link.inertial.mass


def test_convergence_ends_at_the_estimate(subject):
    """With its values and standard deviations, which only fall; not by methods that solve once."""
    result = subject.result
    found = convergence(result, subject.record[: subject.used])
    of_the_end = type(result.method).finished is not Method.finished
    assert (found is None) == (result.method.solves_at_once or of_the_end)
    if found is None:
        return
    estimate = result.estimate
    assert (np.diff(found.times) > 0.0).all()
    distance = (found.values[-1] - estimate.values) / estimate.std
    assert np.abs(distance).max() < 0.5
    assert_allclose(found.std[-1], estimate.std, rtol=0.1)
    known = np.isfinite(found.std).all(axis=1)
    assert (np.diff(found.std[known], axis=0) <= 1e-9 * found.std[known][0]).all()


@pytest.mark.parametrize('name', SAMPLE_BY_SAMPLE)
@pytest.mark.parametrize('samples', [3, 60])
def test_the_page_of_a_few_samples_is_no_harm(tmp_path, name, samples):
    """As ``~/save`` writes it soon after the start, when next to nothing is known."""
    case = case_of(name)
    state = absorb(begin_identification(case.method), case.record[40 : 40 + samples])
    result = Result.of_state(state, np.zeros(len(case.method.model.joints)))
    written, failed = [], []
    writer = PageWriter(written.append, lambda *arguments: failed.append(arguments))
    assert writer.write(state, result, (), tmp_path / 'estimate.json')
    writer.close(60.0)
    if not state.recorded:
        ((_, error),) = failed
        assert str(error) == 'no samples were used since the start'
        return
    assert failed == []
    assert written == [tmp_path / 'estimate.html']
    assert '<section id="parameters">' in written[0].read_text()

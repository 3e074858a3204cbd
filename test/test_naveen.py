"""The experiment of papers/000: every printed number beside ours, and all claims hold."""

import csv
import json

import numpy as np
import pytest
from robots import dual_arm, published_parameters

from spacerobot_id.estimation import Rows
from spacerobot_id.evaluation import (
    NaveenSettings,
    reproduce_naveen,
    reproduction_as_json,
    reproduction_table,
)
from spacerobot_id.evaluation.naveen_estimation import least_squares
from spacerobot_id.evaluation.naveen_excitation import likely_orders, paper_order
from spacerobot_id.evaluation.naveen_published import published_naveen
from spacerobot_id.evaluation.naveen_validation import (
    predicted,
    prediction_errors,
    validation_motion,
)
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(name='result', scope='module')
def result_with_few_seeds(tmp_path_factory):
    return reproduce_naveen(
        tmp_path_factory.mktemp('naveen'), NaveenSettings(seeds=3, plans=1, restarts=1)
    )


def numbers_of(plain):
    """Return all numbers anywhere in plain values."""
    if isinstance(plain, dict):
        return {each for value in plain.values() for each in numbers_of(value)}
    if isinstance(plain, list):
        return {each for value in plain for each in numbers_of(value)}
    return {plain} if isinstance(plain, (int, float)) and not isinstance(plain, bool) else set()


def test_all_claims_hold(result):
    """With few seeds of the noise too."""
    assert [claim.text for claim in result.claims if not claim.holds] == []


def test_every_printed_number_is_in_the_output(result):
    """Tables 3 to 7, the counts of section 6.2, the condition number, noise and its shares."""
    printed = published_naveen()
    numbers = numbers_of(reproduction_as_json(result))
    wanted = [printed.kept, printed.dropped, printed.combinations, printed.condition_number]
    wanted += [*printed.significant.values(), *printed.significant_alone]
    wanted += [each for case in printed.cases for each in (case.median, case.largest)]
    wanted += [*printed.base_twist, *printed.joint_torques]
    wanted += [*printed.links_true.ravel(), *printed.links_offset.ravel()]
    wanted += [*np.rad2deg(printed.start), *np.rad2deg(printed.reach[:6]), printed.reach[6]]
    noise = printed.noise
    wanted += [noise.velocity, noise.rate, noise.joint_rate, noise.torque, 1, 3, 4, 10]
    wanted += [printed.u_max, printed.delta, printed.peak_momentum, printed.fourier_share]
    wanted += [*printed.offset_share, printed.freedom, printed.actuators, printed.interval]
    wanted += [printed.validation_frequency, printed.validation_harmonics]
    for row in published_parameters():
        wanted += [float(row[f'estimate_case_{case}']) for case in (1, 2, 3)]
    assert set(map(float, wanted)) <= set(map(float, numbers))


def test_ours_is_far_better_than_the_paper(result):
    """At the very least four times in the median, in every case and with either sensing."""
    medians = [claim for claim in result.claims if claim.text.endswith('ours, median')]
    assert len(medians) == 6
    assert all(claim.value < claim.published / 4.0 for claim in medians)


def test_pictures_and_text_are_there(result):
    """Three pictures that are no empty files; JSON without infinities; the table prints."""
    pictures = result.files[:3]
    assert [path.name for path in pictures] == ['figure_4.png', 'errors.png', 'validation.png']
    assert all(path.stat().st_size > 20_000 for path in pictures)
    json.dumps(reproduction_as_json(result), allow_nan=False)
    assert 'L6.my' in reproduction_table(result)


def test_the_curves_of_figure_4_are_there_as_data(result):
    """A row for each kept interval; the counts of the paper among them."""
    with result.files[3].open(encoding='utf-8') as table:
        rows = list(csv.DictReader(table))
    (kept,) = (claim.value for claim in result.claims if claim.text.endswith('Algorithm 1 keeps'))
    assert [int(row['interval']) for row in rows] == list(range(1, int(kept) + 1))
    together = [int(row['together_significant']) for row in rows]
    assert [together[count - 1] for count in (1, 3, 20, 40)] == [11, 20, 38, 46]
    assert float(rows[-1]['together_condition']) < 1000.0 < float(rows[0]['alone_condition'])


def test_a_claim_that_differs_says_why(result):
    """Where a number is off by more than a tenth, there is a sentence."""
    for claim in result.claims:
        if claim.published and abs(claim.value / claim.published - 1.0) > 0.1:
            assert claim.note.endswith('.') or claim.text.startswith('fewest')


def test_what_is_given_differs_only_where_a_sentence_says_why(result):
    """Tables 3 and the rest of section 6: the misprint of L2, and the rounded offsets."""
    tables = {table.title.partition(':')[0]: table for table in result.tables}
    links = tables['Table 3']
    assert len(links.rows) == 70
    assert [links.rows[row][0] for row in links.row_notes] == ['L2 y-CoM']
    for row in links.rows:
        np.testing.assert_allclose(row[4], row[5])
    given = tables['Section 6']
    for number, (_, paper, ours) in enumerate(given.rows):
        assert number in given.row_notes or ours == pytest.approx(paper, rel=1e-4)


def test_estimates_of_both_ways_of_sensing_are_there(result):
    """Table 5 twice, with the paper's columns in both and other estimates in ours."""
    rates, poses = (table for table in result.tables if table.title.startswith('Table 5'))
    assert [row[3] for row in rates.rows] == [row[3] for row in poses.rows]
    assert [row[5] for row in rates.rows] != [row[5] for row in poses.rows]


def test_orders_are_of_the_same_combinations():
    """Each of the 256 up to the sign of all: an actuator's fixed direction is a choice."""
    for directions in likely_orders().values():
        relative = directions * directions[:, :1]
        assert len(np.unique(relative, axis=0)) == 256
    assert (paper_order()[:, 0] == 1).all()


def test_least_squares_is_that_of_numpy():
    """On random rows."""
    rng = np.random.default_rng(0)
    rows = Rows(rng.normal(size=(30, 4)), rng.normal(size=30))
    expected = np.linalg.lstsq(rows.matrix, rows.right, rcond=None)[0]
    np.testing.assert_allclose(least_squares(rows), expected)


# The validation motion


def test_the_validation_motion_is_a_fourier_series():
    """Rates and accelerations are derivatives; two harmonics of pi/20 rad/s and no more."""
    motion = validation_motion(dual_arm())
    step = motion.times[1]
    for value, rate in ((motion.q, motion.qd), (motion.qd, motion.qdd)):
        differences = (value[2:] - value[:-2]) / (2.0 * step)
        np.testing.assert_allclose(differences, rate[1:-1], atol=2e-3 * np.abs(rate).max())
    spectrum = np.abs(np.fft.rfft(motion.qd, axis=0))
    assert motion.times[-1] + step == pytest.approx(40.0)
    assert spectrum[3:].max() < 1e-9 * spectrum.max()


def test_the_validation_motion_reaches_the_limits_of_the_rates():
    """Of joints and of wheels, and does not pass them."""
    motion, model = validation_motion(dual_arm()), dual_arm()
    limits = [joint.limits.velocity for joint in model.joints]
    np.testing.assert_allclose(np.abs(motion.qd).max(axis=0), limits)
    wheels = [wheel.rate_limit for wheel in model.wheels]
    np.testing.assert_allclose(np.abs(motion.wheel_rates).max(axis=0), wheels)


def test_the_true_parameters_predict_without_error():
    """And others predict with the error that numpy's differences have."""
    model, minimal = dual_arm(), minimal_parameters(dual_arm())
    values, motion = minimal.values(model), validation_motion(dual_arm())
    want = predicted(model, minimal, values, motion)
    assert prediction_errors(want, want).base_twist.max() == 0.0
    off = predicted(model, minimal, 1.1 * values, motion)
    error = prediction_errors(want, off).joint_torques
    plain = np.sqrt(np.mean((off.joint_torques - want.joint_torques) ** 2, axis=0))
    np.testing.assert_allclose(error, plain)
    assert error.min() > 0.0

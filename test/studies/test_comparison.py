"""Pairs of numbers and their tolerances, and the command that reproduces results."""

import json
import subprocess
import sys

import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.cli import reproduce
from spacerobot_id.lab.papers import STUDIES
from spacerobot_id.lab.papers.comparison import (
    ComparisonTable,
    Pair,
    Reproduction,
    rule,
    Tolerance,
)
from spacerobot_id.lab.papers.published import Entry, Paper, published
from spacerobot_id.lab.papers.result_text import result_as_json, result_as_text

WHY = 'It is an example.'
EQUAL = rule('equal', 1e-9, WHY)


def demand(text, ours, tolerance, where, unit=''):
    """Return a number of ours that is printed nowhere."""
    return Pair(text, where, ours, tolerance, unit)


GOOD = demand('drift', 1e-12, Tolerance(-np.inf, 1e-9, WHY), 'ours', 'm')
BAD = demand('share', 0.5, Tolerance(0.9, 1.0, WHY), 'ours')


# Tolerances and pairs


@pytest.mark.parametrize(
    ('value', 'holds'),
    [(1.0, True), (2.0, True), (0.9, False), (2.1, False), (np.nan, False), (np.inf, False)],
)
def test_a_number_holds_within_its_limits(value, holds):
    """Limits belong to it; what is no number keeps none."""
    assert Tolerance(1.0, 2.0, WHY).holds(value) is holds


def test_an_infinite_value_holds_nothing():
    """Not even where it is on the right side of the only limit."""
    assert not demand('largest', np.inf, Tolerance(0.0, np.inf, WHY), 'ours').holds


@pytest.mark.parametrize(
    ('limits', 'reason', 'message'),
    [
        ((-np.inf, np.inf), WHY, 'has a limit'),
        ((np.nan, np.nan), WHY, 'has a limit'),
        ((2.0, 1.0), WHY, 'no number'),
        ((0.0, np.nan), WHY, 'no number'),
        ((0.0, 1.0), '', 'reason'),
        ((0.0, 1.0), 'because', 'sentence'),
    ],
)
def test_a_tolerance_without_limit_or_reason_cannot_be_made(limits, reason, message):
    with pytest.raises(ConfigurationError, match=message):
        Tolerance(*limits, reason)


@pytest.mark.parametrize(('at_least', 'at_most'), [(50.0, 200.0), (90.0, np.inf), (-1.0, 1.0)])
def test_a_wide_tolerance_says_what_it_refuses(at_least, at_most):
    """By the distance of its limits from the printed number; without one it need not."""
    with pytest.raises(ConfigurationError, match='say what they refuse'):
        Pair('mass', 'Table 1', 100.0, Tolerance(at_least, at_most, WHY), 'kg', 'mass', 100.0)
    tolerance = Tolerance(at_least, at_most, WHY, 'It refuses much.')
    assert Pair('mass', 'Table 1', 100.0, tolerance, 'kg', 'mass', 100.0).paper == 100.0
    assert demand('mass', 100.0, Tolerance(at_least, at_most, WHY), 'ours').paper is None
    narrow = Tolerance(80.0, 120.0, WHY)
    assert Pair('mass', 'Table 1', 100.0, narrow, 'kg', 'mass', 100.0).holds


def test_a_printed_number_has_a_key():
    """And a number that is not printed has none."""
    with pytest.raises(ConfigurationError, match='has a key'):
        Pair('mass', 'Table 1', 1.0, Tolerance(0.9, 1.1, WHY), paper=1.0)
    with pytest.raises(ConfigurationError, match='has a key'):
        Pair('mass', 'Table 1', 1.0, Tolerance(0.9, 1.1, WHY), key='mass')


@pytest.mark.parametrize(
    ('rule', 'printed', 'limits'),
    [
        (EQUAL, 4.0, (4.0, 4.0)),
        (rule('near', 0.5, WHY), -4.0, (-4.5, -3.5)),
        (rule('factor', 2.0, WHY), 4.0, (2.0, 8.0)),
        (rule('factor', 2.0, WHY), -4.0, (-8.0, -2.0)),
        (rule('instead', -1.0, WHY), 4.0, (-1.0001, -0.9999)),
        (rule('within', (0.0, 1.0), WHY), 4.0, (0.0, 1.0)),
        (rule('from', 1.0, WHY), 4.0, (1.0, 4.0)),
        (rule('up_to', 0.25, WHY), 4.0, (0.0, 1.0)),
        (rule('no_more', 1.0, WHY), -4.0, (-4.0, 4.0)),
    ],
)
def test_rules_give_limits_for_printed_numbers(rule, printed, limits):
    tolerance = rule(printed)
    assert (tolerance.at_least, tolerance.at_most) == pytest.approx(limits)


# What is printed


PAPER = Paper(
    'one',
    'One, of nobody',
    {
        'mass': Entry('mass', 'Table 1', {'': 2.0}, 'kg', tolerance=EQUAL),
        'rates': Entry(
            'rate',
            'Table 2',
            {'0.0': 1, '0.1': 2, '1.0': 3, '1.1': 4},
            'rad/s',
            tolerance=EQUAL,
        ),
        'named': Entry(
            'start',
            'Table 2',
            {'0': 5, '1': 6},
            labels=[['x', 'y']],
            tolerance=EQUAL,
            tolerances={'1': rule('near', 1.0, WHY)},
        ),
        'counts': Entry('rank after', 'Figure 1', {'1': 11, '20': '38.50'}, tolerance=EQUAL),
        'noise': Entry('noise', 'Section 1', {'': 1.0}, not_compared='It is not measured.'),
    },
)


def test_printed_numbers_have_keys_texts_and_places():
    """Indices count from 1 in words, but for labels and for numbers that the paper gives."""
    assert PAPER.keys() == [
        *('mass', 'rates.0.0', 'rates.0.1', 'rates.1.0', 'rates.1.1'),
        *('named.0', 'named.1', 'counts.1', 'counts.20'),
    ]
    pairs = PAPER.pairs(
        {
            'mass': 2.0,
            'rates': [[1, 2], [3, 4]],
            'named': [5, 7],
            'counts': {'1': 11, '20': 38.5},
        }
    )
    assert [pair.key for pair in pairs] == PAPER.keys()
    assert all(pair.holds for pair in pairs)
    texts = [pair.text for pair in pairs]
    assert texts[:2] == ['mass', 'rate, 1, 1']
    assert texts[5:] == ['start, x', 'start, y', 'rank after, 1', 'rank after, 20']
    assert (pairs[0].where, pairs[0].unit, pairs[0].paper) == ('Table 1', 'kg', 2.0)
    assert PAPER.last_digit('counts.20') == pytest.approx(0.01)


def test_numbers_that_are_not_printed_are_refused():
    """A key that is not there, and arrays of another shape."""
    for key in ('weight', 'mass.0', 'rates'):
        with pytest.raises(ConfigurationError, match=f'nothing is printed under {key}'):
            PAPER.pair(key, 1.0)
    with pytest.raises(ConfigurationError, match='shape'):
        PAPER.pairs({'rates': [1, 2]})


COMPARED_WITH_DRAWS = (
    'christidi: true_values',
    'christidi: equations_of_motion_with_',
    'christidi: angular_momentum_with_',
    'naveen: estimates_',
)
"""Tables whose limits follow from our distribution, or from the last digit."""


@pytest.mark.parametrize('name', STUDIES)
def test_everything_printed_has_a_text_and_a_place(name):
    """Also in the files that come with the package; what is given may be from elsewhere."""
    for key, entry in published(name).entries.items():
        places = 'Table', 'Figure', 'Section', *["Author's", 'Ours'] * bool(entry.not_compared)
        assert entry.text, key
        assert entry.where.startswith(places), key
        assert entry.values, key
        if f'{name}: {key}'.startswith(COMPARED_WITH_DRAWS):
            assert not entry.tolerance, key
            assert not entry.not_compared, key
        else:
            assert bool(entry.tolerance) != bool(entry.not_compared), key


def test_what_is_asked_of_ours_has_limits_too():
    """That may follow from a number; its text has what it is asked of."""
    limits = rule('up_to', 0.5, WHY)
    asked = Entry('{case}: error', 'ours, {place}', {}, '%', tolerance=limits)
    pair = Paper('one', 'title', {}, {'error': asked}).demand(
        'error', 2.0, 6.0, case='a', place='there'
    )
    assert (pair.text, pair.where, pair.unit, pair.key) == ('a: error', 'ours, there', '%', '')
    assert (pair.tolerance.at_least, pair.tolerance.at_most) == (0.0, 3.0)
    assert pair.paper is None


# Results as text and as JSON


def test_a_result_holds_if_all_of_it_does():
    """One number that fails is enough."""
    assert Reproduction('one', 'title', [GOOD], []).holds
    assert not Reproduction('one', 'title', [GOOD, BAD], []).holds
    assert Reproduction('one', 'title', [GOOD, BAD], []).failing == [BAD]


def test_the_text_names_what_fails(tmp_path):
    """A line for each number with its verdict and limits, then the files."""
    text = result_as_text(Reproduction('one', 'title', [GOOD, BAD], [tmp_path / 'a.png']))
    assert 'drift  1e-12  m  holds (at most 1e-09) [1]' in text
    assert 'share    0.5     FAILS (0.9 to 1) [1]' in text
    assert text.endswith('a.png')


def test_the_paper_stands_beside_ours_and_says_why_it_differs():
    """By its place in the paper; a sentence once, though two numbers need it."""
    words = 'Ours weighs the noise.', 'It refuses more.'
    better, far = Tolerance(0.0, 2.08, *words), Tolerance(0.0, 60000.0, *words)
    pairs = [
        Pair('error', 'Table 6', 0.2, better, '%', 'a', 2.08),
        Pair('largest', 'Table 6', 100 / 3, far, '%', 'b', 51817.41),
        demand('lost', np.nan, Tolerance(0.0, 1.0, 'It is to be there.'), 'ours'),
    ]
    lines = result_as_text(Reproduction('one', 'title', pairs, [])).splitlines()
    assert [line.split() for line in lines[2:7]] == [
        ['Table', '6'],
        [],
        ['ours', 'paper'],
        ['error', '0.2', '2.08', '%', 'holds', '(0', 'to', '2.08)', '[1]', '[2]'],
        ['largest', '33.333', '51817.41', '%', 'holds', '(0', 'to', '60000)', '[1]', '[2]'],
    ]
    assert lines[8:10] == ['  [1] Ours weighs the noise.', '  [2] It refuses more.']
    assert lines[13].split() == ['lost', 'nan', 'FAILS', '(0', 'to', '1)', '[3]']


def test_of_many_numbers_those_that_fail_are_listed():
    """Or the closest to a limit; how many hold is said."""
    one = Tolerance(0.0, 1.0, WHY, 'It refuses two.')
    pairs = [Pair(f'pi_{k}', 'Table 3', 0.5, one, '', f'pi.{k}', 0.5) for k in range(30)]
    close = Pair('close', 'Table 3', 0.99, one, '', 'close', 0.5)
    text = result_as_text(Reproduction('one', 'title', [*pairs, close], []))
    assert '31 of 31 hold' in text
    assert 'close' in text
    assert 'pi_3' not in text
    off = Pair('off', 'Table 3', 2.0, one, '', 'off', 0.5)
    text = result_as_text(Reproduction('one', 'title', [*pairs, close, off], []))
    assert '31 of 32 hold' in text
    assert 'off' in text
    assert 'close  ' not in text


def test_tables_are_printed_and_stored():
    """Words to the left, numbers to the right; what there is not is a dash, and null."""
    table = ComparisonTable('Table 5', ('name', 'true'), (('mass', 2265.0), ('Ixx', None)))
    result = Reproduction('one', 'title', [GOOD], [], [table])
    assert 'Table 5\n\n  name  true\n  mass  2265\n  Ixx      -\n' in result_as_text(result)
    stored = json.loads(json.dumps(result_as_json(result)))['tables']
    assert stored == [
        {
            'title': 'Table 5',
            'heads': ['name', 'true'],
            'rows': [['mass', 2265.0], ['Ixx', None]],
            'note': '',
        }
    ]


def test_tables_say_why_they_differ():
    """By a sentence that their title names."""
    table = ComparisonTable('Table I', ('', 'ours'), (('r', 1.0),), 'One robot of two.')
    result = Reproduction('one', 'title', [GOOD], [], [table])
    lines = result_as_text(result).splitlines()
    assert 'Table I [2]' in lines
    assert lines[lines.index('Table I [2]') + 3].split() == ['r', '1']
    assert '  [2] One robot of two.' in lines
    (stored,) = result_as_json(result)['tables']
    assert stored['note'] == 'One robot of two.'


def test_json_has_no_infinities():
    """A limit that there is not, and a value that is none, are null."""
    lost = demand('lost', np.nan, Tolerance(0.0, 1.0, WHY), 'ours')
    result = Reproduction('one', 'title', [GOOD, lost], [])
    plain = json.loads(json.dumps(result_as_json(result), allow_nan=False))
    assert plain['pairs'][0]['at_least'] is None
    assert plain['pairs'][0]['at_most'] == 1e-9
    assert plain['pairs'][1]['ours'] is None
    assert plain['holds'] is False


# The command


def pretend(monkeypatch, results):
    """Let the command know some results, each a function of a folder."""
    monkeypatch.setattr(reproduce, 'STUDIES', tuple(results))
    monkeypatch.setattr(reproduce, 'study', results.__getitem__)


@pytest.mark.parametrize(('pair', 'code'), [(GOOD, 0), (BAD, 1)])
def test_the_command_fails_if_a_number_does(pair, code, tmp_path, monkeypatch, capsys):
    """It prints the table, writes the result, and says in its exit code how it went."""

    def result(folder):
        return Reproduction('wilde', 'title', [pair], [folder / 'a.png'])

    pretend(monkeypatch, {'wilde': result})
    assert main(['reproduce', 'wilde', '--out', str(tmp_path / 'new')]) == code
    assert pair.text in capsys.readouterr().out
    stored = json.loads((tmp_path / 'new' / 'result.json').read_text(encoding='utf-8'))
    assert stored['holds'] is (code == 0)


def test_by_default_results_go_to_a_folder_of_their_own(tmp_path, monkeypatch, capsys):
    """Under out/reproduce in the present folder."""
    monkeypatch.chdir(tmp_path)
    pretend(monkeypatch, {'wilde': lambda _folder: Reproduction('wilde', 'title', [GOOD], [])})
    assert main(['reproduce', 'wilde', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['name'] == 'wilde'
    assert (tmp_path / 'out/reproduce/wilde/result.json').is_file()


def test_an_unknown_result_is_wrong_usage(capsys):
    """The error lists those that there are; the exit code is 2."""
    with pytest.raises(SystemExit) as stopped:
        main(['reproduce', 'nobody'])
    assert stopped.value.code == 2
    assert 'wilde' in capsys.readouterr().err


def three_results():
    """Return a table of results of which the second fails."""
    return {
        name: lambda _folder, name=name, pair=pair: Reproduction(name, 'title', [pair], [])
        for name, pair in (('a', GOOD), ('b', BAD), ('c', GOOD))
    }


def test_all_results_run_though_one_fails(tmp_path, monkeypatch, capsys):
    """Each into its own folder; the summary at the end names what fails; exit code 1."""
    pretend(monkeypatch, three_results())
    assert main(['reproduce', 'all', '--out', str(tmp_path)]) == 1
    summary = capsys.readouterr().out.splitlines()[-4:]
    assert summary[0].startswith('a: 1 numbers, 0 of them printed in the paper, all hold')
    assert summary[1].startswith('b: 1 numbers, 0 of them printed in the paper, 1 FAIL')
    assert summary[2] == '  FAILS share'
    assert all((tmp_path / name / 'result.json').is_file() for name in 'abc')


def test_all_results_in_one_json_object(tmp_path, monkeypatch, capsys):
    """Nothing else on standard output."""
    results = three_results()
    pretend(monkeypatch, {'a': results['a'], 'c': results['c']})
    assert main(['reproduce', 'all', '--json', '--out', str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed['holds'] is True
    assert [each['name'] for each in printed['results']] == ['a', 'c']


def test_one_that_cannot_be_computed_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    """The reason is in the summary, the exit code is 1."""

    def broken(_folder):
        raise ConfigurationError('casadi is missing')

    pretend(monkeypatch, {'a': broken, 'c': three_results()['c']})
    assert main(['reproduce', 'all', '--out', str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-2] == 'a: FAILED, casadi is missing'
    assert main(['reproduce', 'all', '--json', '--out', str(tmp_path)]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed['failed'] == {'a': 'casadi is missing'}
    assert [each['name'] for each in printed['results']] == ['c']


def printed_by(script):
    command = [sys.executable, '-c', script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_command_imports_no_study_before_it_runs_one():
    """Neither a study, nor matplotlib, nor scipy for the list of names."""
    script = (
        'import sys, spacerobot_id.lab.cli.reproduce\n'
        'print([name for name in sys.modules if name.startswith(("spacerobot_id.lab.papers.", '
        '"matplotlib", "scipy", "numpy"))])'
    )
    done = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == '[]'


@pytest.mark.parametrize('name', STUDIES)
def test_a_study_imports_matplotlib_when_it_draws(name):
    script = (
        f'import sys, spacerobot_id.lab.papers.{name}.reproduction\n'
        'print("matplotlib" in sys.modules)'
    )
    done = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == 'False'

"""Published results: limits that hold or fail, and the command that reproduces them."""

import json

import numpy as np
import pytest

from spacerobot_id.cli import reproduce
from spacerobot_id.cli.main import main
from spacerobot_id.evaluation import (
    Claim,
    ComparisonTable,
    Reproduction,
    reproduction_as_json,
    reproduction_table,
)
from spacerobot_id.exceptions import ConfigurationError

GOOD = Claim('drift', 1e-12, 'm', at_most=1e-9)
BAD = Claim('share', 0.5, at_least=0.9, at_most=1.0)


@pytest.mark.parametrize(
    ('value', 'holds'), [(1.0, True), (2.0, True), (0.9, False), (2.1, False), (np.nan, False)]
)
def test_a_claim_holds_within_its_limits(value, holds):
    """Limits belong to it; what is no number keeps none."""
    assert Claim('ratio', value, at_least=1.0, at_most=2.0).holds is holds


def test_an_infinite_value_holds_nothing():
    """Not even where no limit is given."""
    assert not Claim('largest', np.inf).holds


def test_a_result_holds_if_all_of_it_does(tmp_path):
    """One claim that fails is enough."""
    assert Reproduction('one', 'title', [GOOD], []).holds
    assert not Reproduction('one', 'title', [GOOD, BAD], []).holds


def test_the_table_names_what_fails(tmp_path):
    """A line for each claim with its verdict and limits, then the files."""
    text = reproduction_table(Reproduction('one', 'title', [GOOD, BAD], [tmp_path / 'a.png']))
    assert 'drift  1e-12  m  holds (at most 1e-09)' in text
    assert 'share    0.5     FAILS (at least 0.9, at most 1)' in text
    assert text.endswith('a.png')


def test_the_paper_stands_beside_ours_and_says_why_it_differs():
    """A column for what is published; a sentence once, though two numbers need it."""
    claims = [
        Claim('error', 0.2, '%', at_most=2.08, published=2.08, note='ours weighs the noise'),
        Claim('largest', 20.0, '%', published=174.02, note='ours weighs the noise'),
        Claim('lost', np.nan),
    ]
    lines = reproduction_table(Reproduction('one', 'title', claims, [])).splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ['ours', 'paper'],
        ['error', '0.2', '2.08', '%', 'holds', '(at', 'most', '2.08)', '[1]'],
        ['largest', '20', '174.02', '%', 'beside', '[1]'],
        ['lost', 'nan', '-', 'FAILS', '(no', 'number)'],
    ]
    assert '  [1] ours weighs the noise' in lines


def test_printed_numbers_keep_their_digits():
    """Those of a paper as it prints them, computed ones to five digits."""
    claim = Claim('largest', 100.0 / 3.0, '%', published=51817.41)
    row = reproduction_table(Reproduction('one', 'title', [claim], [])).splitlines()[3]
    assert row.split() == ['largest', '33.333', '51817.41', '%', 'beside']


def test_tables_are_printed_and_stored():
    """Words to the left, numbers to the right; what there is not is a dash, and null."""
    table = ComparisonTable('Table 5', ('name', 'true'), (('mass', 2265.0), ('Ixx', None)))
    result = Reproduction('one', 'title', [GOOD], [], [table])
    assert 'Table 5\n\n  name  true\n  mass  2265\n  Ixx      -\n' in reproduction_table(result)
    stored = json.loads(json.dumps(reproduction_as_json(result)))['tables']
    assert stored == [
        {
            'title': 'Table 5',
            'heads': ['name', 'true'],
            'rows': [['mass', 2265.0], ['Ixx', None]],
            'note': '',
            'row_notes': ['', ''],
        }
    ]


def test_a_table_says_why_it_differs():
    """Numbers go on from those of the claims; a sentence that is known is not said again."""
    claim = Claim('r', 1.0, published=0.1, note='Table III needs it.')
    table = ComparisonTable(
        'given',
        ('quantity', 'paper', 'ours'),
        (('r', 0.1, 1.0), ('m', 10.0, 10.0), ('gyro', 3.0, 0.3)),
        'One robot of two.',
        {0: 'Table III needs it.', 2: 'The text swaps them.'},
    )
    result = Reproduction('one', 'title', [claim], [], [table])
    lines = reproduction_table(result).splitlines()
    assert lines[4:6] == ['', '  [1] Table III needs it.']
    assert lines[7] == 'given [2]'
    assert [line.split() for line in lines[10:13]] == [
        ['r', '0.1', '1', '[1]'],
        ['m', '10', '10'],
        ['gyro', '3', '0.3', '[3]'],
    ]
    assert lines[13:16] == ['', '  [2] One robot of two.', '  [3] The text swaps them.']
    (stored,) = reproduction_as_json(result)['tables']
    assert stored['note'] == 'One robot of two.'
    assert stored['row_notes'] == ['Table III needs it.', '', 'The text swaps them.']


def test_json_has_no_infinities():
    """A limit that there is not, and a value that is none, are null."""
    result = Reproduction('one', 'title', [GOOD, Claim('lost', np.nan)], [])
    plain = json.loads(json.dumps(reproduction_as_json(result), allow_nan=False))
    assert plain['claims'][0]['at_least'] is None
    assert plain['claims'][0]['at_most'] == 1e-9
    assert plain['claims'][1]['value'] is None
    assert plain['holds'] is False


@pytest.mark.parametrize(('claim', 'code'), [(GOOD, 0), (BAD, 1)])
def test_the_command_fails_if_a_claim_does(claim, code, tmp_path, monkeypatch, capsys):
    """It prints the table, writes the result, and says in its exit code how it went."""

    def result(folder):
        return Reproduction('wilde', 'title', [claim], [folder / 'a.png'])

    monkeypatch.setattr(reproduce, '_RESULTS', {'wilde': result})
    assert main(['reproduce', 'wilde', '--out', str(tmp_path / 'new')]) == code
    assert claim.text in capsys.readouterr().out
    stored = json.loads((tmp_path / 'new' / 'result.json').read_text(encoding='utf-8'))
    assert stored['holds'] is (code == 0)


def test_by_default_results_go_to_a_folder_of_their_own(tmp_path, monkeypatch, capsys):
    """Under out/reproduce in the present folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        reproduce,
        '_RESULTS',
        {'wilde': lambda _folder: Reproduction('wilde', 'title', [GOOD], [])},
    )
    assert main(['reproduce', 'wilde', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['name'] == 'wilde'
    assert (tmp_path / 'out/reproduce/wilde/result.json').is_file()


def test_an_unknown_result_is_wrong_usage(capsys):
    """The error lists those that there are; the exit code is 2."""
    with pytest.raises(SystemExit) as stopped:
        main(['reproduce', 'nobody'])
    assert stopped.value.code == 2
    assert 'wilde' in capsys.readouterr().err


def three_results(folder):
    """Return a table of results of which the second fails."""
    return {
        name: lambda _folder, name=name, claim=claim: Reproduction(name, 'title', [claim], [])
        for name, claim in (('a', GOOD), ('b', BAD), ('c', GOOD))
    }


def test_all_results_run_though_one_fails(tmp_path, monkeypatch, capsys):
    """Each into its own folder; the summary at the end names the claim that fails; exit code 1."""
    monkeypatch.setattr(reproduce, '_RESULTS', three_results(tmp_path))
    assert main(['reproduce', 'all', '--out', str(tmp_path)]) == 1
    summary = capsys.readouterr().out.splitlines()[-4:]
    assert summary[0].startswith('a: 1 numbers, all claims hold')
    assert summary[1].startswith('b: 1 numbers, 1 FAIL')
    assert summary[2] == '  FAILS share'
    assert all((tmp_path / name / 'result.json').is_file() for name in 'abc')


def test_all_results_in_one_json_object(tmp_path, monkeypatch, capsys):
    """Nothing else on standard output."""
    results = three_results(tmp_path)
    monkeypatch.setattr(reproduce, '_RESULTS', {'a': results['a'], 'c': results['c']})
    assert main(['reproduce', 'all', '--json', '--out', str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed['holds'] is True
    assert [each['name'] for each in printed['results']] == ['a', 'c']


def test_one_that_cannot_be_computed_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    """The reason is in the summary, the exit code is 1."""

    def broken(_folder):
        raise ConfigurationError('casadi is missing')

    results = {'a': broken, 'c': three_results(tmp_path)['c']}
    monkeypatch.setattr(reproduce, '_RESULTS', results)
    assert main(['reproduce', 'all', '--out', str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-2] == 'a: FAILED, casadi is missing'
    assert main(['reproduce', 'all', '--json', '--out', str(tmp_path)]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed['failed'] == {'a': 'casadi is missing'}
    assert [each['name'] for each in printed['results']] == ['c']

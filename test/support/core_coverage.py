"""What the tests run of the core, by room: lines and branches, and the files that lack most.

``make coverage`` measures and prints; the exit code is 1 below 95 % of the lines.
"""

from collections import defaultdict
import json
from pathlib import Path
import sys
import tempfile

from coverage import Coverage

WANTED = 0.95
"""Share of the core's lines that the tests have to run."""

_WORST = 15
"""Files that are named."""


def measured():
    """Return the totals of each file, by its path."""
    coverage = Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'coverage.json'
        coverage.json_report(outfile=str(path))
        files = json.loads(path.read_text())['files']
    return {
        path: each['summary'] | {'missing': each['missing_lines']} for path, each in files.items()
    }


def shares(found):
    """Return the shares of lines and of branches that ran, of some files."""
    lines, run, branches, taken = (
        sum(each[key] for each in found)
        for key in ('num_statements', 'covered_lines', 'num_branches', 'covered_branches')
    )
    return run / max(lines, 1), taken / branches if branches else 1.0


def spans(lines):
    """Return line numbers as text, runs of them from first to last."""
    runs = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ', '.join(str(first) if first == last else f'{first}-{last}' for first, last in runs)


def main():
    """Print the tables; return 1 if less is run than is wanted."""
    files = measured()
    rooms = defaultdict(list)
    for path, each in files.items():
        parts = Path(path).parts
        rooms[parts[1] if len(parts) > 2 else 'files beside'].append(each)
    rows = ['| room | lines | run, % | branches taken, % |', '|---|---|---|---|']
    for name, found in [*sorted(rooms.items()), ('the core', [*files.values()])]:
        lines, branches = shares(found)
        count = sum(each['num_statements'] for each in found)
        rows.append(f'| {name} | {count} | {100.0 * lines:.1f} | {100.0 * branches:.1f} |')
    rows += ['', '| file | lines that no test runs |', '|---|---|']
    worst = sorted(files.items(), key=lambda item: -len(item[1]['missing']))[:_WORST]
    rows += [f'| {path} | {spans(each["missing"])} |' for path, each in worst if each['missing']]
    sys.stdout.write('\n'.join(rows) + '\n')
    return int(shares(files.values())[0] < WANTED)


if __name__ == '__main__':
    sys.exit(main())

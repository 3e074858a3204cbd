"""Everything that reads what others wrote, and good files to begin from."""

import argparse
from collections.abc import Callable
import contextlib
from dataclasses import dataclass
from functools import cache
import hashlib
import io
import json
from pathlib import Path
import random
import shutil

from build_robots import ROBOTS
import numpy as np
from reference_logs import log_of_record
from small_robot import small_robot_prior

from fuzzing.mutation import HOSTILE, mutated
from spacerobot_id.cli.main import add_options, COMMANDS, main
from spacerobot_id.estimation import begin_identification
from spacerobot_id.estimation.batch.identify import log_from_streams
from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.estimation.write_back.output_yaml import load_output
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_node_settings import load_plan_request
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, write_robot
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.report.result_files import load_result

CONFIG = ROBOTS.parent
WRITING = ('out', 'out_urdf', 'write_to')
"""Options that name what is written: they stay within the folder of the case."""

_PARSED_ONLY = ('demo', 'bench', 'reproduce', 'plan', 'simulate', 'inject-faults')
"""Commands that work for longer than a case may take: their command line is read, no more."""

_STARTS_NODE = '--live'
"""Option with which a command starts a node, which no case may: likewise."""


@dataclass(frozen=True)
class Target:
    """One thing that reads files.

    Parameters
    ----------
    name : str
        What it reads.
    run : callable
        Writes a case into a folder, and reads it.
    """

    name: str
    run: Callable[[Path, random.Random], object]


def _file_target(name, seeds, read):
    """Return a target that reads one file, mutated from good ones."""
    suffix, contents = seeds[0].suffix, [path.read_bytes() for path in seeds]

    def run(folder, rng):
        path = folder / f'case{suffix}'
        path.write_bytes(mutated(rng.choice(contents), contents, rng))
        read(path)

    return Target(name, run)


def targets(corpus: Path) -> tuple[Target, ...]:
    """Return all targets; good files that have to be made first are put into a folder."""
    robots = [CONFIG / 'robots' / f'{name}.urdf' for name in ('naveen_dual_arm', 'space_cobot')]
    write_robot(small_robot_prior(), corpus / 'robot.urdf')
    bags = _bags(corpus)
    return (
        _file_target('urdf', [*robots, corpus / 'robot.urdf'], load_robot),
        _file_target(
            'robot.yaml',
            [corpus / 'robot.yaml', CONFIG / 'robots' / 'air_bearing.yaml'],
            lambda path: load_robot(corpus / 'robot.urdf', path),
        ),
        _file_target('adapter', sorted((CONFIG / 'adapters').glob('*.yaml')), load_adapter),
        _file_target('output', sorted((CONFIG / 'outputs').glob('*.yaml')), load_output),
        _file_target('parameters', [_parameters(corpus)], load_identify_settings),
        _file_target('planner parameters', [_parameters(corpus)], load_plan_request),
        _file_target('plan', _plans(corpus), load_plan),
        Target('checkpoint', _checkpoint),
        _file_target('result', [_result(corpus)], load_result),
        Target('bag', lambda folder, rng: _bag(bags, folder, rng)),
        Target('command line', lambda folder, rng: _command(corpus, bags, folder, rng)),
    )


def _parameters(corpus):
    path = corpus / 'parameters.yaml'
    path.write_text(
        'estimator:\n  ros__parameters:\n    method: momentum\n    planar: false\n'
        '    most_samples: 60000\n    known_angular_momentum: [0.0, 0.0, 0.0]\n'
        '    buffer_size: 2000\n/**:\n  ros__parameters:\n    use_sim_time: true\n'
        'planner:\n  ros__parameters:\n    method: momentum\n    intervals: 20\n'
        '    interval: 3.0\n    draws: 50\n    keep_in_box: []\n'
    )
    return path


def _plans(corpus):
    path = corpus / 'plan.yaml'
    path.write_text('names: [a, b]\ndurations: [1.0, 2.0]\nknots: [[0, 0], [0.1, 0.2], [0, 0]]\n')
    fourier = corpus / 'fourier.yaml'
    fourier.write_text(
        'family: fourier_quintic\nnames: [a]\nduration: 30.0\nrate_cosines: [[0.1], [0.2]]\n'
        'rate_sines: [[0.1], [0.2]]\nstart: [0.0]\nend: [0.0]\n'
    )
    return [path, fourier]


def _result(corpus):
    path = corpus / 'result.json'
    columns = {key: [1.0, 2.0] for key in ('values', 'std', 'prior', 'prior_std')}
    path.write_text(
        json.dumps(
            {
                'schema': 1,
                'method': 'momentum',
                'robot_name': 'a',
                'usable': True,
                'parameters': {'names': ['a', 'b'], 'units': ['kg', 'kg m'], **columns},
            }
        )
    )
    return path


@cache
def _fresh():
    return begin_identification(Momentum.from_model(small_robot_prior()))


def _checkpoint(_folder, rng):
    """Read a checkpoint that is damaged, or whole with something else in it."""
    text = checkpoint_text(_fresh(), 'settings')
    if rng.random() < 0.5:
        data = mutated(text.encode(), [text.encode()], rng)
        restored(_fresh(), data.decode(errors='replace'), 'settings')
        return
    content = json.loads(text)
    del content['integrity']
    key = rng.choice(list(content))
    content[key] = rng.choice([None, [], {}, -1, 1e308, 'x', [[1.0]], [None], 'NaN', True, 2**70])
    whole = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    restored(_fresh(), json.dumps({**content, 'integrity': whole}), 'settings')


def _bags(corpus):
    """Return folders with a log of a second, mcap and sqlite3."""
    model, times = small_robot_prior(), np.arange(0.0, 1.0, 0.02)
    phase = np.outer(times, np.arange(1.0, 6.0))
    q, qd, wheels = np.sin(phase[:, :2]), np.cos(phase[:, :2]), 50.0 * np.cos(phase[:, 2:])
    twist = base_twist_from_momentum(model, q, qd, wheels)
    streams = log_of_record(model, Record(times, q, qd, wheels, twist))
    for storage in BagStorage:
        write_bag(corpus / storage.value, streams, storage)
    return [corpus / storage.value for storage in BagStorage]


def _bag(bags, folder, rng):
    """Read a log of which a file is mutated."""
    bag = _mutated_bag(bags, folder, rng)
    log_from_streams(small_robot_prior(), read_bag(bag), IdentifySettings())


def _mutated_bag(bags, folder, rng):
    bag = folder / 'bag'
    shutil.rmtree(bag, ignore_errors=True)
    shutil.copytree(rng.choice(bags), bag)
    path = rng.choice(sorted(bag.iterdir()))
    path.write_bytes(mutated(path.read_bytes(), [path.read_bytes()], rng))
    return bag


@cache
def _options(command):
    """Return the options of a command."""
    parser = argparse.ArgumentParser()
    add_options(command, parser)
    return tuple(each for each in parser._actions if each.dest != 'help')


def _command(corpus, bags, folder, rng):
    """Call a command with some of its options, some of them hostile."""
    command = rng.choice(list(COMMANDS))
    words = [command]
    for option in _options(command):
        if option.option_strings and not option.required and rng.random() < 0.8:
            continue
        if option.option_strings:
            words.append(option.option_strings[-1])
        if option.nargs == 0:
            continue
        count = option.nargs if isinstance(option.nargs, int) else 1
        words += [_value(option, corpus, bags, folder, rng) for _ in range(count)]
    parse_only = command in _PARSED_ONLY or _STARTS_NODE in words
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            code = _parsed(words) if parse_only else main(words)
        except SystemExit as stop:
            code = stop.code
    assert code in (0, 1, 2), f'exit code {code}'
    if code:
        raise ConfigurationError(errors.getvalue())


def _parsed(words):
    parser = argparse.ArgumentParser()
    add_options(words[0], parser)
    parser.parse_args(words[1:])
    return 0


def _value(option, corpus, bags, folder, rng):
    """Return a value for an option: good, of another option, or hostile."""
    if option.dest in WRITING:
        return str(folder / rng.choice(('out', 'a/b', 'robot.urdf')))
    bag = str(rng.choice(bags))
    good = {'robot': str(corpus / 'robot.urdf'), 'bags': bag, 'bag': bag, 'source': bag}
    if option.dest in good and rng.random() < 0.7:
        return good[option.dest]
    if option.choices and rng.random() < 0.5:
        return str(rng.choice(list(option.choices)))
    if rng.random() < 0.3:
        return str(rng.choice(sorted(corpus.iterdir())))
    return rng.choice(HOSTILE).replace(b'\0', b'').decode(errors='surrogateescape')

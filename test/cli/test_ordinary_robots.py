"""Every command and every method take every ordinary robot, and are right where the data show it.

Nothing may warn: numpy's warnings are errors here. An answer is right if it is within what chance
allows and within some percent, where description and zeros are many percent off; what cannot be
answered is said in a sentence.
"""

import json
import os
from pathlib import Path

import numpy as np
from ordinary_robots import ROBOTS, write_robots
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.methods.registry import method_names

pytestmark = pytest.mark.slow

METHODS = method_names()
OF_ONE_BODY = ('free_flyer', 'harmonic_least_squares', 'recursive_harmonic_least_squares')
TO_COMPARE = (
    'least_squares',
    'weighted_least_squares',
    'angular_momentum_least_squares',
    'equations_of_motion',
    'equations_of_motion_fourier',
)
QUICK = 'draws: 2\nrestarts: 1\niterations: 1\nharmonics: 2\nbase_cycles: 2\n'
FLOWN = 'draws: 30\nrestarts: 1\niterations: 3\nduration: 12.0\nbase_cycles: 2\n'
NOT_MOVED = 'has neither joints nor reaction wheels to move'
NO_SCALE = 'reaction wheels'
NARROW = 'a rare draw (20.5 of 6; eight draws 8.2 in the mean): deviations are a little narrow'

NEAR = 0.02
"""Largest error of what is right, over the largest parameter of its unit."""

CASES = [
    pytest.param(robot, method, id=f'{robot}-{method}') for robot in ROBOTS for method in METHODS
]


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return a folder with all robots, and nothing of the repository, to run in."""
    folder, before = tmp_path_factory.mktemp('ordinary'), Path.cwd()
    write_robots(folder)
    (folder / 'quick.yaml').write_text(QUICK)
    (folder / 'flown.yaml').write_text(FLOWN)
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(scope='module')
def bag(folder):
    """Return what flies a robot, once: along its own plan, or along one of its base's pose."""
    flown = {}

    def of(name, *, by_itself):
        key = f'{name}-base' if by_itself else name
        if key not in flown:
            method = ('--method', 'free_flyer') if by_itself else ()
            plan = 'base.yaml' if by_itself else f'{name}.yaml.plan'
            if not Path(plan).exists():
                run('plan', f'{name}.urdf', *method, '--config', 'flown.yaml', '--out', plan)
            mode = ('--mode', 'flying') if by_itself else ()
            run('simulate', f'{name}.urdf', '--plan', plan, *mode, '--out', key)
            flown[key] = key
        return flown[key]

    return of


def run(*arguments):
    """Run a command that has to go well."""
    assert main(list(arguments)) == 0


def asked(capsys, *arguments):
    """Return exit code, JSON object or None, and what stands on standard error."""
    capsys.readouterr()
    code = main([*arguments, '--json'])
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else None, printed.err


def is_moved(name):
    return bool(ROBOTS[name].joints or ROBOTS[name].wheels)


def has_scale(name, method):
    """Return whether a method finds anything where nothing has turned the robot."""
    robot = ROBOTS[name]
    if method in OF_ONE_BODY or robot.wheels or method in ('momentum', 'momentum_balance'):
        return True
    by_torques = ('angular_momentum_and_torques', 'equations_of_motion')
    return bool(robot.joints) and method.startswith(by_torques)


@pytest.mark.parametrize(('name', 'method'), CASES)
def test_each_method_is_right_or_says_why_not(request, folder, bag, capsys, name, method):
    """What is identified is true within its deviations and a percent, ratios without wheels."""
    if (name, method) == ('wheels_only', 'momentum_balance'):
        request.applymarker(pytest.mark.xfail(strict=False, reason=NARROW))
    by_itself = method in OF_ONE_BODY or not is_moved(name)
    options = ('--robot', f'{name}_prior.urdf', '--truth', f'{name}.urdf', '--method', method)
    options += ('--period', '10.0') * ('harmonic' in method)
    if method == 'momentum_balance':  # it takes its time, most of a minute of motion
        options += ('--holdout', '0.6')
    code, found, said = asked(capsys, 'report', bag(name, by_itself=by_itself), *options)
    if by_itself and method not in OF_ONE_BODY and method != 'momentum_balance':
        assert (code, found) == (1, None)
        assert 'no messages on /joint_states' in said or NO_SCALE in said
    elif method in OF_ONE_BODY and not ROBOTS[name].yaml:
        assert (code, found) == (1, None)
        assert 'noise: base_position and base_attitude are needed by the method' in said
    elif not has_scale(name, method):
        assert (code, found) == (1, None)
        assert NO_SCALE in said
    else:
        assert found is not None, said
        assert Path('out/report/report.html').exists()
        is_open = not ROBOTS[name].wheels and method.startswith('momentum') and is_moved(name)
        if method not in TO_COMPARE:
            assert_right(found, of_ratios=is_open, has_noise=ROBOTS[name].yaml)


def assert_right(found, *, of_ratios, has_noise):
    """Hold what is identified to the truth, which the description would not pass."""
    parameters, true = found['parameters'], np.array(found['truth']['values'])
    values, described = np.array(parameters['values']), np.array(parameters['prior'])
    seen = ~np.isin(parameters['names'], found['identifiability']['not_identified'])
    units = np.array(parameters['units'])
    if of_ratios:
        mass = list(units).index('kg')
        values, described, true = (each / each[mass] for each in (values, described, true))
        seen[:] = True
    sizes = np.array([np.abs(true[units == unit]).max() for unit in units])
    if not of_ratios:  # what is known as well as it is to be right
        seen &= np.array(parameters['std']) < 0.5 * NEAR * sizes
    assert np.mean(seen) > 0.15
    errors, of_description = (np.abs(each - true) / sizes for each in (values, described))
    assert errors[seen].max() < NEAR
    assert of_description[seen].max() > 2.5 * NEAR
    assert np.abs(true / sizes)[seen].max() > 2.5 * NEAR
    if has_noise and found['intervals_hold'] and not of_ratios:
        truth = found['truth']
        most = truth['normalised_squared_error_bounds'][1]
        assert truth['normalised_squared_error'] < 1.5 * most


@pytest.mark.parametrize(('name', 'method'), CASES)
def test_each_method_is_planned_for_or_says_why_not(folder, capsys, name, method):
    """A plan promises deviations that are finite where the method can find something."""
    options = ('--method', method, '--config', 'quick.yaml', '--duration', '4.0', '--no-page')
    code, planned, said = asked(capsys, 'plan', f'{name}.urdf', *options, '--out', 'p.yaml')
    by_torques = method.startswith(('angular_momentum_and', 'equations_of_motion'))
    if method not in OF_ONE_BODY and not is_moved(name):
        assert (code, planned) == (1, None)
        assert NOT_MOVED in said or NO_SCALE in said or 'without wheels' in said
    elif not has_scale(name, method) or (by_torques and not ROBOTS[name].wheels):
        assert (code, planned) == (1, None)
        assert NO_SCALE in said or 'without wheels' in said
    else:
        assert code == 0
        assert planned['duration'] > 0.0
        assert planned['median_relative_std'] is None or planned['median_relative_std'] < 1e3


@pytest.mark.parametrize('name', ROBOTS)
def test_what_can_be_seen_is_said_of_every_robot(folder, bag, capsys, name):
    """Of the robot, of a log, of a plan; a missing YAML file is named by every command."""
    code, _, said = asked(capsys, 'model', f'{name}.urdf')
    assert code == 0
    assert ('no YAML file' in said) == (not ROBOTS[name].yaml)
    if not is_moved(name):
        return
    log = bag(name, by_itself=False)
    for motion in (('--log', log), ('--plan', f'{name}.yaml.plan')):
        code, shown, _ = asked(capsys, 'model', f'{name}.urdf', *motion)
        assert code == 0
        assert shown['parameters']


@pytest.mark.parametrize('name', ROBOTS)
def test_every_robot_is_measured_or_the_reason_said(folder, capsys, name):
    """What the work costs: of a body that nothing moves there is none."""
    code, load, said = asked(capsys, 'bench', f'{name}.urdf', '--duration', '3.0')
    if is_moved(name):
        assert code == 0
        assert load['estimator']['whole'] > 0.0
    else:
        assert code == 1
        assert NOT_MOVED in said

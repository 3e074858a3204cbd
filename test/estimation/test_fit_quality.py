"""What a fit leaves over: as stated, larger but white, or of a model that is wrong."""

from dataclasses import replace
import json

from logs import servicer_log, shortened
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.fit_quality import fit_quality
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.model import load_robot, shipped_file, write_robot

PRIOR = str(shipped_file('config/robots/servicer_prior.urdf'))
TIMES = np.arange(0.0, 60.0, 0.02)


def quality_of(residuals, refused=0):
    return fit_quality(TIMES, residuals, 59, refused)


def white(seed):
    return np.random.default_rng(seed).normal(size=(len(TIMES), 6))


@pytest.mark.parametrize('seed', range(20))
def test_stated_noise_is_no_word_worth(seed):
    """Whatever the seed."""
    quality = quality_of(white(seed))
    assert quality.warnings() == ()
    assert quality.is_usable


@pytest.mark.parametrize('factor', [0.6, 1.05, 3.0])
def test_misstated_noise_is_told_with_its_factor(factor):
    """White residuals of another size: intervals are to be scaled, the estimate stands."""
    quality = quality_of(factor * white(1))
    (message,) = quality.warnings()
    stated = float(message.rsplit(' ', 1)[1])
    assert stated == pytest.approx(factor, rel=0.02)
    assert quality.is_usable


@pytest.mark.parametrize(('size', 'is_usable'), [(0.15, True), (0.5, False)])
def test_slow_residuals_are_the_model_s(size, is_usable):
    """A wave within the noise is named, one that spoils the intervals makes the fit of no use."""
    wave = size * np.sin(2.0 * np.pi * 0.1 * TIMES)
    quality = quality_of(white(1) + wave[:, None])
    (message,) = quality.warnings()
    assert message.startswith('the model does not explain these data')
    assert quality.is_usable == is_usable


@pytest.mark.parametrize(('refused', 'words'), [(100, 0), (500, 1)])
def test_refused_samples_are_told_when_they_are_many(refused, words):
    quality = quality_of(white(2), refused)
    assert len(quality.warnings()) == words
    assert quality.is_usable


def test_a_minority_is_of_no_use():
    """More samples refused than used."""
    quality = quality_of(white(2), 3100)
    assert '3100 of 6100 samples' in quality.warnings()[0]
    assert not quality.is_usable


def test_any_stamps_will_do():
    """A clock that jumps by years costs no memory."""
    times = TIMES + np.where(TIMES > 30.0, 1e9, 0.0)
    assert fit_quality(times, white(1), 59).warnings() == ()


def with_rates(log, change):
    """Return a log whose joint rates are changed, by the name of the joint."""
    rates = log.joints.velocities.copy()
    for column, name in enumerate(log.joints.names):
        rates[:, column] = change(name, rates[:, column])
    return replace(log, joints=replace(log.joints, velocities=rates))


def stretched_prior(path, factor):
    """Write the servicer's description with longer links."""
    robot = load_robot(PRIOR)
    joints = [replace(each, p_PC_P=factor * each.p_PC_P) for each in robot.joints]
    write_robot(replace(robot, tree_joints=tuple(joints)), path)
    return str(path)


def identified(capsys, folder, log, robot=PRIOR):
    """Return exit code and result of a log; what is warned of is on standard error too."""
    write_bag(folder / 'bag', log)
    arguments = 'identify', str(folder / 'bag'), '--robot', robot
    code = main([*arguments, '--json'])
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    warned = [f'warning: {each}' for each in result['warnings']]
    assert warned == [line for line in captured.err.splitlines() if line in warned]
    return code, result


@pytest.mark.slow
def test_wrong_geometry_is_said_first(capsys, tmp_path):
    """Links described too long by a fifth: the masses come out wrong, and nobody is misled."""
    robot = stretched_prior(tmp_path / 'robot.urdf', 1.2)
    code, result = identified(capsys, tmp_path, servicer_log(), robot)
    assert code == 1
    assert not result['usable']
    assert 'geometry' in result['warnings'][0]
    main(['identify', str(tmp_path / 'bag'), '--robot', robot, '--all'])
    assert capsys.readouterr().out.startswith(f'WARNING: {result["warnings"][0]}')


def test_too_little_noise_stated_is_a_warning(capsys, tmp_path):
    """The estimate stands; the exit code too."""
    log = servicer_log()
    rng = np.random.default_rng(5)
    more = 5e-5 * rng.normal(size=log.twist.twists.shape)
    noisy = replace(log, twist=replace(log.twist, twists=log.twist.twists + more))
    code, result = identified(capsys, tmp_path, noisy)
    assert code == 0
    assert result['usable']
    (noise,) = result['noise']
    assert noise['name'] == 'noise of base_twist'
    assert noise['value'] > 1.1
    assert 'readings are weighed by what residuals show' in result['warnings'][0]


@pytest.mark.slow
def test_data_of_no_robot_are_given_up(capsys, tmp_path):
    """Wheels that read zero while they turn: nothing fits, exit code 1."""
    log = shortened(servicer_log(), 400)
    log = with_rates(log, lambda name, rate: 0.0 * rate if 'wheel' in name else rate)
    code, result = identified(capsys, tmp_path, log)
    assert code == 1
    assert result['warnings']
    assert not result['usable']


@pytest.mark.slow
def test_a_joint_whose_rates_contradict_its_positions_is_named(capsys, tmp_path):
    """Nothing fits, exit code 1, and the reason is given."""
    log = shortened(servicer_log(), 1500)
    log = with_rates(log, lambda name, rate: -rate if name == 'arm_joint_3' else rate)
    code, result = identified(capsys, tmp_path, log)
    assert code == 1
    assert not result['usable']
    assert result['causes'][0]['cause'] == 'joint rates of arm_joint_3 with their sign negated'

"""The estimator's checkpoint file: whose it is, and what becomes of one that is another's."""

from dataclasses import replace

import pytest
from robots import dual_arm

from spacerobot_id.estimation import begin_identification
from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.nodes.estimator.checkpoint_file import EstimatorCheckpoint
from spacerobot_id.nodes.estimator.node import _hash_of_configuration

FRESH = begin_identification(Momentum.from_model(dual_arm()))
SETTINGS = EstimatorSettings()


class Log(list):
    """What a logger is told."""

    info = warning = error = list.append


def hash_with(description='d', **changes):
    return _hash_of_configuration(description, '', replace(SETTINGS, **changes))


@pytest.mark.parametrize(
    'changes',
    [
        {'checkpoint_period': 7.0},
        {'save_file': 'other.json'},
        {'publish_tf': True},
        {'robot': 'elsewhere.urdf'},
        {'apply_after': 60.0},
        {'autostart': False},
        {'identify': replace(SETTINGS.identify, frozen_samples=0)},
    ],
)
def test_what_does_not_change_the_meaning_of_an_estimate_does_not_count(changes):
    assert hash_with(**changes) == hash_with()


@pytest.mark.parametrize(
    'changes',
    [
        {'description': 'another'},
        {'identify': replace(SETTINGS.identify, method='angular_momentum')},
        {'identify': replace(SETTINGS.identify, of_method=MethodSettings(gyro_noise=0.1))},
        {'identify': replace(SETTINGS.identify, imu_frame='imu')},
        {'identify': replace(SETTINGS.identify, base_velocity='base_pose')},
    ],
)
def test_what_changes_it_counts(changes):
    assert hash_with(**changes) != hash_with()


@pytest.mark.parametrize('ends', ['write', 'forget'])
@pytest.mark.parametrize('text', [None, 'no checkpoint', ''])
def test_a_refused_checkpoint_is_kept_beside(tmp_path, text, ends):
    """Also where others were kept before, and whether the next one is written or forgotten."""
    path, log = tmp_path / 'known.json', Log()
    others = EstimatorCheckpoint(str(path), 'of others', log)
    others.write(replace(FRESH, samples=300))
    if text is not None:
        path.write_text(text)
    theirs = path.read_text()
    (tmp_path / 'known.json.refused-1').write_text('older')
    mine = EstimatorCheckpoint(str(path), 'mine', log)
    assert mine.restored(FRESH).samples == 0
    assert path.read_text() == theirs  # until there is more to write
    mine.write(replace(FRESH, samples=20)) if ends == 'write' else mine.forget()
    assert (tmp_path / 'known.json.refused-1').read_text() == 'older'
    assert (tmp_path / 'known.json.refused-2').read_text() == theirs
    assert path.exists() is (ends == 'write')
    if ends == 'write':
        assert mine.restored(FRESH).samples == 20
    assert any('what was refused is kept as' in each for each in log)


def test_one_s_own_is_replaced_and_forgotten(tmp_path):
    path = tmp_path / 'known.json'
    mine = EstimatorCheckpoint(str(path), 'mine', Log())
    for samples in (20, 40):
        mine.write(replace(FRESH, samples=samples))
        assert mine.restored(FRESH).samples == samples
    mine.forget()
    assert not list(tmp_path.iterdir())

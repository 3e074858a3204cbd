"""Results of all studies on a small scale, each computed once for all tests."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from spacerobot_id.lab.papers import plotting
from spacerobot_id.lab.papers.comparison import Reproduction
from spacerobot_id.lab.papers.published import published
from spacerobot_id.model import load_robot, shipped_file


@dataclass(frozen=True)
class Reproduced:
    """A result, its pictures by their file names, and what they were drawn from."""

    result: Reproduction
    figures: dict
    results: object


def naveen(folder):
    from spacerobot_id.lab.papers.naveen import reproduction

    settings = reproduction.NaveenSettings(seeds=6, plans=1, restarts=1)
    return computed(reproduction, settings, folder)


def christidi(folder):
    from spacerobot_id.lab.papers.christidi import reproduction

    settings = reproduction.ChristidiSettings(seeds=2, draws=10, restarts=1, iterations=2)
    return computed(reproduction, settings, folder)


def computed(reproduction, settings, folder):
    """Return a result, and what it was made of."""
    made = []

    def run(*arguments):
        made.append(original(*arguments))
        return made[0]

    original = reproduction.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduction, 'run', run)
        result = reproduction.reproduce(folder, settings)
    return result, made[0]


def ekal(folder):
    """Return a result in which the flights of four cases stand for those of all."""
    from spacerobot_id.lab.papers.ekal import reproduction, study

    small = study.EkalSettings(loads=2, trajectories=1, cycles=3, iterations=2)
    robot = study.with_rate(load_robot(shipped_file('config/robots/space_cobot.urdf')), small.step)
    flown_cases = (study.FREE_V1, study.LIMITED_V1, study.SLOW_V1, study.SLOW_FREE_V1)
    with pytest.MonkeyPatch.context() as patch:  # predictive control has a test of its own
        patch.setattr(reproduction, 'has_predictive_control', lambda: False)
        flown = reproduction.run_study(robot, small, flown_cases)
    alike = {
        case: replace(
            flown.results[study.LIMITED_V1 if case.limited else study.FREE_V1],
            case=case,
            saturated=np.array([0.1, 0.6]),
        )
        for case in study.CASES
    }
    full, paper = study.EkalSettings(), published('ekal')
    loads = study.draw_loads(paper, full.loads, full.seed)
    stand_in = replace(flown, results=alike, loads=loads)
    result = reproduction.as_reproduction(folder, paper, stand_in)
    return result, flown.results


def jain(folder):
    """Return a result whose cost is that of short chains."""
    from spacerobot_id.lab.papers.jain import reproduction

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduction, '_LINKS', (5, 10))
        return reproduction.reproduce(folder), None


def wilde(folder):
    from spacerobot_id.lab.papers.wilde import reproduction

    return reproduction.reproduce(folder), None


@pytest.fixture(scope='session')
def reproduced(tmp_path_factory):
    """Return what gives a study's result, computed at the first call."""

    @cache
    def result_of(name):
        figures = {}

        def keep(figure, path):
            figures[path.stem] = figure
            return path

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plotting, 'save', keep)
            result, results = globals()[name](tmp_path_factory.mktemp(name))
        return Reproduced(result, figures, results)

    return result_of

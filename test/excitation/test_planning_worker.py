"""The thread that plans: progress, result, failure, and being asked to stop."""

import itertools
import threading

import numpy as np
import pytest
from robots import servicer
from ros_harness import wait_until

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.nodes.planner.job import PlanningWorker


def test_the_result_is_kept():
    worker = PlanningWorker(lambda progress: 'plan')
    wait_until(lambda: worker.is_done)
    assert (worker.result, worker.error) == ('plan', None)
    assert worker.seconds >= 0.0


@pytest.mark.parametrize('error', [PlanningError('joint_1: no motion'), ZeroDivisionError()])
def test_F26_an_error_is_kept_and_not_raised(error):
    def plan(progress):
        raise error

    worker = PlanningWorker(plan)
    wait_until(lambda: worker.is_done)
    assert (worker.result, worker.error) == (None, error)


def test_progress_is_seen_while_it_plans():
    reported, seen = threading.Event(), threading.Event()

    def plan(progress):
        assert progress(7, 3.5) is False
        reported.set()
        assert seen.wait(10.0)
        return 'plan'

    worker = PlanningWorker(plan)
    assert reported.wait(10.0)
    assert not worker.is_done
    assert (worker.evaluations, worker.best_cost) == (7, 3.5)
    seen.set()
    wait_until(lambda: worker.is_done)


def test_F38_stopping_ends_a_search_without_an_end():
    """Asked at any time, and again."""
    worker = PlanningWorker(
        lambda progress: next(count for count in itertools.count() if progress(count, 1.0))
    )
    worker.stop()
    assert worker.is_done
    worker.stop()
    assert worker.result == worker.evaluations


def test_a_stopped_search_has_the_best_plan_so_far():
    """The planner's own search: as soon as there is a motion, stopping leaves one."""
    model, settings = servicer(), PlannerSettings(intervals=30, interval=20.0, draws=100_000)
    present = np.zeros(len(model.joints) + len(model.wheels))
    worker = PlanningWorker(lambda progress: plan_excitation(model, present, settings, progress))
    wait_until(lambda: worker.best_cost < float('inf'))
    worker.stop()
    assert worker.is_done
    assert worker.error is None
    assert worker.result.cost <= worker.best_cost
    assert worker.result.evaluations < 100_000

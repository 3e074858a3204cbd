"""The thread that changes the state of the identification: order, bounds, failures, restarts."""

from contextlib import contextmanager
import threading

import numpy as np
import pytest
from ros_harness import wait_until

from spacerobot_id.measurement import Record
from spacerobot_id.nodes.estimator import estimation_worker, node
from spacerobot_id.nodes.estimator.estimation_worker import EstimationWorker
from spacerobot_id.nodes.estimator.node import LinkWatch


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch):
    """Have the states of these tests absorb samples, and know their links, themselves."""
    monkeypatch.setattr(estimation_worker, 'absorb', lambda state, block: state.taken(block))
    monkeypatch.setattr(node, 'consistent_links', lambda method, *_: method.links())


@contextmanager
def working(state=0, errors=None, **settings):
    errors = [] if errors is None else errors
    worker = EstimationWorker(state, errors.append, **settings)
    try:
        yield worker
    finally:
        worker.close()
        assert not worker._thread.is_alive()


class Gate:
    """A change that waits under way until it is let through."""

    def __init__(self, result):
        self.begun, self.opened = threading.Event(), threading.Event()
        self.result = result

    def __call__(self, _state):
        self.begun.set()
        assert self.opened.wait(10.0)
        return self.result


def test_changes_are_made_one_after_the_other():
    """In the order they were asked for; the backlog is empty when all are made."""
    with working(()) as worker:
        for count in range(200):
            assert worker.apply(lambda state, count=count: (*state, count))
        wait_until(lambda: worker.backlog == 0)
        assert worker.state == tuple(range(200))


def test_readers_see_the_state_before_a_change_until_it_is_made():
    with working('before') as worker:
        gate = Gate('after')
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        assert (worker.state, worker.backlog) == ('before', 1)
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state == 'after'


def test_a_snapshot_without_backlog_has_every_change_in_it():
    """Whenever it is taken: with nothing waiting, the state is the one asked for last."""
    with working(0) as worker:
        for count in range(300):
            worker.apply(lambda state: state + 1)
            while (now := worker.snapshot()).backlog:
                assert now.state <= count + 1
            assert now.state == count + 1


def test_F25_a_full_queue_refuses():
    """What was there before is still made."""
    with working(0, capacity=3) as worker:
        gate = Gate(0)
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        assert [worker.apply(lambda state: state + 1) for _ in range(5)] == 3 * [True] + 2 * [
            False
        ]
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state == 3


def test_F26_a_change_that_fails_changes_nothing():
    """The error is handed on, and the thread goes on."""
    errors = []
    with working(1, errors) as worker:
        worker.apply(lambda state: state / 0)
        worker.apply(lambda state: state + 1)
        wait_until(lambda: worker.backlog == 0)
        assert worker.state == 2
    assert [type(error) for error in errors] == [ZeroDivisionError]


def test_F34_a_restart_is_atomic():
    """The new state is there at once; neither what is under way nor what waits touches it."""
    with working('old') as worker:
        gate = Gate('from before')
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        worker.apply(lambda state: f'{state}, changed')
        worker.restart('new')
        assert worker.state == 'new'
        worker.apply(lambda state: f'{state}, and later')
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state == 'new, and later'


@pytest.mark.parametrize('waiting', [0, 3])
def test_F27_closing_does_not_wait_for_what_is_queued(waiting):
    """Only for the change under way, even if the queue is full."""
    worker = EstimationWorker(0, lambda error: None, capacity=3)
    gate = Gate(1)
    worker.apply(gate)
    assert gate.begun.wait(10.0)
    for _ in range(waiting):
        worker.apply(lambda state: state + 100)
    threading.Timer(0.1, gate.opened.set).start()
    worker.close()
    assert worker.state == 1


def test_F27_closing_gives_up_on_a_change_that_takes_too_long():
    worker = EstimationWorker(0, lambda error: None)
    gate = Gate(1)
    worker.apply(gate)
    assert gate.begun.wait(10.0)
    worker.close(timeout=0.05)
    assert worker.state == 0
    gate.opened.set()


class Samples:
    """A record of one channel, and a state that absorbs such."""

    def __init__(self, seen=()):
        self.seen = seen

    def taken(self, block):
        return Samples((*self.seen, tuple(block.times.tolist())))


def block(*times):
    return Record(np.array(times))


def test_samples_that_come_meanwhile_are_absorbed_together():
    """In one update, and in the order in which they came."""
    with working(Samples()) as worker:
        gate = Gate(Samples())
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        assert all(worker.absorb(block(float(k))) for k in range(5))
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state.seen == ((0.0, 1.0, 2.0, 3.0, 4.0),)
        assert worker.absorb(block(5.0))
        wait_until(lambda: worker.backlog == 0)
        assert worker.state.seen[1:] == ((5.0,),)


def test_samples_that_waited_before_a_restart_come_to_nothing():
    with working(Samples()) as worker:
        gate = Gate(Samples())
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        worker.absorb(block(0.0))
        worker.restart(Samples())
        worker.absorb(block(1.0))
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state.seen == ((1.0,),)


def test_samples_that_find_no_room_are_refused():
    with working(Samples(), capacity=3) as worker:
        gate = Gate(Samples())
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        assert [worker.absorb(block(float(k))) for k in range(5)] == [True] * 3 + [False] * 2
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert worker.state.seen == ((0.0, 1.0, 2.0),)


class Linked:
    """A state whose links are looked for."""

    def __init__(self, samples, found):
        self.samples, self.found, self.looks = samples, found, 0

        self.method = self

    def estimate(self):
        return None

    def links(self):
        self.looks += 1
        return self.found


def test_links_are_looked_for_beside_whoever_asks():
    """At once the first time, then in the thread, and never twice for the same state."""
    first, second = Linked(1, 'first'), Linked(2, 'second')
    with working(first) as worker:
        watch = LinkWatch(worker, 0.5)
        assert watch.of(Linked(0, 'none')) is None
        assert watch.of(first) == 'first'
        worker.restart(second)
        assert watch.of(second) == 'first'
        watch.look(second)
        wait_until(lambda: watch.of(second) == 'second')
        wait_until(lambda: worker.backlog == 0)
        watch.look(second)
        assert (worker.backlog, second.looks) == (0, 1)


def test_links_of_before_a_restart_are_not_those_after_it():
    with working(Linked(1, 'before')) as worker:
        watch = LinkWatch(worker, 0.5)
        gate = Gate(Linked(1, 'before'))
        worker.apply(gate)
        assert gate.begun.wait(10.0)
        watch.look(worker.state)
        after = Linked(3, 'after')
        worker.restart(after)
        watch.forget()
        gate.opened.set()
        wait_until(lambda: worker.backlog == 0)
        assert watch.of(after) == 'after'

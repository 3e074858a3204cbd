"""Nodes killed at random moments of a mission: what moves on, what is lost, what is announced.

``make kill`` runs 51 trials and prints a table; ``--seed`` makes others.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import re
import sys
import tempfile

sys.path.insert(0, str(Path(__file__).parents[1]))

import ros_domain  # noqa: F401, I001 - sets the environment of this process and of its nodes
from endurance.crew import Control, Crew, NAMES, small_robot_nodes
import numpy as np
from ros_harness import Client
from small_robot import INTERVAL, small_robot

SPEED = 2.0
"""Simulated seconds per second."""

INTERVALS = 10
"""Intervals of a motion."""

_RATE = small_robot().noise.rate

LONGEST_MOTION = 1.05 * INTERVAL + 0.1 * SPEED
"""Longest time until rest, simulated s: an interval sent just before, and 0.1 s on its way."""

LARGEST_LOSS = 1.0
"""Most data that a restarted estimator may lack, s of wall time."""


@dataclass(frozen=True)
class Trial:
    """What came of killing a node.

    Parameters
    ----------
    node : str
        Its name.
    moment : float
        When of the motion, simulated s.
    motion : float
        How long anything moved on, simulated s; NaN if the robot was not to stop.
    loss : float
        Data that the restarted node did not know any more, s; NaN if it keeps none.
    faults : tuple of str
        What should not have been.
    stalled : bool
        Whether the machine itself held the planner up for two seconds, which stops a motion.
    """

    node: str
    moment: float
    motion: float = np.nan
    loss: float = np.nan
    faults: tuple[str, ...] = ()
    stalled: bool = False


class Killing:
    """Missions of which a node is killed.

    Parameters
    ----------
    crew : Crew
        Nodes, started.
    control : Control
        Mission software.
    rng : numpy.random.Generator
        Draws the moments.
    """

    def __init__(self, crew: Crew, control: Control, rng: np.random.Generator) -> None:
        self._crew, self._control, self._rng = crew, control, rng

    def trial(self, name: str) -> Trial:
        """Begin a motion, kill a node at a random moment of it, start it again."""
        control, begin = self._control, len(self._control.wrong)
        control.start_motion()
        moment = float(self._rng.uniform(0.0, INTERVALS * INTERVAL))
        control.wait_for_stamp(control.stamp + moment)
        control.catch_up()
        found = getattr(self, f'_kill_{name}')()
        control.wait_until(lambda: control.report and control.status)
        control.wait_for_state('idle', 'ready', 'done', 'stopped', 'failed')
        faults = list(found.pop('faults', []))
        faults += [f'valid and wrong: {each}' for each in control.wrong[begin:]]
        faults += [f'{each} ended by itself' for each in NAMES if not self._crew.is_alive(each)]
        if found.get('motion', 0.0) > LONGEST_MOTION:
            faults.append(f'moved on for {found["motion"]:.2f} s')
        if found.get('loss', 0.0) > LARGEST_LOSS:
            faults.append(f'lost {found["loss"]:.2f} s of data')
        return Trial(name, moment, **found, faults=tuple(faults))

    def _kill_planner(self) -> dict:
        """See the robot come to rest by itself and stay there."""
        control = self._control
        self._crew.kill('planner')
        at = control.catch_up()
        control.wait_for_stamp(at + 3.0 * INTERVAL)
        control.status = {}
        self._crew.start('planner')
        return {'motion': max(control.moved - at, 0.0)}

    def _kill_estimator(self) -> dict:
        """See the motion go on to its end, and what is known from the checkpoint on."""
        control, before = self._control, self._control.report
        self._crew.kill('estimator')
        control.report = {}
        self._crew.start('estimator')
        control.wait_until(lambda: control.report)
        starts = re.findall(
            r'warm start from (\d+) samples', self._crew.nodes['estimator'].output()
        )
        kept = int(starts[0]) if starts else 0
        faults = [] if starts or not before['samples'] else ['no warm start']
        status = control.wait_for_state('done', 'failed', 'stopped')
        stalled = 'no message received for' in status['message']
        if status['state'] != 'done' and not stalled:
            faults.append(f'the motion was disturbed: {status["message"]}')
        control.start_motion()
        control.wait_until(lambda: control.report['samples'] > kept)
        loss = max(before['samples'] - kept, 0) / (_RATE * SPEED)
        return {'loss': loss, 'faults': faults, 'stalled': stalled}

    def _kill_simulator(self) -> dict:
        """See the planner notice that the robot is gone, and all go on with the next one."""
        control = self._control
        self._crew.kill('simulator')
        status = control.wait_for_state('stopped', 'failed', 'done')
        self._crew.start('simulator')
        control.stamp = -np.inf
        control.wait_until(lambda: control.stamp > 0.0)
        faults = [] if status['state'] != 'done' else ['the motion was reported as done']
        return {'faults': faults}


def kill_nodes(times: int, seed: int, names: Sequence[str] = NAMES) -> list[Trial]:
    """Kill nodes in turn at random moments of missions; end with a whole one."""
    trials = []
    with tempfile.TemporaryDirectory() as folder:
        parameters = small_robot_nodes(Path(folder), SPEED, INTERVALS)
        with Crew(parameters, 'killed') as crew, Client(namespace='killed') as client:
            control = Control(client)
            killing = Killing(crew, control, np.random.default_rng(seed))
            for number in range(times):
                trials.append(killing.trial(names[number % len(names)]))
                sys.stderr.write(f'{number + 1}: {trials[-1]}\n')
            control.start_motion()
            status = control.wait_for_state('done', 'failed', 'stopped')
            assert status['state'] == 'done', status['message']
            control.wait_until(lambda: control.report['valid'])
        for name in parameters:
            assert 'Traceback' not in crew.log(name), crew.log(name)
    return trials


def table(trials: Sequence[Trial]) -> list[str]:
    """Return the lines of a table, a node each."""
    rows = [
        '| killed | times | at, s | moved on, s | lost, s | stalled | faults |',
        '|---|---|---|---|---|---|---|',
    ]
    for name in dict.fromkeys(each.node for each in trials):
        own = [each for each in trials if each.node == name]
        moments = [each.moment for each in own]
        worst = [
            f'{np.max(values):.2f}' if np.isfinite(values).any() else ''
            for values in ([each.motion for each in own], [each.loss for each in own])
        ]
        worst += [str(sum(each.stalled for each in own))]
        worst += [str(sum(len(each.faults) for each in own))]
        spread = f'{min(moments):.1f} to {max(moments):.1f}'
        rows.append(f'| {name} | {len(own)} | {spread} | {" | ".join(worst)} |')
    return rows


def main() -> int:
    """Kill, print, return 1 if anything was not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--times', type=int, default=51)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--node', choices=NAMES, help='this one alone')
    given = parser.parse_args()
    trials = kill_nodes(given.times, given.seed, [given.node] if given.node else NAMES)
    sys.stdout.write('\n'.join(table(trials)) + '\n')
    faults = [
        f'{each.node} at {each.moment:.1f} s: {fault}' for each in trials for fault in each.faults
    ]
    sys.stdout.write(''.join(f'{each}\n' for each in faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

"""What the planner asks of random robots in random trouble: ``make safety`` runs 5000 cases."""

import argparse
import sys

from driven_planner import cycloids, World
import numpy as np

from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.model import (
    InertialParameters,
    Joint,
    JointLimits,
    JointType,
    Link,
    ReactionWheel,
    RobotModel,
)

ALLOWED = 1.01
"""Share of a limit that is asked for at most."""

_LONGEST = 6.0


def random_limits(rng):
    """Return limits of a joint, slow or fast, with a range of positions or without."""
    rate = 10.0 ** rng.uniform(-1.3, 0.5)
    acceleration = rate * rng.uniform(2.0, 8.0)
    reach = rng.choice([rng.uniform(0.5, 3.0), np.inf])
    return JointLimits(-reach, reach, rate, acceleration)


def random_model(rng):
    """Return a robot with some joints and wheels, one of either at least."""
    body = InertialParameters.from_com(5.0, np.zeros(3), np.eye(3))
    joints, wheels = int(rng.integers(0, 5)), int(rng.integers(0, 5))
    joints = max(joints, int(wheels == 0))
    tree = [
        Joint(
            f'joint_{place}',
            JointType.REVOLUTE,
            place,
            np.eye(3),
            np.array([0.3, 0.0, 0.0]),
            random_limits(rng),
        )
        for place in range(joints)
    ]
    turning = [
        ReactionWheel(
            f'wheel_{place}',
            0,
            np.eye(3)[place % 3],
            0.01,
            max_rate=rate,
            max_torque=0.01 * rate * rng.uniform(1.0, 6.0),
        )
        for place, rate in enumerate(rng.uniform(5.0, 300.0, wheels))
    ]
    links = [Link(f'link_{place}', body) for place in range(joints + 1)]
    return RobotModel(name='random', links=links, tree_joints=tree, wheels=turning)


def fourier(model, duration, seed):
    """Return what plans a motion that does not rest on its way, at its limits."""
    limits = actuator_limits(model)
    names = model.joint_names + model.wheel_names
    amplitudes = np.random.default_rng(seed).normal(size=(2, len(names), 2))

    def planned_from(position):
        start = np.zeros(len(names))
        shape = FourierQuintic(names, duration, *amplitudes, start, start)
        extent, scale = shape.extent(), []
        for place, limit in enumerate(limits):
            way = max(extent.highest[place], -extent.lowest[place])
            room = min(limit.upper - position[place], position[place] - limit.lower)
            scale.append(
                min(
                    limit.velocity / extent.velocity[place],
                    limit.acceleration / extent.acceleration[place],
                    max(room, 0.0) / way,
                )
            )
        scaled = amplitudes * np.array(scale)[:, None]
        return FourierQuintic(names, duration, *scaled, position, position)

    return planned_from


class Case:
    """One robot, and what happens to it.

    Parameters
    ----------
    seed : int
        Number of the case.
    """

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        model = random_model(rng)
        interval = rng.uniform(0.5, 1.6)
        if rng.random() < 0.2:
            planned_from = fourier(model, rng.uniform(3.0, 6.0), seed)
        else:
            plateau = rng.choice([0.0, rng.uniform(0.0, 0.7)])
            planned_from = cycloids(model, interval, rng.uniform(0.3, 1.0), seed, 3, plateau)
        late = rng.random() < 0.2
        self.world = World(
            model,
            planned_from,
            rng,
            latency=(0.05 * rng.random(), 0.05 * rng.random()),
            delay=0.25 * rng.random() if late else 0.0,
            lost=rng.choice([0.0, 0.1, 0.5]),
            lost_commands=rng.choice([0.0, 0.0, 0.2]),
            noise=rng.choice([0.0, 1e-6, 1e-5, 1e-4]),
            knows_accelerations=bool(rng.random() < 0.5),
            takes=rng.choice([0.0, 0.0, 1.0]),
            start_timeout=rng.uniform(0.3, 2.0),
            point_spacing=rng.choice([0.05, 0.1, 0.3]),
            send_whole=bool(rng.random() < 0.1),
        )
        self._arrange()

    def _arrange(self):
        """Let things happen at random times."""
        rng, world = self.rng, self.world
        begin = rng.uniform(0.2, 1.0)
        for again in range(int(rng.integers(1, 3))):
            world.at(begin + again * rng.uniform(0.0, 5.0), lambda: world.ask('start_excitation'))
        if rng.random() < 0.7:
            world.at(begin + rng.uniform(0.0, 4.0), lambda: world.ask('stop_excitation'))
        if rng.random() < 0.1:
            world.at(begin + rng.uniform(0.0, 4.0), world.deactivate)
        # Who is later than is reckoned with is so for the planner's own motions alone.
        for _ in range(0 if world.delay else int(rng.choice([0, 0, 1, 2]))):
            world.at(rng.uniform(0.0, 5.0), self._interfere)
        if rng.random() < 0.2:
            at = rng.uniform(0.0, 4.0)
            world.at(at, lambda: setattr(world, 'frozen', True))
            world.at(at + rng.uniform(0.1, 5.0), lambda: setattr(world, 'frozen', False))
        if rng.random() < 0.2:
            at = rng.uniform(0.0, 4.0)
            world.at(at, lambda: setattr(world, 'second_source', True))
            world.at(at + rng.uniform(0.1, 5.0), lambda: setattr(world, 'second_source', False))

    def _interfere(self):
        """Let another client send a controller elsewhere, within its limits from rest."""
        rng, world = self.rng, self.world
        topic = rng.choice(list(world.controllers))
        controller = world.controllers[topic]
        here = controller.at(world.now).position[0]
        goals, duration = [], 1.0
        for place, limit in zip(here, controller.limits, strict=True):
            way = rng.uniform(-1.0, 1.0) * min(1.0, limit.velocity)
            goal = float(np.clip(place + way, limit.lower, limit.upper))
            way = abs(goal - place)
            times = 2.0 * way / limit.velocity, np.sqrt(7.0 * way / limit.acceleration)
            goals.append(goal)
            duration = max(duration, *times)
        world.command(topic, goals, duration)

    def run(self):
        """Return the largest share of a limit that was asked for, and where."""
        end = self.world.now + _LONGEST
        while not self.world.is_over and self.world.now < end:
            self.world.run(0.2)
        return self.world.share, self.world.worst


def main():
    """Run many cases; say which of them ask for too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--cases', type=int, default=5000)
    parser.add_argument('--first', type=int, default=0, help='number of the first case')
    given = parser.parse_args()
    largest, bad, started = 0.0, 0, 0
    for seed in range(given.first, given.first + given.cases):
        case = Case(seed)
        share, worst = case.run()
        largest, started = max(largest, share), started + (case.world.sent() > 0)
        if share > ALLOWED:
            bad += 1
            sys.stdout.write(f'case {seed}: {share:.3f} times a limit: {"; ".join(worst)}\n')
    sys.stdout.write(
        f'{given.cases} cases, in {started} of which commands were sent: {bad} ask for more than '
        f'{ALLOWED:g} times a limit, the largest {largest:.4f}\n'
    )
    return int(bad > 0)


if __name__ == '__main__':
    sys.exit(main())

"""What papers/003 is given, beside what the study here is given."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.estimation import HARMONICS
from spacerobot_id.evaluation.ekal_estimation import FIRST_CYCLE
from spacerobot_id.evaluation.ekal_published import PublishedEkal, Spread
from spacerobot_id.evaluation.ekal_study import EkalSettings
from spacerobot_id.evaluation.reproduction import Claim, ComparisonTable
from spacerobot_id.model import InertialParameters, RobotModel

_DRAWN = (
    'The paper prints the distribution, ours is what the draws came to; most draws of the inertia '
    'belong to no body and are drawn anew, which keeps large products of inertia out.'
)
_MORE = 'The paper flies two slow motions; here as many as of the fast ones.'
_START = (
    'Here a motion is given by shares of its limits, so that every start keeps them: the starts '
    'are drawn between minus and plus a half.'
)
_SIZE = (
    'The condition number hardly depends on the size of a motion, so a search ends near the size '
    'that it starts from: the paper starts from small motions, here they are as large as the '
    'limits.'
)


def size_claim(published: PublishedEkal, size: float) -> Claim:
    """Return how large a motion is that the levels have no part in (section 4.1)."""
    return Claim(
        'V1 without its levels: largest coordinate of the motion (paper: order of magnitude)',
        size,
        'm, rad',
        published=published.motion_without_levels,
        note=_SIZE,
    )


def given_table(
    published: PublishedEkal,
    robot: RobotModel,
    settings: EkalSettings,
    loads: Sequence[InertialParameters],
) -> ComparisonTable:
    """Return robot, motions, noise and loads, the paper's beside ours."""
    alone = robot.links[0].inertial
    moments = np.diag(alone.inertia_about_com)
    rows: list[tuple[str, str | float, str | float]] = [
        ('mass without a load, kg', published.mass, alone.mass),
        *(
            (f'J_{axis}{axis} without a load, kg m^2', stated, float(ours))
            for axis, stated, ours in zip('xyz', published.inertia, moments, strict=True)
        ),
        ('motors', published.motors, robot.actuators.propellers.matrix.shape[1]),
        ('noise of positions, m', published.position_noise, robot.noise.base_position),
        ('noise of attitudes, rad', published.attitude_noise, robot.noise.base_attitude),
        ('period, s', published.period, 10.0),
        ('harmonics of the motions, n_ref', published.harmonics, min(HARMONICS)),
        ('most harmonics tried, n_end', published.most_harmonics, max(HARMONICS)),
        ('cycles flown', published.cycles, settings.cycles),
        ('first cycle that counts', published.first_cycle, FIRST_CYCLE),
        ('motions of each criterion', published.motions, settings.trajectories),
        ('loads', published.loads, settings.loads),
        (
            'estimates for each criterion',
            published.motions * published.loads,
            settings.trajectories * settings.loads,
        ),
        ('slow period, s', published.slow_period, 60.0),
        ('slow motions', published.slow_motions, settings.trajectories),
        (
            'start of a search',
            'up to {:g} to {:g}'.format(*published.start_scale),
            'up to 0.5 of the limits',
        ),
        *_spreads(published, loads),
    ]
    notes = {'slow motions': _MORE, 'start of a search': _START}
    return ComparisonTable(
        'Sections 4 to 6.2: what is given',
        ('quantity', 'paper', 'ours'),
        tuple((name, _cell(stated), _cell(ours)) for name, stated, ours in rows),
        row_notes={
            number: notes.get(name, _DRAWN)
            for number, (name, _, _) in enumerate(rows)
            if name in notes or name.startswith('loads, ')
        },
    )


def load_table(loads: Sequence[InertialParameters]) -> ComparisonTable:
    """Return the loads that were drawn; the paper does not print its own."""
    rows = []
    for number, load in enumerate(loads, 1):
        inertia = load.inertia_about_com
        elements = (*np.diag(inertia), inertia[0, 1], inertia[1, 2], inertia[0, 2])
        rows.append((f'{number}', *map(float, (load.mass, *load.com, *elements))))
    return ComparisonTable(
        'The loads of ours, robot and object as one body, inertia about its centre of mass; '
        'the paper does not print its own',
        ('load', 'mass kg', *(f'offset {axis} m' for axis in 'xyz'), *_elements()),
        tuple(rows),
    )


def _elements() -> tuple[str, ...]:
    return tuple(f'J_{axes} kg m^2' for axes in ('xx', 'yy', 'zz', 'xy', 'yz', 'zx'))


def _spreads(
    published: PublishedEkal, loads: Sequence[InertialParameters]
) -> list[tuple[str, float, float]]:
    """Return mean and standard deviation of the loads."""
    inertia = np.array([load.inertia_about_com for load in loads])
    drawn = (
        ('mass, kg', published.load_mass, [load.mass for load in loads]),
        ('offset, m', published.load_offset, [load.com for load in loads]),
        (
            'diagonal of the inertia, kg m^2',
            published.load_diagonal,
            inertia[:, [0, 1, 2], [0, 1, 2]],
        ),
        (
            'off the diagonal, kg m^2',
            published.load_off_diagonal,
            inertia[:, [0, 1, 2], [1, 2, 0]],
        ),
    )
    return [
        (f'loads, {name}: {word}', getattr(stated, word), value)
        for name, stated, values in drawn
        for word, value in _spread(values).__dict__.items()
    ]


def _spread(values: object) -> Spread:
    return Spread(float(np.mean(values)), float(np.std(values)))


def _cell(value: str | float) -> str | float:
    return value if isinstance(value, str) else float(value)

"""An exciting motion as a YAML file: its family, the actuators' names, and its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, LARGEST_PLATEAU
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.settings.bounded_text import load_yaml, read_text_file
from spacerobot_id.whole_file import write_whole

_Numbers = Mapping[str, NDArray[np.float64]]


def save_plan(plan: ExcitingMotion, path: str | Path) -> None:
    """Write a plan to a file.

    Parameters
    ----------
    plan : ExcitingMotion
        Motion of joints and wheels, or of the six coordinates of a base.
    path : str or Path
        File; ``load_plan`` gives the same plan from it, to the last digit.
    """
    write_whole(path, plan_text(plan))


def plan_text(plan: ExcitingMotion) -> str:
    """Return the text of the file of a plan."""
    family = _family_of(plan)
    layout = _LAYOUTS[family]
    text = (
        f'# {layout.description}\n'
        f'family: {family}\n'
        '# The joints, then the wheels; or the coordinates of the base: x y z phi theta psi.\n'
        f'names: {_flow(list(plan.names))}'
    )
    for key, description in layout.keys.items():
        value = np.asarray(getattr(plan, key)).tolist()
        if value == layout.defaults.get(key):
            continue
        text += f'# {description}\n{key}:'
        if isinstance(value, list) and value and isinstance(value[0], list):
            text += '\n' + ''.join(f'  - {_flow(row)}' for row in value)
        else:
            text += f' {_flow(value)}' if isinstance(value, list) else f' {value!r}\n'
    return text


def load_plan(path: str | Path) -> ExcitingMotion:
    """Return the plan that a file has.

    Parameters
    ----------
    path : str or Path
        YAML file with ``names`` (m actuators) and the numbers of the motion's ``family``: for
        ``cycloids``, which it is if none is named, ``durations`` (K numbers above zero, s),
        ``knots`` (K + 1 rows of m numbers, rad or m) and, if it is not 0, ``plateau``. Keys of
        earlier versions are understood.

    Raises
    ------
    PlanningError
        If the file cannot be read or is no plan; names the file and the key.
    """
    try:
        text = read_text_file(path)
    except OSError as error:
        raise PlanningError(f'{path}: cannot be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise PlanningError(f'{path}: no YAML: {error}') from error
    return parse_plan(text, str(path))


def parse_plan(text: str, source: str) -> ExcitingMotion:
    """Return the plan of the text of a file; ``source`` names it in errors."""
    try:
        content = load_yaml(text)
    except yaml.YAMLError as error:
        raise PlanningError(f'{source}: no YAML: {error}') from error
    return _plan(source, content)


def _family_of(plan: ExcitingMotion) -> str:
    for family, layout in _LAYOUTS.items():
        if isinstance(plan, layout.kind):
            return family
    raise PlanningError(f'{type(plan).__name__}: this motion cannot be written to a file')


def _plan(source: str, content: object) -> ExcitingMotion:
    """Return the plan of a file's content."""
    if not isinstance(content, Mapping):
        raise PlanningError(f'{source}: must be a mapping with names, durations, knots')
    family = content.get('family', 'cycloids')
    if not isinstance(family, str) or family not in _LAYOUTS:
        raise PlanningError(f'{source}: family: {family!r} is none of {", ".join(_LAYOUTS)}')
    layout = _LAYOUTS[family]
    if layout.earlier.keys() & content.keys():
        content = {layout.earlier.get(key, key): value for key, value in content.items()}
    content = {**layout.defaults, **content}
    keys = ('family', 'names', *layout.keys)
    for key in content:
        if key not in keys:
            raise PlanningError(f'{source}: {key}: unknown key; known are {", ".join(keys)}')
    for key in keys[1:]:
        if key not in content:
            raise PlanningError(f'{source}: {key}: it is missing')
    names = content['names']
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not is_list or not names or len(set(names)) < len(names):
        raise PlanningError(f'{source}: names: must be a list of texts, none of them twice')
    numbers = {key: _numbers(source, key, content[key]) for key in keys[2:]}
    return layout.make(source, tuple(names), numbers)


def _cycloids(source: str, names: tuple[str, ...], numbers: _Numbers) -> ExcitationPlan:
    durations, knots = numbers['durations'], numbers['knots']
    if durations.ndim != 1 or not len(durations) or not (durations > 0.0).all():
        raise PlanningError(f'{source}: durations: must be numbers above zero, at least one')
    wanted = (len(durations) + 1, len(names))
    if knots.shape != wanted:
        raise PlanningError(
            f'{source}: knots: must be {wanted[0]} rows of {wanted[1]} numbers for '
            f'{len(durations)} durations and {len(names)} names, got shape {knots.shape}'
        )
    plateau = _single(source, 'plateau', numbers)
    if not 0.0 <= plateau <= LARGEST_PLATEAU:
        raise PlanningError(f'{source}: plateau: must be from 0 to {LARGEST_PLATEAU}')
    return ExcitationPlan(names, knots, durations, plateau)


def _fourier_quintic(source: str, names: tuple[str, ...], numbers: _Numbers) -> FourierQuintic:
    duration = _single(source, 'duration', numbers)
    rest = {key: numbers[key] for key in ('rate_cosines', 'rate_sines', 'start', 'end')}
    try:
        return FourierQuintic(names, duration, **rest)
    except PlanningError as error:
        raise PlanningError(f'{source}: {error}') from error


def _periodic_fourier(
    source: str, names: tuple[str, ...], numbers: _Numbers
) -> PeriodicFourierMotion:
    period, cycles = (_single(source, key, numbers) for key in ('period', 'cycles'))
    rest = {key: numbers[key] for key in ('offset', 'rate_cosines', 'rate_sines')}
    try:
        motion = PeriodicFourierMotion(names, period, **rest, cycles=round(cycles))
    except PlanningError as error:
        raise PlanningError(f'{source}: {error}') from error
    if not motion.is_at_rest_at_its_ends:
        raise PlanningError(
            f'{source}: rate_cosines, rate_sines: the motion is not at rest at its ends'
        )
    return motion


@dataclass(frozen=True)
class _Layout:
    """How a family stands in a file.

    Parameters
    ----------
    kind : type
        Class of its motions.
    make : callable
        From the file's name, names of actuators and numbers to the motion.
    description : str
        What people want to know.
    keys : mapping
        Its numbers, in order, with what they are.
    earlier : mapping
        Keys of earlier versions, with what they are called now.
    defaults : mapping
        Values of the keys that a file need not have.
    """

    kind: type
    make: Callable[[str, tuple[str, ...], _Numbers], ExcitingMotion]
    description: str
    keys: Mapping[str, str]
    earlier: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, float] = field(default_factory=dict)


_LAYOUTS: Mapping[str, _Layout] = {
    'cycloids': _Layout(
        ExcitationPlan,
        _cycloids,
        'An exciting motion of cycloids from knot to knot, at rest at every knot.',
        {
            'durations': 'Durations of the intervals; s.',
            'plateau': 'Share of each interval at constant rate; no unit.',
            'knots': 'Positions at the ends of the intervals, one row per knot; rad or m.',
        },
        defaults={'plateau': 0.0},
    ),
    'fourier-quintic': _Layout(
        FourierQuintic,
        _fourier_quintic,
        'An exciting motion of a Fourier series and a quintic, from rest to rest.',
        {
            'duration': 'Duration, the period of the first harmonic; s.',
            'rate_cosines': 'Amplitudes of the cosines of the rates, one row per actuator; per s.',
            'rate_sines': 'Amplitudes of the sines of the rates, one row per actuator; per s.',
            'start': 'Positions before; rad or m.',
            'end': 'Positions after; rad or m.',
        },
        {'sines': 'rate_cosines', 'cosines': 'rate_sines'},
    ),
    'periodic-fourier': _Layout(
        PeriodicFourierMotion,
        _periodic_fourier,
        'An exciting motion of a Fourier series, at rest where its cycles begin and end.',
        {
            'period': 'Duration of a cycle; s.',
            'cycles': 'Number of cycles; no unit.',
            'offset': 'Mean positions; rad or m.',
            'rate_cosines': 'Amplitudes of the cosines of the rates, one row per harmonic; per s.',
            'rate_sines': 'Amplitudes of the sines of the rates, one row per harmonic; per s.',
        },
        {'sine': 'rate_cosines', 'cosine': 'rate_sines'},
    ),
}


def _single(source: str, key: str, numbers: _Numbers) -> float:
    if numbers[key].ndim:
        raise PlanningError(f'{source}: {key}: must be one number')
    return float(numbers[key])


def _numbers(source: str, key: str, value: object) -> NDArray[np.float64]:
    """Return finite numbers."""
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise PlanningError(f'{source}: {key}: must be numbers in rows of one length') from error
    if not np.isfinite(numbers).all():
        raise PlanningError(f'{source}: {key}: has a value that is not finite')
    return numbers


def _flow(values: list) -> str:
    return yaml.safe_dump(values, default_flow_style=True, width=float('inf'))

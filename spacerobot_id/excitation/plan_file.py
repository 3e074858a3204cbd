"""An exciting motion as a YAML file: its family, the actuators' names, and its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.fourier_quintic import FourierQuintic
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.plan import ExcitationPlan


@dataclass(frozen=True)
class _Layout:
    """How a family stands in a file: its numbers, in order, with what people want to know."""

    says: str
    keys: Mapping[str, str]


_LAYOUTS: Mapping[str, _Layout] = {
    'cycloids': _Layout(
        'An exciting motion of cycloids from knot to knot, at rest at every knot.',
        {
            'durations': 'Durations of the intervals; s.',
            'knots': 'Positions at the ends of the intervals, one row per knot; rad or m.',
        },
    ),
    'fourier-quintic': _Layout(
        'An exciting motion of a Fourier series and a quintic, from rest to rest.',
        {
            'duration': 'Duration, the period of the first harmonic; s.',
            'sines': 'Amplitudes of the cosines of the rates, one row per actuator; rad/s or m/s.',
            'cosines': 'Amplitudes of the sines of the rates, one row per actuator; rad/s or m/s.',
            'start': 'Positions before; rad or m.',
            'end': 'Positions after; rad or m.',
        },
    ),
    'periodic-fourier': _Layout(
        'An exciting motion of a Fourier series, at rest where its cycles begin and end.',
        {
            'period': 'Duration of a cycle; s.',
            'cycles': 'Number of cycles; no unit.',
            'offset': 'Mean positions; rad or m.',
            'sine': 'Coefficients a of the rates, one row per harmonic; rad/s or m/s.',
            'cosine': 'Coefficients b of the rates, one row per harmonic; rad/s or m/s.',
        },
    ),
}


def save_plan(plan: ExcitingMotion, path: str | Path) -> None:
    """Write a plan to a file.

    Parameters
    ----------
    plan : ExcitingMotion
        Motion.
    path : str or Path
        File; ``load_plan`` gives the same plan from it, to the last digit.
    """
    family = _family_of(plan)
    layout = _LAYOUTS[family]
    text = (
        f'# {layout.says}\n'
        f'family: {family}\n'
        '# The joints, then the wheels.\n'
        f'names: {_flow(list(plan.names))}'
    )
    for key, says in layout.keys.items():
        value = np.asarray(getattr(plan, key)).tolist()
        text += f'# {says}\n{key}:'
        if isinstance(value, list) and value and isinstance(value[0], list):
            text += '\n' + ''.join(f'  - {_flow(row)}' for row in value)
        else:
            text += f' {_flow(value)}' if isinstance(value, list) else f' {value!r}\n'
    Path(path).write_text(text, encoding='utf-8')


def load_plan(path: str | Path) -> ExcitingMotion:
    """Return the plan that a file has.

    Parameters
    ----------
    path : str or Path
        YAML file with ``names`` (m texts) and the numbers of the motion's ``family``: for
        ``cycloids``, which it is if none is named, ``durations`` (K numbers above zero, s) and
        ``knots`` (K + 1 rows of m numbers, rad or m).

    Raises
    ------
    PlanningError
        If the file cannot be read or is no plan; names the file and the key.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except OSError as error:
        raise PlanningError(f'{path}: cannot be read: {error.strerror}') from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise PlanningError(f'{path}: no YAML: {error}') from error
    return _plan(str(path), content)


def _family_of(plan: ExcitingMotion) -> str:
    for family, kind in (
        ('cycloids', ExcitationPlan),
        ('fourier-quintic', FourierQuintic),
        ('periodic-fourier', PeriodicFourierMotion),
    ):
        if isinstance(plan, kind):
            return family
    raise PlanningError(f'{type(plan).__name__}: this motion cannot be written to a file')


def _plan(source: str, content: object) -> ExcitingMotion:
    """Return the plan of a file's content."""
    if not isinstance(content, Mapping):
        raise PlanningError(f'{source}: must be a mapping with names, durations, knots')
    family = content.get('family', 'cycloids')
    if family not in _LAYOUTS:
        raise PlanningError(f'{source}: family: {family!r} is none of {", ".join(_LAYOUTS)}')
    keys = ('family', 'names', *_LAYOUTS[family].keys)
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
    return _MAKERS[family](source, tuple(names), numbers)


def _cycloids(
    source: str, names: tuple[str, ...], numbers: Mapping[str, NDArray[np.float64]]
) -> ExcitationPlan:
    durations, knots = numbers['durations'], numbers['knots']
    if durations.ndim != 1 or not len(durations) or not (durations > 0.0).all():
        raise PlanningError(f'{source}: durations: must be numbers above zero, at least one')
    wanted = (len(durations) + 1, len(names))
    if knots.shape != wanted:
        raise PlanningError(
            f'{source}: knots: must be {wanted[0]} rows of {wanted[1]} numbers for '
            f'{len(durations)} durations and {len(names)} names, got shape {knots.shape}'
        )
    return ExcitationPlan(names, knots, durations)


def _fourier_quintic(
    source: str, names: tuple[str, ...], numbers: Mapping[str, NDArray[np.float64]]
) -> FourierQuintic:
    duration = _single(source, 'duration', numbers)
    rest = {key: numbers[key] for key in ('sines', 'cosines', 'start', 'end')}
    try:
        return FourierQuintic(names, duration, **rest)
    except PlanningError as error:
        raise PlanningError(f'{source}: {error}') from error


def _periodic_fourier(
    source: str, names: tuple[str, ...], numbers: Mapping[str, NDArray[np.float64]]
) -> PeriodicFourierMotion:
    period, cycles = (_single(source, key, numbers) for key in ('period', 'cycles'))
    rest = {key: numbers[key] for key in ('offset', 'sine', 'cosine')}
    try:
        motion = PeriodicFourierMotion(names, period, **rest, cycles=round(cycles))
    except PlanningError as error:
        raise PlanningError(f'{source}: {error}') from error
    if not motion.is_at_rest_at_its_ends:
        raise PlanningError(f'{source}: sine, cosine: the motion is not at rest at its ends')
    return motion


_MAKERS: Mapping[str, Callable[..., ExcitingMotion]] = {
    'cycloids': _cycloids,
    'fourier-quintic': _fourier_quintic,
    'periodic-fourier': _periodic_fourier,
}


def _single(source: str, key: str, numbers: Mapping[str, NDArray[np.float64]]) -> float:
    if numbers[key].ndim:
        raise PlanningError(f'{source}: {key}: must be one number')
    return float(numbers[key])


def _numbers(source: str, key: str, value: object) -> NDArray[np.float64]:
    """Return finite numbers."""
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise PlanningError(f'{source}: {key}: must be numbers in rows of one length') from error
    if not np.isfinite(numbers).all():
        raise PlanningError(f'{source}: {key}: has a value that is not finite')
    return numbers


def _flow(values: list) -> str:
    return yaml.safe_dump(values, default_flow_style=True, width=float('inf'))

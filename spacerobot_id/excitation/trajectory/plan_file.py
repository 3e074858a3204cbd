"""An exciting motion as a YAML file: its family, the actuators' names, and its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len
import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator
import yaml

from spacerobot_id.exceptions import DescriptionError, PlanningError
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, LARGEST_PLATEAU
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.settings.kinds import Finite, FinitePositive, keys, ReadFrom, WHOLE
from spacerobot_id.settings.yaml_file import checked, read_text_file, yaml_content
from spacerobot_id.whole_file import write_whole


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
        raise PlanningError(f'{path}: invalid YAML: {error}') from error
    return parse_plan(text, str(path))


def parse_plan(text: str, source: str) -> ExcitingMotion:
    """Return the plan of the text of a file; ``source`` names it in errors."""
    try:
        content = yaml_content(text, source)
        given = content if isinstance(content, Mapping) else {}
        family = checked(
            Literal[tuple(_LAYOUTS)], given.get('family', 'cycloids'), source, ('family',)
        )
        layout = _LAYOUTS[family]
        if layout.earlier.keys() & given.keys():
            content = {layout.earlier.get(key, key): value for key, value in given.items()}
        found = checked(_keys(family), content, source)
        found.pop('family', None)
        return layout.make(**found)
    except DescriptionError as error:
        raise PlanningError(str(error)) from error
    except PlanningError as error:
        raise PlanningError(f'{source}: {error}') from error


@cache
def _keys(family: str) -> Any:  # noqa: ANN401
    """Return what the file of a family may have."""
    layout = _LAYOUTS[family]
    known = {key: (_KINDS[key], text) for key, text in layout.keys.items()}
    names = {'family': (str, 'Family of the motion.'), 'names': (_NAMES, 'Actuators.')}
    needed = layout.keys.keys() - layout.defaults.keys()
    return keys(layout.description, names | known, 'names', *needed)


def _family_of(plan: ExcitingMotion) -> str:
    for family, layout in _LAYOUTS.items():
        if isinstance(plan, layout.kind):
            return family
    raise PlanningError(f'{type(plan).__name__}: this motion cannot be written to a file')


def _named_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError('one is there twice')
    return names


def _matrix(rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    if len({len(row) for row in rows}) > 1:
        raise ValueError('must be rows of one length')
    return np.array(rows)


_NAMES = Annotated[tuple[str, ...], Len(1), AfterValidator(_named_once)]
_ROW = ReadFrom(tuple[Finite, ...], np.array)
_ROWS = ReadFrom(tuple[tuple[Finite, ...], ...], _matrix)
_KINDS = {
    'durations': ReadFrom(Annotated[tuple[FinitePositive, ...], Len(1)], np.array),
    'plateau': Annotated[Finite, Interval(ge=0.0, le=LARGEST_PLATEAU)],
    'knots': _ROWS,
    'duration': FinitePositive,
    'period': FinitePositive,
    'cycles': Annotated[int, Interval(ge=1), WHOLE],
    'rate_cosines': _ROWS,
    'rate_sines': _ROWS,
    'start': _ROW,
    'end': _ROW,
    'offset': _ROW,
}
"""Kinds of the numbers of all families."""


def _cycloids(
    names: tuple[str, ...],
    durations: NDArray[np.float64],
    knots: NDArray[np.float64],
    plateau: float = 0.0,
) -> ExcitationPlan:
    wanted = (len(durations) + 1, len(names))
    if knots.shape != wanted:
        raise PlanningError(
            f'knots: must be {wanted[0]} rows of {wanted[1]} numbers for '
            f'{len(durations)} durations and {len(names)} names, got shape {knots.shape}'
        )
    return ExcitationPlan(names, knots, durations, plateau)


def _periodic_fourier(**given: Any) -> PeriodicFourierMotion:  # noqa: ANN401
    motion = PeriodicFourierMotion(**given)
    if not motion.is_at_rest_at_its_ends:
        raise PlanningError('rate_cosines, rate_sines: the motion is not at rest at its ends')
    return motion


@dataclass(frozen=True)
class _Layout:
    """How a family stands in a file.

    Parameters
    ----------
    kind : type
        Class of its motions.
    make : callable
        From names of actuators and numbers to the motion.
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
    make: Callable[..., ExcitingMotion]
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
        FourierQuintic,
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


def _flow(values: list) -> str:
    return yaml.safe_dump(values, default_flow_style=True, width=float('inf'))

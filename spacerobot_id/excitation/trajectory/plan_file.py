"""An exciting motion as a YAML file: its family, the actuators' names, and its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Len
import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator
import yaml

from spacerobot_id.exceptions import DescriptionError, PlanningError
from spacerobot_id.excitation.family.motion_family import family_module, family_names, FamilyName
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.settings.kinds import Finite, keys, ReadFrom
from spacerobot_id.settings.yaml_file import checked, read_text_file, yaml_content
from spacerobot_id.whole_file import write_whole


def _matrix(rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    if len({len(row) for row in rows}) > 1:
        raise ValueError('must be rows of one length')
    return np.array(rows)


ROW = ReadFrom(tuple[Finite, ...], np.array)
"""A row of numbers."""

ROWS = ReadFrom(tuple[tuple[Finite, ...], ...], _matrix)
"""Rows of numbers."""


@dataclass(frozen=True)
class PlanLayout:
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
        Its numbers, in order: their kind, and what they are.
    earlier : mapping
        Keys of earlier versions, with what they are called now.
    defaults : mapping
        Values of the keys that a file need not have.
    """

    kind: type[ExcitingMotion]
    make: Callable[..., ExcitingMotion]
    description: str
    keys: Mapping[str, tuple[Any, str]]
    earlier: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, float] = field(default_factory=dict)


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
    layout = family_module(family).LAYOUT
    text = (
        f'# {layout.description}\n'
        f'family: {family}\n'
        '# The joints, then the wheels; or the coordinates of the base: x y z phi theta psi.\n'
        f'names: {_flow(list(plan.names))}'
    )
    for key, (_, description) in layout.keys.items():
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
        family = checked(Literal[_written()], given.get('family', 'cycloids'), source, ('family',))
        layout = family_module(family).LAYOUT
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
    layout = family_module(family).LAYOUT
    names = {'family': (str, 'Family of the motion.'), 'names': (_NAMES, 'Actuators.')}
    needed = layout.keys.keys() - layout.defaults.keys()
    return keys(layout.description, names | dict(layout.keys), 'names', *needed)


def _written() -> tuple[str, ...]:
    """Return the families whose motions stand in files."""
    names = (each for each in family_names() if each != FamilyName.AUTOMATIC.value)
    return tuple(each for each in names if family_module(each).LAYOUT is not None)


def _family_of(plan: ExcitingMotion) -> str:
    for family in _written():
        if isinstance(plan, family_module(family).LAYOUT.kind):
            return family
    raise PlanningError(f'{type(plan).__name__}: this motion cannot be written to a file')


def _named_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError('one is there twice')
    return names


_NAMES = Annotated[tuple[str, ...], Len(1), AfterValidator(_named_once)]


def _flow(values: list) -> str:
    return yaml.safe_dump(values, default_flow_style=True, width=float('inf'))

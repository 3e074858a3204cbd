"""Kinds of values in files, as annotations that pydantic knows: strict, and within bounds.

Dataclasses of any room have them as the types of their fields; ``yaml_file`` reads them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Gt, Interval, Len
import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    AllowInfNan,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    TypeAdapter,
)
from pydantic_core import core_schema, CoreSchema
from typing_extensions import is_typeddict, Required, TypedDict

_KNOWN_KEYS_ALONE = ConfigDict(extra='forbid')
"""Configuration of what is read that has none of its own."""


@cache
def type_adapter(kind: Any) -> TypeAdapter:  # noqa: ANN401
    """Return what reads and writes a type; unknown keys are errors."""
    has_own = is_dataclass(kind) or is_typeddict(kind)
    if has_own and not hasattr(kind, '__pydantic_config__'):
        kind.__pydantic_config__ = _KNOWN_KEYS_ALONE
    return TypeAdapter(kind, config=None if has_own else _KNOWN_KEYS_ALONE)


class KeyedError(ValueError):
    """A value that makes no sense beside others.

    Parameters
    ----------
    path : tuple
        Keys and numbers of entries that lead to it within what is checked.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        super().__init__(reason)
        self.path = path


@dataclass(frozen=True)
class ReadFrom:
    """Annotation of a value that a file gives as one of another type.

    Parameters
    ----------
    kind : type
        Type in the file.
    make : callable
        Returns the value; raises ValueError if there is none.
    back : callable, optional
        Returns what is written of the value, of the type in the file.
    """

    kind: Any
    make: Callable[[Any], Any]
    back: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return what reads it."""
        inner = handler.generate_schema(self.kind)
        written = self.back and core_schema.plain_serializer_function_ser_schema(
            self.back, return_schema=inner
        )
        return core_schema.no_info_after_validator_function(
            self.make, inner, serialization=written
        )


class _Given:
    """Annotation of what is None if a file has no such key; the key has a value."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return what reads the value."""
        return handler(source)['schema']


class _Whole:
    """Annotation of a whole number, ``1e3`` among them, that no text stands for."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return what reads it."""
        inner = {**handler(source), 'strict': True}
        return core_schema.no_info_before_validator_function(_as_int, inner)


def _as_int(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def described(kind: Any, text: str) -> Any:  # noqa: ANN401
    """Return a kind of value with a description."""
    if isinstance(kind, ReadFrom):
        kind = Annotated[Any, kind]
    return Annotated[kind, Field(description=text)]


def keys(text: str, known: Mapping[str, tuple[Any, str]], *required: str) -> Any:  # noqa: ANN401
    """Return the kind of a mapping with known keys, which is read as a dictionary.

    Parameters
    ----------
    text : str
        Description.
    known : mapping of str to tuple
        Kind and description of each value.
    *required : str
        Keys that must be there.
    """
    kinds = {key: described(*each) for key, each in known.items()}
    fields = {key: Required[each] if key in required else each for key, each in kinds.items()}
    made = TypedDict('Keys', fields, total=False)
    made.__doc__ = text
    return made


def _number(value: float) -> float:
    if np.isnan(value):
        raise ValueError('must be a number, got nan')
    return value


def _direction(vector: tuple[float, ...]) -> NDArray[np.float64]:
    if not any(vector):
        raise ValueError('a direction must not be zero')
    return np.array(vector)


def _unit_vector(vector: tuple[float, ...]) -> NDArray[np.float64]:
    return _direction(vector) / np.linalg.norm(vector)


T = TypeVar('T')

Maybe = Annotated[T | None, _Given()]
"""What may be left out."""

WHOLE = _Whole()
"""Annotation of whole numbers."""

Flag = Annotated[bool, Strict()]
"""True or false."""

Number = Annotated[float, Strict(), AfterValidator(_number)]
"""A number, infinite perhaps."""

Positive = Annotated[float, Strict(), Gt(0.0)]
"""A number above zero, infinite perhaps."""

Finite = Annotated[float, Strict(), AllowInfNan(False)]
"""A finite number."""

FinitePositive = Annotated[Finite, Gt(0.0)]
"""A finite number above zero."""

NotNegative = Annotated[Finite, Ge(0.0)]
"""A finite number that is zero or above."""

Share = Annotated[Finite, Interval(ge=0.0, le=1.0)]
"""A number from 0 to 1."""

Vector = Annotated[tuple[Finite, ...], Len(3, 3)]
"""Three finite numbers."""

Array = Annotated[NDArray[np.float64], ReadFrom(Vector, np.array)]
"""Three finite numbers, shape (3,)."""

Direction = Annotated[NDArray[np.float64], ReadFrom(Vector, _direction)]
"""Three finite numbers that are not all zero, shape (3,)."""

UnitVector = Annotated[NDArray[np.float64], ReadFrom(Vector, _unit_vector)]
"""Such a direction, made of unit length, shape (3,)."""

"""On-board identification of the inertial parameters of a free-flying or free-floating robot.

``import spacerobot_id as sid`` is light; ``sid.load_robot``, ``sid.identify``, ``sid.plan``,
``sid.simulate``, ``sid.minimal_parameters`` and ``sid.momentum_regressor`` load what they need.
"""

import ctypes
from importlib import import_module
from importlib.util import find_spec
import os

__version__ = '1.0.0'

_OFFERED = {
    'identify': 'api',
    'plan': 'api',
    'simulate': 'api',
    'load_robot': 'model',
    'minimal_parameters': 'regressor',
    'momentum_regressor': 'regressor',
}
"""What the package offers by itself, and the modules that have it."""

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""

_KEPT, _LARGE = 1 << 29, 1 << 25
"""Memory that is not given back, and size from which an array is kept apart, bytes."""


def __getattr__(name: str) -> object:
    """Return what the package offers by itself."""
    if name not in _OFFERED:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(import_module(f'{__name__}.{_OFFERED[name]}'), name)


def __dir__() -> list[str]:
    """Return the names that there are, for completion."""
    return sorted({*globals(), *_OFFERED})


def limit_threads() -> None:
    """Have small matrices multiplied by one thread, unless the environment is set otherwise.

    They gain nothing from more, and lose much where other work shares the processors. Nodes and
    commands alike begin with this, before numpy is imported.
    """
    for library in _LIBRARIES:
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')


def keep_memory() -> None:
    """Have the C library keep memory for the next array, unless the environment is set otherwise.

    Given back after each, it is taken and cleared page by page again, which may take longer than
    what is computed (``benchmarks/regressor.py``). Commands, which end soon, begin with this;
    other C libraries have no such choice.
    """
    choose = getattr(ctypes.CDLL(None), 'mallopt', None)
    if choose is not None and not any(name.startswith('MALLOC_') for name in os.environ):
        choose(_TRIM_THRESHOLD, _KEPT)
        choose(_MMAP_THRESHOLD, _LARGE)


def need_pydantic() -> None:
    """End the process with a sentence where pydantic 2 is missing: Ubuntu 24.04 packages 1.10."""
    if find_spec('pydantic_core') is None:  # which the first has not
        raise SystemExit("spacerobot_id needs pydantic 2: pip install 'pydantic>=2.10'")

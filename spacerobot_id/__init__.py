"""On-board identification of the inertial parameters of a free-flying or free-floating robot."""

import os

__version__ = '1.0.0'

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')


def limit_threads() -> None:
    """Have small matrices multiplied by one thread, unless the environment says otherwise.

    They gain nothing from more, and lose much where other work shares the processors. Nodes and
    commands alike begin with this, before numpy is imported.
    """
    for library in _LIBRARIES:
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')

"""How many threads libraries of linear algebra may use: set before numpy is imported."""

import os

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')


def limit_threads() -> None:
    """Have small matrices multiplied by one thread, unless the environment says otherwise.

    They gain nothing from more, and lose much where other work shares the processors: several
    times the processor time, spent waiting. Nodes and commands alike begin with this.
    """
    for library in _LIBRARIES:
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')

"""Compiling of sequential kernels, with a cache on disk that cannot be stale.

numba's own cache looks at the file of a function alone: after a change of what the function
calls in other files it would run the old code. Here the folder of the cache is named by the
contents of this folder and of the sources of the function's own package that have kernels.
"""

from collections.abc import Callable
from functools import cache
import hashlib
import os
from pathlib import Path
import re
import tempfile

import numba

OPTIONS = {'nogil': True, 'error_model': 'numpy'}
"""How everything is compiled: free of the interpreter's lock, dividing as numpy does."""

_KERNELS = Path(__file__).parent
_ROOT = _KERNELS.parents[1]

_IMPORTED = re.compile(rb'^from spacerobot_id\.(?:\w+\.)*(\w+)\.(\w+) import', re.MULTILINE)
"""What a module imports from: folder and module."""


def compiled(function: Callable) -> Callable:
    """Return a function that numba compiles at its first call, and keeps on disk if it can.

    Parameters
    ----------
    function : callable
        Function of a module; of compiled ones it may call those of its own package and of this.

    Returns
    -------
    callable
        The compiled function. Where no folder can be written, every process compiles it itself.
    """
    source = Path(function.__code__.co_filename)
    folder = _cache_folder(_package(source)) if source.is_file() else None  # it may be zipped
    if folder is None:
        return numba.njit(**OPTIONS)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before


def compiled_part(function: Callable) -> Callable:
    """Return a function for compiled ones to call; Python itself cannot call what it becomes."""
    # Wrappers for Python would take as long to compile as the functions.
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)(function)


@cache
def _cache_folder(package: Path) -> Path | None:
    """Return a folder that can be written: the user's choice, beside the source, at home."""
    home = os.environ.get('XDG_CACHE_HOME') or Path('~/.cache').expanduser()
    chosen = os.environ.get('NUMBA_CACHE_DIR')
    choices = [chosen] if chosen else [package / '__pycache__', Path(home) / 'spacerobot_id']
    for choice in choices:
        folder = Path(choice) / f'numba-{_digest(package)}'
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _package(source: Path) -> Path:
    """Return the folder of a module's whole package: one level below the library."""
    inside = source.is_relative_to(_ROOT) and source.parent != _ROOT
    return _ROOT / source.relative_to(_ROOT).parts[0] if inside else source.parent


def _digest(package: Path) -> str:
    """Return what names the contents of all sources that compiled code may come from.

    Those are all kernels here, the modules of the package that have some, and of its modules
    those that these import: layouts of their arrays, constants.
    """
    sources = {
        (path.parent.name.encode(), path.stem.encode()): path.read_bytes()
        for path in package.rglob('*.py')
    }
    kernels = {name for name, source in sources.items() if b'kernels.compiled import' in source}
    imported = {name for each in kernels for name in _IMPORTED.findall(sources[each])}
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.glob('*.py')):
        digest.update(path.read_bytes())
    for name in sorted(kernels | imported & sources.keys()):
        digest.update(sources[name])
    return digest.hexdigest()[:16]

"""Files that come with the package, wherever it is installed."""

from collections.abc import Iterator
import os
from pathlib import Path
import sys

from spacerobot_id.exceptions import ConfigurationError

_PACKAGE = 'spacerobot_id'


def shipped_file(relative: str) -> Path:
    """Return the path of a file of the package's share folder.

    Parameters
    ----------
    relative : str
        Path within the folder, for instance ``config/robots/servicer.urdf``.

    Raises
    ------
    ConfigurationError
        If there is no such file in the checkout, under the prefix of a colcon or pip
        installation, or in a prefix that ``AMENT_PREFIX_PATH`` names.
    """
    for folder in _share_folders():
        path = folder / relative
        if path.is_file():
            return path
    raise ConfigurationError(f'{relative}: is not among the files of {_PACKAGE}')


def shipped_names(folder: str) -> tuple[str, ...]:
    """Return the names of the YAML files in a folder of the package's share folder."""
    for share in _share_folders():
        if (share / folder).is_dir():
            return tuple(sorted(each.stem for each in (share / folder).glob('*.yaml')))
    return ()


def file_or_shipped(name: str | Path, folder: str, what: str) -> Path:
    """Return a file, or the YAML file of that name that comes with the package.

    Parameters
    ----------
    name : str or Path
        File, or the name of one of the folder, without its ending.
    folder : str
        Path within the share folder, for instance ``config/adapters``.
    what : str
        What it is, as errors name it.

    Raises
    ------
    ConfigurationError
        If there is neither.
    """
    path = Path(name)
    if path.is_file():
        return path
    known = shipped_names(folder)
    if path.stem not in known:
        raise ConfigurationError(f'{what}: {name} is neither a file nor one of {", ".join(known)}')
    return shipped_file(f'{folder}/{path.stem}.yaml')


def _share_folders() -> Iterator[Path]:
    """Yield the places that shipped files may be in, the nearest first."""
    here = Path(__file__).resolve()
    yield here.parents[2]
    for prefix in here.parents:
        yield prefix / 'share' / _PACKAGE
    yield Path(sys.prefix) / 'share' / _PACKAGE
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            yield Path(prefix) / 'share' / _PACKAGE

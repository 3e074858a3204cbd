"""Studies: published results computed again, and flights of a plan without ROS.

A study is imported when it is run, see ``study``; nodes import none.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacerobot_id.lab.papers.comparison import Reproduction

STUDIES = ('christidi', 'ekal', 'jain', 'naveen', 'wilde')
"""Names of the studies: each has a folder, whose module ``reproduction`` has ``reproduce``."""


def study(name: str) -> 'Callable[[Path], Reproduction]':
    """Return what takes a folder for its pictures and gives a result.

    Parameters
    ----------
    name : str
        One of ``STUDIES``.
    """
    return import_module(f'{__name__}.{name}.reproduction').reproduce

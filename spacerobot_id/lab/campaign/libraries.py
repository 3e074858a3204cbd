"""The optional libraries of campaigns, or how to install them."""

from importlib import import_module
from types import ModuleType

from spacerobot_id.exceptions import ConfigurationError

INSTALL = "pip install 'spacerobot_id[lab]'"


def library(name: str) -> ModuleType:
    """Return a module of an optional library.

    Raises
    ------
    ConfigurationError
        If it is not installed; the message has the command that installs it.
    """
    try:
        return import_module(name)
    except ImportError:
        package = name.partition('.')[0]
        raise ConfigurationError(
            f'campaigns need {package}, which is not installed: {INSTALL}, '
            "or pip install 'dask[distributed]' pyarrow bokeh"
        ) from None

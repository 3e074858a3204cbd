"""Descriptions written with xacro, the macro language of URDF, expanded."""

from pathlib import Path

from spacerobot_id.model.description.description import Place


def expand_macros(path: Path) -> str:
    """Return the text of a file with its macros expanded.

    Parameters
    ----------
    path : Path
        File in which macros may include other files.

    Raises
    ------
    DescriptionError
        If xacro is not installed, or cannot expand them; gives its reason.
    """
    place = Place(str(path), 'xacro')
    try:
        import xacro
    except ImportError:
        raise place.error(
            'its macros cannot be expanded without the Python module xacro: pip install xacro, or '
            'the package ros-$ROS_DISTRO-xacro'
        ) from None
    try:
        return str(xacro.process_file(str(path)).toxml())
    except Exception as error:  # whatever an expression of the file raises
        raise place.error(f'its macros cannot be expanded: {_sentence(error)}') from error


def _sentence(error: BaseException) -> str:
    """Return an error in one line; those of missing packages have nothing but a name."""
    text = ' '.join(str(error).split())
    if type(error).__name__ == 'PackageNotFoundError':
        return f'the package {text} is not found'
    return text or type(error).__name__

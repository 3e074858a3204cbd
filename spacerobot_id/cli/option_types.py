"""Kinds of options: numbers, and places for what is written, which are checked before the work.

argparse names the option of a bad one; the exit code is 2.
"""

import argparse
from pathlib import Path
import sys

from spacerobot_id.whole_file import unwritable, unwritable_folder

_TINY, _HUGE = sys.float_info.min, sys.float_info.max


def seed(text: str) -> int:
    """Return the seed of a random generator."""
    return _number(text, int, 0, None, 'a whole number from 0 on')


def holdout(text: str) -> float:
    """Return the share of a log that is held out."""
    return _number(text, float, 0.0, 0.9, 'between 0 and 0.9')


def above_zero(text: str) -> float:
    """Return a number above zero that is not infinite."""
    return _number(text, float, _TINY, _HUGE, 'a number above zero')


def output_file(text: str) -> Path:
    """Return the path of a file to write, in a folder that is there or can be made."""
    if fault := unwritable(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def output_folder(text: str) -> Path:
    """Return the path of a folder to write to, which is there or can be made."""
    if fault := unwritable_folder(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def _number(
    text: str, kind: type, least: float, most: float | None, description: str
) -> int | float:
    """Return a number within its bounds."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not value >= least or (most is not None and value > most):
        raise argparse.ArgumentTypeError(f'{text!r} is not {description}')
    return value

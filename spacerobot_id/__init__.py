"""On-board identification of the inertial parameters of a free-flying or free-floating robot."""

__version__ = '1.0.0'

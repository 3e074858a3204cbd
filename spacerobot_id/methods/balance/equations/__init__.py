"""Equations of a flight, linear about a trajectory, and the kernels that eliminate its states."""

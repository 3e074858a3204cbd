"""Compiled kernels: sequential algorithms for one state at a time."""

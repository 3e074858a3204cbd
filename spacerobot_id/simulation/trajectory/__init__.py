"""Trajectories: which are refused, and the motion between their points."""

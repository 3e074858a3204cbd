"""Exciting trajectories: motions, plans, their files, approach and stop."""

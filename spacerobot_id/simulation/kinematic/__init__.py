"""Simulation of a robot whose joints and wheels follow trajectories exactly."""

"""Sensors of a simulated robot, and how their streams are delivered."""

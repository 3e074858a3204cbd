"""Simulation of a robot whose motors give torques: forward dynamics under control and drives."""

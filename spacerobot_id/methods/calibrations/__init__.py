"""Calibrations: errors of sensors and geometry as unknowns of a method, a small file each."""

"""Families of motions: their parameters, positions, rates and accelerations."""

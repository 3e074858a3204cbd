"""Hostile input for everything that the package reads: what may come of it is a clear error."""

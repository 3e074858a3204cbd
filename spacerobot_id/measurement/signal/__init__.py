"""Samples of a signal: interpolated, differentiated, fitted by series."""

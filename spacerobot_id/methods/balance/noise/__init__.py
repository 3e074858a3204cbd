"""Sizes of process and reading noise, found from the data, and how far flights scatter."""

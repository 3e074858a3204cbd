"""Estimation with local states: eliminated segment by segment, live and from logs."""

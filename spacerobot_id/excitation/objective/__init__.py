"""Objectives of planning: what a motion shows of the parameters."""

"""Whole missions for a long time, with nodes that are killed and started again."""

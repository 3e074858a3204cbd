"""The node ``simulator``."""

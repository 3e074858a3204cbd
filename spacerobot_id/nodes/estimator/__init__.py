"""The node ``estimator``."""

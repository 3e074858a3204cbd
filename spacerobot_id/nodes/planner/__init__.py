"""The node ``planner``."""

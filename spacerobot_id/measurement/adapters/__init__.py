"""Adapters: how the messages of a test bed become readings, from one declarative YAML file."""

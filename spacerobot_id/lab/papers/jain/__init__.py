"""The algorithms of [Jain 1995] against each other."""

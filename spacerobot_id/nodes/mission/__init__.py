"""Clients of the nodes: what mission software does with them."""

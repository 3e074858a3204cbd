"""Monitors of sensor streams: what contradicts itself or other streams."""

"""Flights of a free-flyer without joints that tracks a pose."""

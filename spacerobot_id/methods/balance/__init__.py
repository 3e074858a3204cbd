"""Momentum balance: a robot under known wrenches, its states along the flight fitted with it."""

"""Constraints of planning: limits of actuators, base, space and torque."""

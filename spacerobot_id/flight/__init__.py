"""Flights of a plan, with perfect and with noisy sensors, without ROS."""

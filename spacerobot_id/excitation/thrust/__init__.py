"""Firing of thrusters beside the motion of joints: pulses drawn at random, kept in a box."""

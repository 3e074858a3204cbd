"""What thrusters and wrenches are asked for, and what they give."""

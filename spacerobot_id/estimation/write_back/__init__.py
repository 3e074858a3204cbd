"""What of an estimate goes to other software, and how that wants it."""

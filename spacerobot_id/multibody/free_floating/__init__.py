"""Free-floating robots: joint-space dynamics with the base eliminated."""

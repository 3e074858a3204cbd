"""Joint states on their way: of several drivers, with turns, glitches and wheels without rates."""

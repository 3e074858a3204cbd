"""Search for the best motion of a family within its constraints."""

"""Further parts of a result: bodies, combinations of parameters, and how it was made."""

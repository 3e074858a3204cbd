"""What else a result says: of bodies, of combinations of parameters, and of its making."""

"""Forward dynamics of trees, and the quantities of its recursions."""

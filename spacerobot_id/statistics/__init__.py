"""Statistics without robots: what is known of unknowns, as square-root information."""

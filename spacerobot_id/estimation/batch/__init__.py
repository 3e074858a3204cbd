"""The fit of a whole log at once: Gauss-Newton, outliers, noise, causes."""

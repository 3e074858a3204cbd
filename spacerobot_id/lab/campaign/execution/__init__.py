"""Execution of a campaign: serially or on Dask, until all is decided or the budget is spent."""

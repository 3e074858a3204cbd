"""The table of runs and the folder that keeps it, through whatever ends the process."""

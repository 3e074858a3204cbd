"""Analysis of the table of a campaign: verdicts, calibration of the method, sensitivities."""

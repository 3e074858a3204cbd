"""What the table of a campaign says: verdicts, calibration of the method, sensitivities."""

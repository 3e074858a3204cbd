"""What is never on board: campaigns, papers computed again, faults put into logs."""

"""Multiple shooting: a body and its states along a flight, fitted to measured poses."""

"""Values from messages, and messages from values."""

"""The study of [Ekal 2019]."""

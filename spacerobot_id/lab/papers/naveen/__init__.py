"""The experiment of [Naveen 2024]."""

"""The experiment of [Christidi 2017]."""

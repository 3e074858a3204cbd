"""The simulations of [Wilde 2018]."""

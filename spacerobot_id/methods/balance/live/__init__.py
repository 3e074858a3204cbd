"""Momentum balance live: latest seconds at once, the past as a border, bodies that come or go."""

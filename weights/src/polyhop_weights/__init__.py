"""Weights of Polyhop's own small models. Polyhop finds this package without importing it."""

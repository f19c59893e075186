"""Paths: passages that a link joins, judged together."""

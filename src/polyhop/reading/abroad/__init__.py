"""Answers in other languages than English."""

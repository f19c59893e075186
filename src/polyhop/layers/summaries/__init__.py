"""Summaries of several texts, by their own sentences or by a language model."""

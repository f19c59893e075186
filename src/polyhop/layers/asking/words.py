"""Closed classes of words, written as one text."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text that are separated by white space."""
    return frozenset(words.split())

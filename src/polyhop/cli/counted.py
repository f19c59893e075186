"""Numbers with what they count, as all of Polyhop writes them."""

from polyhop.english.numbers import counted, one

__all__ = ["counted", "one"]

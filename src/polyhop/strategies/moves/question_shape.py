"""The shape of questions, for strategies: how a question's words and names are read (see polyhop.reading)."""

from polyhop.reading.question_shape import Word, Words, mentions, read_words, render, split_options

__all__ = ["Word", "Words", "mentions", "read_words", "render", "split_options"]

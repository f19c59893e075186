"""The text layer: vectors, words and titles of passages."""

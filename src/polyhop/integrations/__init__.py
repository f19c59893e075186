"""Polyhop as a part of other libraries: each file needs the extra that is named after it."""

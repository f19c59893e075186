"""The parsekg layer: sentences between named entities."""

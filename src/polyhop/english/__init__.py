"""What every room knows of English: its closed classes of words, dates, names, relations, and how it asks."""

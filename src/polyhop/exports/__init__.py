"""The graph of an index as a file for other programs, or as a page to look at."""

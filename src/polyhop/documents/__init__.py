"""From files to documents to passages."""

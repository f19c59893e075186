"""What a question is taken apart into, and who does it."""

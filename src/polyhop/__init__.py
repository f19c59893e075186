"""Polyhop answers questions whose answer is spread over several documents, and shows every hop."""

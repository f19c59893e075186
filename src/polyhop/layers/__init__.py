"""What is derived from passages: extract makes rows, gather makes them searchable."""

"""The tree layer: summaries of passages, and of summaries."""

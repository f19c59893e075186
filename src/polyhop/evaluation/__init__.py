"""The bench: data sets, metrics, experiments and their reports."""

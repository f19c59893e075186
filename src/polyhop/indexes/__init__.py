"""Searchable structures over arrays; derived, memory-mapped, disposable. They know nothing of layers or models."""

"""KG-Translator: a small model that may only say what the corpus says."""

"""One strategy a file: a question and layers in, evidence out."""

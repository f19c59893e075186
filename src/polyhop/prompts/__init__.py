"""One file for each thing we ask a language model: its prompt, schema, parse and repair."""

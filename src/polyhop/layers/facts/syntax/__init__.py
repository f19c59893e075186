"""Facts from grammar: the triples that the stored parse of a passage states, without a language model."""

"""The facts layer: triples that passages state, and the graph that they make."""

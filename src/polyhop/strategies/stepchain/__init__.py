"""StepChain: a graph that grows with the steps of a question."""

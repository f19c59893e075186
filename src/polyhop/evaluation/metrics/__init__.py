"""One metric a file: a pure function with its source, and the component that applies it to a question's outcome."""

"""QCG-RAG: a graph of generated questions."""

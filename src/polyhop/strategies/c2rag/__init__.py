"""C2RAG: atomic constraints, checked for sufficiency one by one."""

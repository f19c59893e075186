"""Moves that strategies share: decompose, fuse, link, rerank, beam search."""

"""Polyhop over HTTP: one service for answers, documents and graphs, each of them a router of its own."""

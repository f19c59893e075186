"""Answers read out of conversations: who said what to whom, and when."""

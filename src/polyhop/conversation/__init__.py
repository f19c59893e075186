"""Questions that follow others: a thread of what was asked, and what a follow-up question means on its own."""

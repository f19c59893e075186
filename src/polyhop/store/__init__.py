"""The system of record: documents, passages, the rows of every layer, and the ledger that says how they were made."""

"""Training of our small models: rows to windows, a loop that resumes, heads on one encoder, and the export."""

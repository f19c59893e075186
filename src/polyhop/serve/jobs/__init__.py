"""Work that takes longer than a request: a queue that survives a kill, and a process beside the server that works."""

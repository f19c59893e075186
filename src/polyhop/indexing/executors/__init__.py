"""Where pure extraction runs: this process, worker processes, or a cluster."""

"""Where pure extraction runs: this process, or worker processes."""

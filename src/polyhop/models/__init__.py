"""Models behind the ports: embedded ones that work offline, and clients of endpoints."""

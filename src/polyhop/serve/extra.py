"""What serving needs beyond Polyhop itself."""

from __future__ import annotations

from polyhop.extras import check_installed

NEEDED = ("fastapi", "mcp", "prometheus_client", "python_multipart", "uvicorn")


def check_extra() -> None:
    """Look whether the extra ``server`` is installed, without loading it. Raises UsageError."""
    check_installed("server", NEEDED, doing="Serving")

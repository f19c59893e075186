"""What serving needs beyond Polyhop itself, and what to say where it is not installed."""

from __future__ import annotations

import importlib.util

from polyhop.errors import UsageError

NEEDED = ("fastapi", "mcp", "prometheus_client", "python_multipart", "uvicorn")


def check_extra() -> None:
    """Look whether the extra ``server`` is installed, without loading it. Raises UsageError."""
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        raise UsageError(
            f"Serving needs the extra 'server', and {' and '.join(lacking)} cannot be found.",
            remedy="Install it with: pip install 'polyhop[server]'",
        )

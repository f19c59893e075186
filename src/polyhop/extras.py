"""Whether the libraries of an extra are installed, and what to say where they are not."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from polyhop.errors import PolyhopError, UsageError


def check_installed(extra: str, needed: Sequence[str], *, doing: str, error: type[PolyhopError] = UsageError) -> None:
    """Look for libraries without loading them; ``doing`` is what they are for. Raises the error."""
    lacking = [name for name in needed if importlib.util.find_spec(name) is None]
    if lacking:
        raise error(
            f"{doing} needs the extra {extra!r}, and {' and '.join(lacking)} cannot be found.",
            remedy=f"Install it with: pip install 'polyhop[{extra}]'",
        )

"""Files of a model that are an object in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from polyhop.errors import ModelError, ModelMissing


def json_of(path: Path, without: str | None = None) -> dict[str, Any]:
    """What a file says; nothing where it may be missing and is.

    ``without``: what to do where it is missing; none: it may be. Raises ModelMissing, ModelError.
    """
    if not path.is_file():
        if without is None:
            return {}
        raise ModelMissing(f"{path.parent} has no {path.name}.", remedy=without)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: {error}.", remedy="Copy or download it again.") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path} is no object in JSON.", remedy="Copy or download it again.")
    return content

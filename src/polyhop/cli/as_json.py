"""What ``--json`` prints: ``to_dict`` of what the library hands back."""

from __future__ import annotations

import json
import sys
from typing import Any

from polyhop.cli.terminal import echo, json_safe


def tell_json(content: Any) -> None:
    """Print JSON for people and programs: readable where standard output can show every letter, else escaped."""
    encoding = getattr(sys.stdout, "encoding", None)  # there is no standard output where somebody closed it
    shows_all = (encoding or "").lower().replace("_", "-") in ("utf-8", "utf8")
    echo(json_safe(json.dumps(content, ensure_ascii=not shows_all, indent=2)))

"""A logbook of landings, and a language model that reads who landed where."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.worlds.endpoint import Played, says

ROWS = 40  # passages: ten calls of four each, two at once, so that eight make a chunk
CALL = {"prompt_tokens": 600, "completion_tokens": 400}  # what each call takes


def shown_in(request: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Number, title and text of the passages that a request shows."""
    pattern = r"<<<PASSAGE (\d+) [0-9a-f]+>>>\nTitle: (.*)\n\n(.*)\n"
    return re.findall(pattern, request["messages"][1]["content"])


def knowing(request: Mapping[str, Any]) -> Played:
    """Who landed where, as each passage says."""
    facts = []
    for number, _, text in shown_in(request):
        head, tail = re.fullmatch(r"(.*) landed at (.*) on day \d+\.", text).groups()  # type: ignore[union-attr]
        fact = {"passage": int(number), "head": head, "relation": "landed at", "tail": tail, "evidence": text}
        facts.append(fact)
    return says(json.dumps({"facts": facts}), usage=CALL)

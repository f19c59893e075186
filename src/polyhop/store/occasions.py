"""Occasions of passages in the record: beside the metadata of their document, under a key that no loader may use.

So the format of the record stays what it was, and a record without any is read like one that has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from polyhop.types import Occasion, Passage

KEY: Final = "polyhop:occasions"
PATH: Final = f'$."{KEY}"."'
"""Where the metadata of a document has the occasion of a passage: a path of SQL up to the passage's ordinal."""


def joined(metadata: Mapping[str, str], passages: Sequence[Passage]) -> str:
    """The metadata of a document with the occasions of its passages, as JSON."""
    occasions = {
        str(passage.ordinal): {name: value for name, value in asdict(passage.occasion).items() if value}
        for passage in passages
        if passage.occasion is not None
    }
    return json.dumps({**metadata, KEY: occasions} if occasions else dict(metadata), sort_keys=True)


def parted(stored: str) -> dict[str, str]:
    """The metadata of a document, without occasions."""
    metadata: dict[str, Any] = json.loads(stored)
    metadata.pop(KEY, None)
    return metadata


def occasion_of(stored: str | None) -> Occasion | None:
    """The occasion of a passage as JSON has it, None where it has none."""
    return None if stored is None else Occasion(**json.loads(stored))

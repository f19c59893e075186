"""What the language models of a layer have cost since the index was made, noted in its record."""

from __future__ import annotations

import json
from dataclasses import asdict

from polyhop.store.record import Record
from polyhop.types import Cost


def spent_on(record: Record, layer: str) -> Cost:
    """What a layer's language models have cost in all runs, and for all questions, since the index was made."""
    return Cost(**json.loads(record.meta(f"cost:{layer}") or "{}"))


def note_spent(record: Record, layer: str, total: Cost) -> None:
    """Note what they have cost by now, in all."""
    record.set_meta(f"cost:{layer}", json.dumps(asdict(total)))

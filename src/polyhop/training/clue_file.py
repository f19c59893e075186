"""Clues as a file: made once for a run, and in the form in which other trainers read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from polyhop.errors import ModelError
from polyhop.strategies.translator.translate import INSTRUCTION, TRIPLES_INSTRUCTION
from polyhop.training.asked_passages import AskedPassage
from polyhop.training.clues import TaughtClue
from polyhop.training.extra import kept_in

MADE: Final = "clues.jsonl"


def write_clues(path: Path, made_from: Mapping[str, Any], clues: Sequence[TaughtClue]) -> None:
    """Keep clues with what they were made from; all of them, or none. Raises StorageFull."""
    lines = [json.dumps({"made_from": made_from, "clues": len(clues)}), *(json.dumps(asdict(clue)) for clue in clues)]
    _write(path, "\n".join(lines) + "\n")


def read_clues(path: Path, made_from: Mapping[str, Any]) -> list[TaughtClue] | None:
    """The clues that a run made before; None where there are none, or they were made from something else.

    Raises ModelError where the file is damaged.
    """
    if not path.is_file():
        return None
    try:
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        described = json.loads(head)
        if described["made_from"] != made_from or described["clues"] != len(lines):
            return None
        return [_clue(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"The clues in {path} are damaged: {error}.", remedy="Delete the file.") from error


def _clue(fields: Mapping[str, Any]) -> TaughtClue:
    row = AskedPassage(**fields["row"])
    return TaughtClue(**{**fields, "row": row, "tokens": tuple(fields["tokens"])})


def write_alpaca(path: Path, clues: Iterable[TaughtClue]) -> int:
    """Write clues as LLaMA-Factory reads them (its ``alpaca`` form, a JSON list); returns how many.

    The instruction is the system turn and the question the user's, as in inference. Those kept aside are left out.
    Raises StorageFull.
    """
    rows = [
        {
            "system": TRIPLES_INSTRUCTION if clue.tail else INSTRUCTION,
            "instruction": clue.row.question,
            "input": "",
            "output": clue.said,
        }
        for clue in clues
        if not clue.row.aside
    ]
    _write(path, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return len(rows)


def _write(path: Path, text: str) -> None:
    with kept_in(path, "The clues") as file:
        file.write(text.encode())

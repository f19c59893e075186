"""What a run has found so far, kept as it comes, so that a kill costs one question and the same run goes on."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Self

from polyhop import registry
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import ClueOutcome, HopOutcome, Outcome, QuestionRecord
from polyhop.indexing.remembered import whole
from polyhop.models.weights import sha256_of
from polyhop.store import json_lines
from polyhop.store.record import Record as Index
from polyhop.store.whole_file import whole_file
from polyhop.types import Cost

logger = logging.getLogger(__name__)

FOLDER: Final = "evaluations"  # in that of the index
KEPT: Final = 30 * 86_400.0  # seconds since its last outcome, after which nobody goes on with a run
DECIDING: Final = ("dataset", "settings", "models", "versions")  # parts of a manifest that every outcome depends on
DECIDING_OF_EXPERIMENT: Final = ("budget", "retrieval_only", "extra_metrics")


class Unfinished:
    """Records by strategy and question, in a file of JSON lines that they are removed from when their run has ended.

    Errors are not kept: such a question is asked again.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        rows = [row for row in json_lines.read(file) if isinstance(row, dict)]
        self._rows = {(row.get("strategy"), row.get("question")): row for row in rows}

    @classmethod
    def of(cls, index: Path, manifest: Mapping[str, Any]) -> Self:
        """Those of one experiment on the index in a folder, as it is now.

        Which strategies and questions there are, and the seed, change no outcome: a run with other ones goes on, too.
        """
        deciding = {name: manifest[name] for name in DECIDING} | {"run": manifest.get("run", 0)}
        deciding |= {name: manifest["experiment"][name] for name in DECIDING_OF_EXPERIMENT}
        if manifest.get("recorded"):  # what was asked without a recording is not in it
            deciding["recorded"] = manifest["recorded"]
        files = [*_code(), *_named_in(manifest["settings"]), *sorted((index / "overlays").glob("*"))]
        content = [deciding, _generations(index), [sha256_of(file) for file in files]]
        mark = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
        _forget(index / FOLDER)
        return cls(index / FOLDER / f"{mark}.jsonl")

    def __len__(self) -> int:
        return len(self._rows)

    def record(self, strategy: str, question: Question) -> QuestionRecord | None:
        """What is known of a question, None where it has to be asked."""
        row = self._rows.get((strategy, question.id))
        try:
            return None if row is None else _record(question, row)
        except (TypeError, LookupError, AttributeError) as error:
            logger.warning(
                "%s: a record of question %s is damaged (%s); it is asked again", strategy, question.id, error
            )
            return None

    def add(self, strategy: str, record: QuestionRecord) -> None:
        """Keep a record; where it cannot be written, the run goes on without."""
        if record.outcome.error is not None:
            return
        row = {"strategy": strategy, "question": record.question.id, "outcome": asdict(record.outcome)}
        judging = None if record.judging is None else asdict(record.judging)
        try:
            json_lines.append(self._file, [{**row, "metrics": dict(record.metrics), "judging": judging}])
        except OSError as error:
            logger.warning("An outcome cannot be kept for a run that goes on: %s", error)

    def clear(self, records: Mapping[str, Sequence[QuestionRecord]]) -> None:
        """Let go of the records of a run that has ended, by strategy; what others have kept waits for them."""
        ended = {(strategy, record.question.id) for strategy, done in records.items() for record in done}
        rows = [row for row in json_lines.read(self._file) if isinstance(row, dict)]
        left = [row for row in rows if (row.get("strategy"), row.get("question")) not in ended]
        try:
            if not left:
                self._file.unlink(missing_ok=True)
            elif len(left) < len(rows):
                with whole_file(self._file) as file:
                    file.write(json_lines.encoded(left))
        except OSError as error:
            logger.warning("Outcomes that are in a report now cannot be let go of: %s", error)


def _forget(folder: Path) -> None:
    """Let go of runs that nobody went on with: once the index or a setting has changed, none can."""
    for file in folder.glob("*.jsonl"):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > KEPT:
                file.unlink()


def _record(question: Question, row: Mapping[str, Any]) -> QuestionRecord:
    outcome, judging = dict(row["outcome"]), row["judging"]
    hops = tuple(_hop(hop) for hop in outcome["hops"])
    outcome |= {name: tuple(outcome[name]) for name in ("ranking", "texts", "quotations", "steps")}
    outcome |= {"cost": Cost(**outcome["cost"]), "hops": hops, "plan": tuple(map(tuple, outcome["plan"]))}
    return QuestionRecord(
        question=question,
        outcome=Outcome(**outcome),
        metrics=dict(row["metrics"]),
        judging=None if judging is None else Cost(**judging),
    )


def _hop(row: Mapping[str, Any]) -> HopOutcome:
    clues = tuple(ClueOutcome(**clue) for clue in row["clues"])
    return HopOutcome(**{**row, "passages": tuple(row["passages"]), "clues": clues})


def _generations(index: Path) -> list[str]:
    """What the layers serve, save those that grow with the questions of the run itself."""
    with Index.open(index) as record:
        return [f"{name} {record.generation(name)}" for name in whole(record)]


def _code() -> list[Path]:
    """The source of this package and of those that add to it: under development, a version has no number of its own."""
    return sorted(registry.sources())


def _named_in(settings: Mapping[str, Any]) -> Iterator[Path]:
    """The files that settings name, such as recorded plans."""
    for value in settings.values():
        if isinstance(value, Mapping):
            yield from _named_in(value)
        elif isinstance(value, str | Path) and os.path.isfile(value):  # noqa: PTH113 - Path.is_file raises for a long text
            yield Path(value)

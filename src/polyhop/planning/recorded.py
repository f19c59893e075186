"""Plans that were made before and recorded in a file, found again by their questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from polyhop.errors import UsageError
from polyhop.models.within import Within
from polyhop.planning.by_model import AsConstraints
from polyhop.planning.mending import mended
from polyhop.planning.rules.questions import with_questions
from polyhop.planning.soundness import usable
from polyhop.plans import Constant, Constraint, End, Placeholder, Plan, plan_of_constraints

SOURCE: Final = "recorded"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Finds the plan of a question in a file; a question that it lacks is planned as constraints, or by rules."""

    file: str  # of recorded plans, as JSON lines

    @cached_property
    def plans(self) -> RecordedPlans:
        """What the file holds, read once."""
        return RecordedPlans.read(Path(self.file))

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """The recorded plan, mended. Raises UsageError for a file that cannot be read, EndpointError."""
        found = self.plans.find(question)
        if found is None:
            return AsConstraints().plan(question, names, model)
        return plan_of_constraints(with_questions(mended(found, question).constraints), found.source)


@dataclass(frozen=True)
class RecordedPlans:
    """The recorded plans, by question; spacing and case make no difference."""

    plans: Mapping[str, Plan]

    @classmethod
    def read(cls, path: Path) -> RecordedPlans:
        """The plans of a JSONL file with rows such as the one below; of two for one question, the first counts.

        ``{"question": ..., "plan": [{"head": ..., "relation": ..., "relation_variants": [...], "tail": ...}]}``: an end
        that begins with a question mark is a placeholder, whose name tells its type. Constraints that mean nothing are
        left out, and so are plans of which nothing is left; whatever else is wrong with a plan is kept.

        Raises UsageError for a file that cannot be read, with the number of the line.
        """
        plans: dict[str, Plan] = {}
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeError) as error:
            raise UsageError(f"The plans in {path} cannot be read: {error}") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            question, plan = _row(line, f"{path}, line {number}")
            if plan.constraints:
                plans.setdefault(_key(question), plan)
        return cls(plans)

    def __len__(self) -> int:
        """How many questions have a plan."""
        return len(self.plans)

    def find(self, question: str) -> Plan | None:
        """The plan recorded for a question; None where there is none."""
        return self.plans.get(_key(question))


def _key(question: str) -> str:
    return " ".join(question.split()).casefold()


def _row(line: str, where: str) -> tuple[str, Plan]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: this is no JSON: {error}") from None
    if not (isinstance(row, dict) and isinstance(row.get("question"), str) and isinstance(row.get("plan"), list)):
        raise UsageError(f'{where}: a row needs a "question", which is text, and a "plan", which is a list.')
    read = [_constraint(item, where) for item in row["plan"]]
    return row["question"], plan_of_constraints(with_questions([one for one in read if usable(one)]), SOURCE)


def _constraint(item: Any, where: str) -> Constraint:
    if not (isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("head", "relation", "tail"))):
        raise UsageError(f'{where}: a constraint of a plan needs "head", "relation" and "tail", which are texts.')
    variants = item.get("relation_variants", [])
    if not (isinstance(variants, list) and all(isinstance(variant, str) for variant in variants)):
        raise UsageError(f'{where}: "relation_variants" must be a list of texts.')
    relation = " ".join(item["relation"].split())
    phrasings = tuple(dict.fromkeys(" ".join(text.split()) for text in (relation, *variants) if text.strip()))
    question = item.get("question", "")
    return Constraint(
        _end(item["head"]), relation, phrasings, _end(item["tail"]), question if isinstance(question, str) else ""
    )


def _end(text: str) -> End:
    text = " ".join(text.split())
    return Placeholder.named("?" + "_".join(text[1:].split())) if text.startswith("?") else Constant(text)

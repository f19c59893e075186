"""Plans that were made before and recorded in a file, found again by their questions."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from polyhop.errors import UsageError
from polyhop.models.within import Within
from polyhop.planning.by_model import AsConstraints
from polyhop.planning.mending import mended
from polyhop.planning.plan_rows import NoPlan, plan_of_row, plan_row
from polyhop.planning.rules.questions import with_questions
from polyhop.planning.soundness import usable
from polyhop.plans import Constant, Constraint, End, Placeholder, Plan, plan_of_constraints
from polyhop.store import json_lines
from polyhop.store.json_lines import RowLine

SOURCE: Final = "recorded"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Finds the plan of a question in a file; what it lacks is planned as constraints, or by our own planner."""

    file: str  # of recorded plans, as JSON lines
    prefer: str = ""  # the planner whose plan is taken where a question has several; else the first counts

    @cached_property
    def plans(self) -> RecordedPlans:
        """What the file holds, read once."""
        return RecordedPlans.read(Path(self.file))

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """The recorded plan: as it was made, or mended where it says constraints alone.

        Raises UsageError for a file that cannot be read, EndpointError.
        """
        found = self.plans.find(question, self.prefer)
        if found is None:
            return AsConstraints().plan(question, names, model)
        if self.plans.is_whole(question, self.prefer):
            return found
        return plan_of_constraints(with_questions(mended(found, question).constraints), found.source)


class PlanFile:
    """A file to which each plan is added as it is made, with its question and its planner. Threads may share it.

    Of a question that one planner plans again the first plan counts, also where the file has it from before.
    """

    def __init__(self, file: Path) -> None:
        """Raises UsageError for a file that cannot be read, or not be written."""
        self._file = file
        self._lock = threading.Lock()
        plans = RecordedPlans.read(file).plans if file.exists() else {}  # what is no file of plans is not written to
        self._known = {(question, planner) for question, made in plans.items() for planner in made}
        try:
            json_lines.append(file, [])
        except OSError as error:
            raise UsageError(f"Plans cannot be kept in {file}: {error}") from None

    def keep(self, question: str, planner: str, plan: Plan) -> None:
        """Add the plan of a question, unless it is there."""
        with self._lock:
            if (_key(question), planner) not in self._known:
                json_lines.append(self._file, [{"question": question, "planner": planner, **plan_row(plan)}])
                self._known.add((_key(question), planner))


@dataclass(frozen=True)
class RecordedPlans:
    """The recorded plans, by question and planner, in their order; spacing and case make no difference."""

    plans: Mapping[str, Mapping[str, Plan]]
    whole: frozenset[tuple[str, str]] = frozenset()  # those that are recorded as they were made

    @classmethod
    def read(cls, path: Path) -> RecordedPlans:
        """The plans of a JSONL file with rows such as these two; of two of one kind for one question, the first counts.

        ``{"question": ..., "plan": [{"head": ..., "relation": ..., "relation_variants": [...], "tail": ...}]}``: an end
        that begins with a question mark is a placeholder, whose name tells its type. Constraints that mean nothing are
        left out, and so are plans of which nothing is left; whatever else is wrong with a plan is kept.
        ``{"question": ..., "planner": ..., "steps": [...]}``: a plan as it was made (``planning/plan_rows.py``).

        Raises UsageError for a file that cannot be read, with the number of the line.
        """
        plans: dict[str, dict[str, Plan]] = {}
        whole: set[tuple[str, str]] = set()
        for row in json_lines.rows(path, appended=True):
            plan, fields = _plan(row), row.fields
            key, planner = _key(fields["question"]), str(fields.get("planner", ""))
            if plan.steps and planner not in plans.get(key, {}):
                plans.setdefault(key, {})[planner] = plan
                whole |= {(key, planner)} if "steps" in fields else set()
        return cls(plans, frozenset(whole))

    def __len__(self) -> int:
        """How many questions have a plan."""
        return len(self.plans)

    def find(self, question: str, planner: str = "") -> Plan | None:
        """The plan recorded for a question, of this planner if it has one, else the first; None where there is none."""
        made = self.plans.get(_key(question), {})
        return made.get(planner) or next(iter(made.values()), None)

    def is_whole(self, question: str, planner: str = "") -> bool:
        """Whether the plan that is found was recorded as it was made."""
        made = self.plans.get(_key(question), {})
        return (_key(question), planner if planner in made else next(iter(made), "")) in self.whole


def _key(question: str) -> str:
    return " ".join(question.split()).casefold()


def _plan(row: RowLine) -> Plan:
    listed = row.fields.get("steps", row.fields.get("plan"))
    if not (isinstance(row.fields.get("question"), str) and isinstance(listed, list)):
        raise row.wrong('a row needs a "question", which is text, and a "plan", which is a list')
    if "steps" in row.fields:
        try:
            return plan_of_row(row.fields, SOURCE)
        except NoPlan as error:
            raise row.wrong(f"this is no plan: {error}") from None
    read = [_constraint(item, row) for item in listed]
    return plan_of_constraints(with_questions([one for one in read if usable(one)]), SOURCE)


def _constraint(item: Any, row: RowLine) -> Constraint:
    if not (isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("head", "relation", "tail"))):
        raise row.wrong('a constraint of a plan needs "head", "relation" and "tail", which are texts')
    variants = item.get("relation_variants", [])
    if not (isinstance(variants, list) and all(isinstance(variant, str) for variant in variants)):
        raise row.wrong('"relation_variants" must be a list of texts')
    relation = " ".join(item["relation"].split())
    phrasings = tuple(dict.fromkeys(" ".join(text.split()) for text in (relation, *variants) if text.strip()))
    question = item.get("question", "")
    return Constraint(
        _end(item["head"]), relation, phrasings, _end(item["tail"]), question if isinstance(question, str) else ""
    )


def _end(text: str) -> End:
    text = " ".join(text.split())
    return Placeholder.named("?" + "_".join(text[1:].split())) if text.startswith("?") else Constant(text)

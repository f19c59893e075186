"""Planning by the small model that Polyhop brings along: it finds what has to be asked first, grammar words it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from polyhop.english.question import LONGEST_QUESTION, Words, mentions, read_words, render
from polyhop.models.question_spans import CHAIN, COMBINED, QuestionReading, planner_graph
from polyhop.planning.nesting import FAINT, LIKELY, nested
from polyhop.planning.rules.asked_outright import asked_outright
from polyhop.planning.rules.clauses import clause_at_its_noun
from polyhop.planning.rules.comparisons import compare, surely_compares
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.pronouns import resolved
from polyhop.planning.rules.statements import read_step
from polyhop.planning.stands_alone import asks_something, describes, stands_alone
from polyhop.planning.wording import ask_about
from polyhop.plans import REFERENCE, Plan, Step, named_steps

if TYPE_CHECKING:
    from polyhop.models.within import Within

SOURCE: Final = "trained"
FEW: Final = 4  # words of a question that may hide another one
SOME: Final = 0.5  # of a question, to take several steps, where no description is likely enough


@dataclass(frozen=True, kw_only=True)
class TrainedPlanner:
    """Takes a question apart by a model of 24 MB; comparisons by the grammar of English."""

    likely: float = LIKELY  # 0 to 1: how likely a description has to be to be asked for first
    folder: str | None = None  # that training wrote; none: the one in the package polyhop-weights

    def __post_init__(self) -> None:
        if not 0 < self.likely < 1:
            raise ValueError("likely must be between 0 and 1")

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """Steps in words. Raises ModelMissing, ModelError."""
        if self.folder is not None:
            planner_graph(self.folder)  # a folder that is named has to hold one, also where nothing is to be planned
        text = " ".join(question.split())
        if REFERENCE.search(text) or not FEW <= len(text.split()) <= LONGEST_QUESTION:
            return Plan(shape="single", steps=(Step(question=text),) if text else (), source=SOURCE)
        return self._read(text, names)

    def _read(self, text: str, names: Sequence[str]) -> Plan:
        """The plan that the model makes of a question, without words that only ask, its clauses behind their nouns.

        Of the question as it is where that leaves it whole; of one step where it is too long to be one.
        """
        plain = clause_at_its_noun(asked_outright(text, names))
        plan = whole = Plan(shape="single", steps=(Step(question=text),), source=SOURCE)
        for asked in (text,) if plain == read_words(text, names) else (f"{render(plain)}?", text):
            reading = planner_graph(self.folder).read(asked)
            plan = whole if reading is None else plan_of(asked, names, reading, likely=self.likely)
            if not plan.is_whole:
                break
        return plan


def plan_of(question: str, names: Sequence[str], reading: QuestionReading, *, likely: float = LIKELY) -> Plan:
    """The plan that a reading of a question makes; its words are on one line. Never raises."""
    whole = Plan(shape="single", steps=(Step(question=question),), source=SOURCE)
    words = read_words(question, names)
    combines = reading.shape[COMBINED] > SOME or surely_compares(words)
    draft = PlanDraft()
    known = [*names, *mentions(question)]
    left = _Question(question, known)
    places = reading.pieces.words
    found = nested(reading.stretches, places, likely=likely)
    if not found and reading.shape[CHAIN] > SOME:  # there is one, and only where is not sure
        found = nested(reading.stretches, places, likely=FAINT, most=1)
    if combines:  # what a pronoun means stands before it
        found = tuple(sorted(found, key=lambda one: (one[1], -one[0])))
    for start, end in found:
        if not left.settle(places[start].start, places[end - 1].end, draft, resolve=combines):
            return whole
    plan = compare(words) if combines else None
    if draft.steps or plan is None:
        taken = (left.compared(draft) if combines else None) or left.chained(draft)
        plan = _sound(taken, known) or plan
    return whole if plan is None else replace(plan, source=SOURCE)


def _sound(plan: Plan, names: Sequence[str]) -> Plan | None:
    """A plan whose steps all lead to the last one, or are compared, and can be asked by themselves; else None."""
    steps = tuple(replace(step, refers_to=named_steps(step.question, place)) for place, step in enumerate(plan.steps))
    used = {one for step in steps for one in step.refers_to} | {*(plan.final.operands if plan.final else ())}
    leads = len(steps) > 1 and len(used) == len(steps) - (plan.final is None)
    return replace(plan, steps=steps) if leads and _all_stand_alone(steps, names) else None


def _all_stand_alone(steps: Sequence[Step], names: Sequence[str]) -> bool:
    """Whether each step can be asked by itself, once those that it names are answered."""
    asked = [step.question.rstrip("?") for step in steps]
    return all(map(asks_something, asked)) and all(stands_alone(read_step(one, names)) for one in asked)


@dataclass(slots=True)
class _Question:
    """A question in which descriptions are replaced, from the innermost outwards, by references to their answers."""

    text: str
    names: Sequence[str]
    settled: list[tuple[int, int, str]] = field(default_factory=list)  # characters, and what stands for them now

    def settle(self, start: int, end: int, draft: PlanDraft, *, resolve: bool = False) -> bool:
        """Ask for what is described by some characters, unless they are all of a name, or cut one in two.

        Whether they may describe a thing at all. ``resolve``: a pronoun in them stands for the one thing before them.
        """
        if any(self._cuts(start, end, name) for name in self.names):
            return True
        words = self.words(start, end)
        if resolve:
            words = resolved(words, self.words(0, start), draft.steps)
        if words and not describes(words):
            return False
        reference = ask_about(words, draft) if words else None
        if reference is not None:
            outside = [one for one in self.settled if not (start <= one[0] and one[1] <= end)]
            self.settled = sorted([*outside, (start, end, reference.text)])
        return True

    def compared(self, draft: PlanDraft) -> Plan | None:
        """The plan of a comparison whose things were asked for; an option is called as the question calls it."""
        plan = compare(self.words(0, len(self.text)), draft.steps)
        if plan is None or plan.final is None:
            return None
        said = {reference: self.text[start:end] for start, end, reference in self.settled}
        options = tuple(said.get(option, option) for option in plan.final.options)
        return replace(plan, final=replace(plan.final, options=options))

    def chained(self, draft: PlanDraft) -> Plan:
        """The plan that ends with what is left of the question."""
        return draft.chain(self.words(0, len(self.text)))

    def words(self, start: int, end: int) -> Words:
        """The words of some characters, with references in place of what was asked for."""
        parts: list[str] = []
        at = start
        for begin, behind, reference in self.settled:
            if start <= begin and behind <= end:
                parts += self.text[at:begin], reference
                at = behind
        text = ""
        for part in (*parts, self.text[at:end]):
            text += f" {part}" if text[-1:].isalnum() and part[:1] and (part[0].isalnum() or part[0] == "#") else part
        return read_step(text, self.names)

    def _cuts(self, start: int, end: int, name: str) -> bool:
        """Whether a stretch begins or ends within a name, or is one."""
        at = self.text.find(name) if name else -1
        while at >= 0:
            behind = at + len(name)
            if (at < start < behind or at < end < behind) or (at, behind) == (start, end):
                return True
            at = self.text.find(name, behind)
        return False

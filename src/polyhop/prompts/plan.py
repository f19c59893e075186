"""Plans a question as atomic constraints with a language model (C2RAG, section 3.2)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from polyhop.indexes.names import words
from polyhop.planning.soundness import ANSWERS, faults, without_faults
from polyhop.plans import (
    MAX_CONSTRAINTS,
    PLACEHOLDER,
    Constant,
    Constraint,
    End,
    Placeholder,
    Plan,
    plan_of_constraints,
)
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.asking import asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced
from polyhop.prompts.earlier_steps import one_line
from polyhop.prompts.schemas import Schema, closed, listed, some_text

log = logging.getLogger(__name__)

VARIANTS = 3  # phrasings of a relation (the paper's m)
SCHEMA: Schema = closed(
    constraints=listed(
        closed(
            head=some_text(), relations=listed(some_text(), minItems=1, maxItems=8), tail=some_text(), question="string"
        ),
        minItems=1,
        maxItems=MAX_CONSTRAINTS,
    )
)

_EXAMPLES: Mapping[str, str] = {
    "Who was the teacher of the painter of The Salt Harvest?": """{"constraints": [
  {"head": "The Salt Harvest", "relations": ["painted by", "painter", "is a painting by"], "tail": "?painter", \
"question": "Who painted The Salt Harvest?"},
  {"head": "?painter", "relations": ["student of", "was taught by", "studied under"], "tail": "?teacher", \
"question": "Who was the teacher of ?painter?"}]}""",
    "Which is longer, the Corn Canal or the canal that Otto Reed dug?": """{"constraints": [
  {"head": "Corn Canal", "relations": ["has length", "is as long as", "length"], "tail": "?length1", \
"question": "How long is the Corn Canal?"},
  {"head": "?canal", "relations": ["dug by", "was built by", "is the work of"], "tail": "Otto Reed", \
"question": "Which canal did Otto Reed dig?"},
  {"head": "?canal", "relations": ["has length", "is as long as", "length"], "tail": "?length2", \
"question": "How long is ?canal?"}]}""",
    "Which singer appeared at Ossby Hall in 1931 and in the opera Rain, but never in Velm?": """{"constraints": [
  {"head": "?singer", "relations": ["appeared in 1931 at", "sang in 1931 at", "performed in 1931 at"], \
"tail": "Ossby Hall", "question": "Which singer appeared at Ossby Hall in 1931?"},
  {"head": "?singer", "relations": ["appeared in", "sang in", "had a part in"], "tail": "Rain", \
"question": "Which singer appeared in the opera Rain?"}]}""",
}

_SYSTEM = """You turn a question into constraints that can be looked up one by one in a knowledge graph. A constraint \
is a triple: head, relation, tail.

- An end of a triple is either a name, copied exactly as the question writes it, or a placeholder for something that \
the question does not name. Never fill in a name from memory.
- A placeholder is a question mark and the kind of thing that it stands for: ?prison, ?birth_place. Number them where \
there are several of one kind: ?film1, ?film2. The same placeholder always stands for the same thing, and what the \
question asks for is a placeholder too.
- One simple fact a constraint, in the order in which they can be looked up: each placeholder has to be reachable from \
a name, through as many constraints as it takes. Do not go in circles.
- A date, an amount or a reason is an end where it is asked for (?date, ?reason), and otherwise a part of the relation.
- What the question denies or excludes is no constraint: whoever answers sees the question, too.
- Somebody or something without a name ("someone", "a man who", "that town") is a placeholder.
- A comparison looks up what is compared for each side. Do not add constraints for the comparison itself.
- A question that only asks whether something is so has the names at both ends.
- "relations": {variants} different short wordings of the relation, as a text or a knowledge graph would put it, read \
from head to tail; the most usual one first.
- "question": the constraint as a short question, with placeholders under their names.
- As few constraints as possible, at most {most}.

{rule}

Output JSON. {examples}"""

_REPAIR = """That plan cannot be used. What is wrong with it:

{faults}

Write the whole plan again with this put right, in the same JSON form, with nothing before or after it."""

_NO_LETTER = re.compile(r"\W+")


def plan(model: LanguageModel, question: str, *, variants: int = VARIANTS) -> Plan | None:
    """One to eight sound constraints with at most ``variants`` phrasings each (1 or more).

    A plan with faults is shown to the model once, with the faults named. What is sound of the second plan is kept; None
    where that is nothing, or the output is no plan at all. The question of a constraint is left out where it does not
    say what it is about.

    Raises EndpointError, BudgetExceeded.
    """
    messages = [Message("system", _system(variants)), Message("user", fenced([PromptBlock("QUESTION", question)]))]
    for _ in range(2):
        content = asked(model, messages, SCHEMA, max_tokens=900, in_vain="The question is not planned")
        if content is None:
            return None
        planned = plan_of(content["constraints"], variants, f"language model {model.name}")
        wrong = faults(planned, question, answers=ANSWERS)
        if not wrong:
            return planned
        log.info("The plan is faulty: %s.", "; ".join(wrong))
        repair = _REPAIR.format(faults=fenced([PromptBlock("FAULTS", "\n".join(wrong))]))
        messages += [Message("assistant", json.dumps(content, ensure_ascii=False)), Message("user", repair)]
    sound = without_faults(planned, question)
    if sound is not None:
        log.info("A part of the plan is left out.")
        return sound
    log.warning("The question is not planned: the plan stays faulty: %s.", "; ".join(wrong))
    return None


def plan_of(rows: Sequence[Mapping[str, Any]], variants: int, source: str) -> Plan:
    """The plan that an output says, which may be faulty; ``rows`` obey the items of the schema.

    What it asks several times, as small models do, it asks once, in all the phrasings that there is room for.
    """
    by_meaning: dict[object, Constraint] = {}
    for one in (_constraint(row, variants) for row in rows):
        meaning = (one.ends, (one.question or one.relation).casefold())
        before = by_meaning.setdefault(meaning, one)
        phrasings = tuple(dict.fromkeys((*before.variants, *one.variants)))
        by_meaning[meaning] = replace(before, variants=phrasings[: max(variants, 1)])
    return plan_of_constraints(list(by_meaning.values()), source)


def _system(variants: int) -> str:
    examples = "\n".join(f"For “{question}”:\n{output}" for question, output in _EXAMPLES.items())
    return _SYSTEM.format(variants=variants, most=MAX_CONSTRAINTS, rule=DATA_RULE, examples=examples)


def _constraint(row: Mapping[str, Any], variants: int) -> Constraint:
    head, tail = (_end(row[end]) for end in ("head", "tail"))
    wordings = [one_line(relation) for relation in row["relations"]]
    distinct = [
        one for at, one in enumerate(wordings) if one and one.casefold() not in map(str.casefold, wordings[:at])
    ]
    kept = tuple(distinct[: max(variants, 1)])
    question = one_line(row["question"])
    for said, end in ((row["head"], head), (row["tail"], tail)):
        if isinstance(end, Placeholder) and len(end.name) > 1:
            question = question.replace(one_line(said), end.name)
    one = Constraint(head, kept[0] if kept else "", kept, tail, question)
    return one if _asks_about(one) else replace(one, question="")


def _asks_about(constraint: Constraint) -> bool:
    """Whether the question says what it is about: a name or, between two placeholders, one of these."""
    if constraint.constants:
        asked = set(words(constraint.question))
        return any(asked & set(words(end.text)) for end in constraint.constants)
    return any(end.name in PLACEHOLDER.findall(constraint.question) for end in constraint.placeholders)


def _end(text: str) -> End:
    """A name, or a placeholder, whose name is brought into form: "?birth place" is ``?birth_place``."""
    text = one_line(text)
    if not text.startswith("?"):
        return Constant(text)
    return Placeholder.named("?" + _NO_LETTER.sub("_", text).strip("_").lower())

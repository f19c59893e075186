"""What holds of every plan, whoever made it, and questions of any kind to try it with."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from polyhop.plans import Plan

PIECES = [
    "who",
    "which",
    "what",
    "when",
    "where",
    "how",
    "is",
    "was",
    "did",
    "does",
    "the",
    "a",
    "of",
    "'s",
    ",",
    "and",
    "or",
    "both",
    "same",
    "director",
    "mother",
    "film",
    "city",
    "born",
    "died",
    "that",
    "in",
    "by",
    "whose",
    "with",
    "between",
    "Velm",
    "Ada",
    "Lund",
    "Orsa's",
    "Rain",
    "older",
    "first",
    "released",
    "located",
    "have",
    "from",
    "(",
    ")",
    "?",
    "1987",
    '"',
    "#1",
]
questions = st.text(max_size=120) | st.lists(st.sampled_from(PIECES), max_size=24).map(" ".join)


def references(question: str) -> list[int]:
    """The steps that a question names, as indices."""
    return [int(number) - 1 for number in re.findall(r"#(\d+)", question)]


def assert_holds(plan: Plan, question: str) -> None:
    """References point backwards only and are all declared; steps are not empty; operands are steps."""
    for position, step in enumerate(plan.steps):
        assert step.question.strip()
        assert list(step.refers_to) == sorted(set(step.refers_to))
        assert all(0 <= earlier < position for earlier in step.refers_to)
        if len(plan.steps) > 1:
            assert set(references(step.question)) == set(step.refers_to)
    if len(plan.steps) == 1:
        asked = " ".join(plan.steps[0].question.split())
        assert asked == " ".join(question.split()), "what is not taken apart is asked as it stands, white space aside"
    if plan.final is not None:
        assert all(0 <= operand < len(plan.steps) for operand in plan.final.operands)
    used = {earlier for step in plan.steps for earlier in step.refers_to}
    used |= set(plan.final.operands) if plan.final else {len(plan.steps) - 1}
    assert used >= set(range(len(plan.steps))), "no step is answered for nothing"

"""An answer that no quotation establishes is a guess: marked, shown again, and never taken for more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyhop.types import Budget
from tests.worlds.prompts import inside
from tests.worlds.stepchain import Open, ask, assert_exact, titles
from tests.worlds.stepchain_sage import Doubting, Sage, passages_in, sagely


def test_a_guess_reaches_the_merge(opened: Open) -> None:
    """Marked as one, so that it can be told where it fits; it was lost before."""
    sage = Sage(knows={"Who built the Gull?": Sage().knows["Who built the Gull?"]})
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, retry=False, merge="always").evidence
    assert inside(sage.prompts["merge"][0], "STEP 2, NOT ESTABLISHED").splitlines()[1] == "Guess: a guess"
    assert "Not established: Where was Ada Brook born? Perhaps a guess" in evidence.synthesis


def test_a_guess_that_nothing_was_quoted_for_is_not_written_into_the_next_question(opened: Open) -> None:
    """What no passage speaks for is told as missing; a second failure takes nothing apart any more."""
    sage = Sage(knows={})
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine).evidence
    assert sage.tasks.count("decompose") == 2
    assert [hop.status for hop in evidence.hops] == ["unresolved"] * len(evidence.hops)
    assert len(evidence.hops) == 2
    assert evidence.hops[1].question == "Where was the person born?"
    with sagely(opened, Sage(knows={})) as (engine, _):
        hops = ask(engine, retry=False, pruned=False).evidence.hops
    assert [(hop.question, hop.status) for hop in hops][1] == ("Where was a guess born?", "unresolved")
    assert "EARLIER STEP" not in sage.prompts["step"][-1]
    assert "merge" not in sage.tasks  # there is nothing to put together
    assert inside(sage.prompts["read"][0], "FINDINGS").startswith("Not established: Who built the Gull?")


@pytest.mark.parametrize(
    ("question", "steps", "told"),
    [
        (
            "On which river was the mother of the builder of the Gull born?",
            ("Who built the Gull?", "Who was the mother of #1?", "Where was #2 born?", "On which river does #3 lie?"),
            ["Who was the mother of the person?", "Where was the mother born?", "On which river does the place lie?"],
        ),
        (
            "Where was the painter of the Tern born?",
            ("Who painted the Tern?", "Where was #1 born?"),
            ["Where was the person born?"],
        ),
    ],
    ids=["four steps", "two steps"],
)
def test_what_was_not_found_is_told_by_its_kind(
    opened: Open, question: str, steps: Sequence[str], told: list[str]
) -> None:
    """Of a chain that ends at its first step, the later questions stay short and can be read, however long it is."""
    with sagely(opened, Sage(plans=[steps], knows={})) as (engine, _):
        hops = ask(engine, question, retry=False).evidence.hops
    assert [hop.question for hop in hops] == [steps[0], *told]


def test_what_follows_from_a_guess_is_looked_up_and_marked(opened: Open) -> None:
    """It was left, so that neither its passages nor its answer reached the reader."""
    sage = Doubting(doubts={"Who built the Gull?": "nowhere"})
    with sagely(opened, sage) as (engine, _):
        answer = ask(engine, budget=Budget(passages=2))
        assert_exact(answer.evidence, engine)
    assert sage.tasks == ["decompose", *["step"] * 3, "read"]  # no other plan: each step has an answer or a guess
    guess, after = answer.evidence.hops
    assert (guess.found, guess.status, after.question) == ("Ada Brook", "unresolved", "Where was Ada Brook born?")
    assert (after.found, after.status, after.note) == ("Velm", "unresolved", "rests on a guess: Ada Brook")
    assert inside(sage.prompts["step"][-1], "EARLIER STEP 1, A GUESS").splitlines()[1] == "Ada Brook"
    assert titles(answer.evidence) == ["Gull", "Ada Brook"]
    assert answer.evidence.synthesis.splitlines() == [
        "Not established: Who built the Gull? Perhaps Ada Brook",
        "Not established: Where was Ada Brook born? If the guess before it is right, Velm",
    ]
    assert answer.text == "Velm"


def test_a_second_try_adds_passages_to_those_that_the_guess_was_quoted_from(opened: Open) -> None:
    """And shows the guess, which it may confirm; passages of the first try that said nothing are not shown again."""
    sage = Doubting(doubts={"Who built the Gull?": "It was built by Otto Reed"})
    with sagely(opened, sage) as (engine, _):
        [hop, *_] = ask(engine).evidence.hops
    first, again = ([text for _, text in passages_in(prompt)] for prompt in sage.prompts["step"][:2])
    quoted = [text for text in first if "It was built by Ada Brook in 1801." in text]
    assert again[: len(quoted)] == quoted
    assert len(again) > len(quoted)
    assert set(again) & set(first) == set(quoted)
    assert inside(sage.prompts["step"][1], "GUESS").splitlines() == [
        "Ada Brook",
        "“It was built by Ada Brook in 1801.”",
    ]
    assert (hop.found, hop.status) == ("Ada Brook", "resolved")


@pytest.mark.parametrize("said", [("", ""), ("Otto Reed", "")])
def test_a_second_try_that_finds_nothing_leaves_the_guess(opened: Open, said: tuple[str, str]) -> None:
    """With its quotations: another guess that nothing was quoted for is worth less."""

    class Wavering(Doubting):
        def step(self, prompt: str) -> object:
            """Not sure, and worse the second time."""
            answer, quote = said
            found = {"support": [], "answer": answer, "sufficient": bool(quote)}
            return found if "<<<GUESS" in prompt else super().step(prompt)

    sage = Wavering(doubts={"Who built the Gull?": "nowhere"})
    with sagely(opened, sage) as (engine, _):
        [hop, *_] = ask(engine).evidence.hops
    assert sage.tasks[:3] == ["decompose", "step", "step"]
    assert (hop.found, len(hop.sentences), [one.title for one in hop.passages]) == ("Ada Brook", 1, ["Gull"])


def test_a_quotation_that_is_not_genuine_establishes_nothing(opened: Open) -> None:
    """Nor does a second try where none is wanted."""

    class Liar(Sage):
        def step(self, prompt: str) -> object:
            """A quotation that stands nowhere."""
            return {
                "support": [{"passage": 1, "quote": "Otto Reed built it."}],
                "answer": "Otto Reed",
                "sufficient": True,
            }

    sage = Liar()
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, retry=False).evidence
    assert sage.tasks == ["decompose", "step", "read"]  # what needs an answer that is not there is not asked
    assert [(hop.found, hop.status) for hop in evidence.hops] == [("Otto Reed", "unresolved"), (None, "unresolved")]
    assert "Otto Reed" not in evidence.hops[1].question
    assert "a guess that no passage bears out: Otto Reed" in evidence.hops[0].note

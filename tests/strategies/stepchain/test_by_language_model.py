"""A language model takes a question of StepChain apart, answers its steps, merges and reads; what each is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from polyhop.errors import EndpointError
from polyhop.types import Budget
from tests.worlds.ferries import STATED
from tests.worlds.prompts import inside
from tests.worlds.stepchain import BORN, Open, ask, assert_exact, chains, extracted, titles, told
from tests.worlds.stepchain_sage import ASKED, Sage, passages_in, sagely


def test_a_model_plans_answers_merges_and_reads(opened: Open) -> None:
    """A step with a genuine quotation is written into the next one; the reader sees what was found."""
    sage = Sage()
    with sagely(opened, sage) as (engine, server):
        answer = ask(engine, merge="always")
        assert sage.tasks == ["decompose", "step", "step", "merge", "read"]
        assert answer.evidence.cost.llm_calls == len(server.requests) == 5
        assert answer.evidence.cost.tokens == 15 * 5
        assert_exact(answer.evidence, engine)
    first, second = answer.evidence.hops
    assert (first.question, first.found, first.status) == ("Who built the Gull?", "Ada Brook", "resolved")
    assert (second.question, second.found, second.status) == ("Where was Ada Brook born?", "Velm", "resolved")
    assert [passage.title for hop in answer.evidence.hops for passage in hop.passages] == ["Gull", "Ada Brook"]
    assert (answer.text, answer.reader) == ("Velm", "grounded")
    assert "Gull -(was built by)-> Ada Brook [1]" in inside(sage.prompts["step"][0], "CHAINS").splitlines()
    assert inside(sage.prompts["step"][0], "LARGER QUESTION") == BORN
    assert inside(sage.prompts["step"][1], "EARLIER STEP 1").splitlines() == ["Who built the Gull?", "Ada Brook"]
    assert "It was built by Ada Brook in 1801." in inside(sage.prompts["step"][1], "PASSAGE 2")
    assert inside(sage.prompts["merge"][0], "STEP 2, ESTABLISHED").splitlines()[1] == "Answer: Velm"
    assert inside(sage.prompts["read"][0], "FINDINGS") == answer.evidence.synthesis
    assert answer.evidence.synthesis.startswith("The builder of the Gull was born in Velm.")
    assert answer.evidence.trail[0].startswith("taken apart by language model sage@")
    assert answer.evidence.trail[0].endswith(": Who built the Gull? | Where was #1 born?")


def test_a_step_without_an_answer_is_asked_again_and_then_another_way_is_taken(opened: Open) -> None:
    """With other text, without chains; then the question is taken apart again, once."""
    other = ("Who built the ferry that sails to Oster?", "Where was #1 born?")
    knows = {other[0]: ("Ada Brook", "It was built by Ada Brook in 1801."), **Sage().knows}
    del knows[ASKED[0]]
    sage = Sage(plans=[ASKED, other], knows=knows)
    with sagely(opened, sage) as (engine, server):
        answer = ask(engine)
        assert sage.tasks == ["decompose", "step", "step", "decompose", "step", "step", "read"]
        assert answer.evidence.cost.llm_calls == len(server.requests)
    assert "<<<CHAINS" in sage.prompts["step"][0]
    assert "<<<CHAINS" not in sage.prompts["step"][1]
    first, second = ({text for _, text in passages_in(prompt)} for prompt in sage.prompts["step"][:2])
    assert first.isdisjoint(second)
    assert "STEP 1, A GUESS" in sage.prompts["decompose"][1]
    failed, *found = answer.evidence.hops
    assert (failed.found, failed.status) == ("a guess", "unresolved")
    assert "a guess" in failed.note
    assert [(hop.question, hop.found) for hop in found] == [
        (other[0], "Ada Brook"),
        ("Where was Ada Brook born?", "Velm"),
    ]
    assert "Not established: Who built the Gull?" in answer.evidence.synthesis
    assert f"taken apart again: {' | '.join(other)}" in answer.evidence.trail
    assert answer.text == "Velm"


def test_what_a_step_quoted_reaches_the_reader_however_low_it_was_retrieved(opened: Open) -> None:
    """The Tern's page is not the best one about the Gull; but it is what establishes the answer here."""
    said = ("Ada Brook", "It was built by Ada Brook in 1803.")
    sage = Sage(knows={"Who built the Gull?": said, "Where was Ada Brook born?": ("Velm", "The town is known for")})
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, budget=Budget(passages=2)).evidence
        assert_exact(evidence, engine)
    assert titles(evidence) == ["Tern", "Velm"]
    assert [passage.title for hop in evidence.hops for passage in hop.passages] == ["Tern", "Velm"]
    assert [text.splitlines()[0] for _, text in passages_in(sage.prompts["read"][0])] == ["Title: Tern", "Title: Velm"]


def test_a_model_is_not_shown_what_is_clearly_about_something_else(opened: Open) -> None:
    """The Sable Light bears on no step: neither a step nor, where all are established, the answer is asked of it."""
    sage = Sage()
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, budget=Budget(passages=8)).evidence
    assert "Sable Light" in titles(evidence)
    assert evidence.aside
    prompts = [*sage.prompts["step"], *sage.prompts["read"]]
    assert not any(text.startswith("Title: Sable Light") for prompt in prompts for _, text in passages_in(prompt))
    assert next(text.splitlines()[0] for _, text in passages_in(sage.prompts["read"][0])) == "Title: Gull"


def test_unpruned_all_that_is_retrieved_is_parsed_and_shown_with_every_chain(opened: Open) -> None:
    """As the paper does: also what is about something else, and how things hang together beside each fact."""
    prompts = {}
    for pruned in (True, False):
        sage = Sage()
        with sagely(opened, sage, extractor="language_model", passages_a_call=1) as (engine, _):
            roomy: dict[str, Any] = {"retrieved": 8, "step_tokens": 5000, "scope": "question"}
            evidence = ask(engine, budget=Budget(llm_calls=30), pruned=pruned, **roomy).evidence
            assert_exact(evidence, engine)
        assert extracted(evidence) == (len(sage.prompts["extract"]) if pruned else len(STATED) + 1)
        prompts[pruned] = sage.prompts["step"]
        assert bool(evidence.aside) == pruned
    assert len(passages_in(prompts[False][0])) == 8 > len(passages_in(prompts[True][0]))
    followed = "Gull -(was built by)-> Ada Brook [1] -(was born in)-> Velm ["
    assert followed in inside(prompts[False][0], "CHAINS")
    assert followed not in prompts[True][0]


def test_what_an_earlier_answer_was_quoted_from_is_shown_however_little_it_says(opened: Open) -> None:
    """It may have to be quoted again; and a second try sees also what is clearly about something else."""
    asked = ("Who was the keeper of the Sable Light?", "Which mountains are higher than #1?")
    sage = Sage(plans=[asked], knows={asked[0]: ("Hallow", "Its keeper was Mina Stroud")})
    with sagely(opened, sage) as (engine, _):
        ask(engine, "Which mountains are higher than the keeper?")
    _, second, again, *_ = (
        [text.splitlines()[0] for _, text in passages_in(prompt)] for prompt in sage.prompts["step"]
    )
    assert "Title: Sable Light" in second
    assert len(again) > 1


def test_a_reader_is_shown_everything_where_a_step_has_no_answer(opened: Open) -> None:
    sage = Sage(knows={"Who built the Gull?": Sage().knows["Who built the Gull?"]})
    with sagely(opened, sage) as (engine, _):
        assert ask(engine, retry=False).evidence.aside == ()


def test_nothing_is_put_together_where_each_step_is_established(opened: Open) -> None:
    """A reader is told what was found, and with a quotation only where its passage is not among those shown."""
    sage = Sage()
    with sagely(opened, sage) as (engine, _):
        whole, cut = (ask(engine, budget=Budget(passages=most)).evidence.synthesis for most in (5, 1))
    assert "merge" not in sage.tasks
    assert whole.splitlines() == [
        "Established: Who built the Gull? Ada Brook",
        "Established: Where was Ada Brook born? Velm",
    ]
    assert cut.splitlines() == [
        "Established: Who built the Gull? Ada Brook",
        "Established: Where was Ada Brook born? Velm (She was born in Velm.)",
    ]


@pytest.mark.parametrize("task", ["decompose", "extract", "step", "merge"])
def test_an_endpoint_that_fails_is_an_error_and_what_was_extracted_stays(opened: Open, task: str) -> None:
    with sagely(opened, Sage(broken=task), extractor="language_model") as (engine, _):
        with pytest.raises(EndpointError, match="out of order"):
            ask(engine, merge="always")
        grew = [layer.done for layer in engine.status().layers if layer.name == "facts"]
    assert bool(sum(grew)) == (task not in ("decompose", "extract"))


def test_facts_without_support_in_the_text_are_left_out_and_counted(opened: Open) -> None:
    """Both of its ends stand in the sentence, but nothing of the relation (the title supports ends alone)."""

    class Inventive(Sage):
        def extract(self, prompt: str) -> Any:
            """The relation to Velm in words of its own."""
            facts = [
                {**fact, "relation": "glorious metropolis"} if fact["tail"] == "Velm" else fact
                for fact in super().extract(prompt)["facts"]
            ]
            return {"facts": facts}

    with sagely(opened, Inventive(), extractor="language_model") as (engine, _):
        lax, strict, own = (
            ask(engine, **changes).evidence
            for changes in ({"support": 0.0}, {"support": 0.9}, {"support": 0.9, "scope": "question"})
        )
    fact = "-(glorious metropolis)-> Velm"
    assert any(fact in chain for chain in chains(lax.hops))
    assert "left out" not in told(lax)
    for evidence in (strict, own):
        assert not any(fact in chain for chain in chains(evidence.hops))
        assert "1 fact left out for want of support in the text" in evidence.trail
    assert re.search(r"[1-9]\d* chains without support", told(strict))

"""What a language model reads for constraints of C2RAG: guesses, what waits for what, and what the reader is told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.plans import Constraint, plan_of_constraints
from polyhop.ports import Completion, Message
from polyhop.prompts.plan import plan_of
from polyhop.strategies.c2rag.aligned_context import aligned_context
from polyhop.strategies.c2rag.block import ConstraintBlock, agreed
from polyhop.strategies.c2rag.constraint_blocks import evidence_of, hop_of
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.read_text import SoughtConstraint, TextReading
from polyhop.strategies.c2rag.recover import Recovery
from polyhop.strategies.c2rag.resolve import Resolver
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget, Cost
from tests.worlds.prompts import inside

STROUD = "Its keeper was Mina Stroud, who kept bees."
GLASS = "The town is known for Löwen Glass."
KEEPER = ("Sable Light", "keeper", "?keeper", "Who was the keeper of the Sable Light?")
KEPT = ("?keeper", "kept", "?animal", "What did ?keeper keep?")


class Reader:
    """A language model that knows answers to questions: the answer, a sentence, and whether that establishes it."""

    name = "reader"

    def __init__(self, known: Mapping[str, tuple[str, str, bool]]) -> None:
        self.known = known
        self.asked: list[list[str]] = []  # the questions of each call

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """What is known of the questions asked, with the number of the passage that has the sentence."""
        prompt = messages[-1].content
        labels = re.findall(r"<<<(QUESTION(?: \d+)?) \w+>>>", prompt)
        self.asked.append([inside(prompt, label) for label in labels])
        told = [self._told(question, prompt) for question in self.asked[-1]]
        several = {"answers": [{"question": number, **one} for number, one in enumerate(told, 1)]}
        return Completion(json.dumps(told[0] if labels == ["QUESTION"] else several), Cost(llm_calls=1))

    def _told(self, question: str, prompt: str) -> Mapping[str, object]:
        answer, sentence, sufficient = self.known.get(question, ("", "", False))
        shown = range(1, prompt.count("<<<PASSAGE ") + 1)
        support = [
            {"passage": number, "quote": sentence}
            for number in shown
            if sentence and sentence in inside(prompt, f"PASSAGE {number}")
        ]
        return {"support": support, "answer": answer, "sufficient": sufficient}


def constraints(*rows: tuple[str, str, str, str]) -> list[Constraint]:
    """Constraints of head, relation, tail and question."""
    shown = [
        {"head": head, "relations": [relation], "tail": tail, "question": put} for head, relation, tail, put in rows
    ]
    return list(plan_of(shown, 1, "nobody").constraints)


def resolved(
    over: View, reader: Reader, *rows: tuple[str, str, str, str], calls: int = 9
) -> tuple[list[ConstraintBlock], Resolver]:
    """The blocks of a plan that a model reads for, and what resolved it."""
    resolver = C2RAG(gamma=1.001).resolver("What is asked?", over, Within(reader, calls))
    return resolver.resolve(plan_of_constraints(constraints(*rows), "nobody"), 0.0, Budget()), resolver


def told(over: View, blocks: Sequence[ConstraintBlock], *, shown: bool = True) -> list[str]:
    """What a reader is told, by blocks; ``shown``: whether it sees the passages of the blocks."""
    hops = [hop_of(block, 0, over) for block in blocks]
    passages = [passage for hop in hops for passage in hop.passages] if shown else []
    return aligned_context(blocks, hops, list({passage.id: passage for passage in passages}.values())).split("\n\n")


def numbered(view: View, *titles: str) -> list[int]:
    """The passages with these titles."""
    by_title = {passage.title: number for number, passage in enumerated(view)}
    return [by_title[title] for title in titles]


def enumerated(view: View) -> list[tuple[int, Any]]:
    numbers = view.record.numbers().tolist()
    return list(zip(numbers, view.passages(numbers), strict=True))


# --- guesses ----------------------------------------------------------------------------------------------------------


def test_a_guess_with_its_sentences_is_kept_and_asked_about_further_on(over: View) -> None:
    """It is shown as a guess, and so is what rests on it; neither counts as established."""
    reader = Reader(
        {
            "Who was the keeper of the Sable Light?": ("Mina Stroud", STROUD, False),
            "What did Mina Stroud keep?": ("bees", STROUD, True),
        }
    )
    blocks, resolver = resolved(over, reader, KEEPER, KEPT)
    keeper, kept = (hop_of(block, 0, over) for block in blocks)
    assert (keeper.status, keeper.found) == ("unresolved", "Mina Stroud")
    assert keeper.note == "a guess: the passages do not establish it"
    assert (kept.status, kept.found, kept.note) == ("unresolved", "bees", "rests on a guess: ?keeper = Mina Stroud")
    assert resolver.bindings["?animal"].guessed
    legend, first, second = told(over, blocks)
    assert "GUESSED: " in legend
    assert "UNRESOLVED: " not in legend
    assert first.startswith(
        "CONSTRAINT 1, GUESSED: Sable Light keeper ?keeper\nGuess: ?keeper = Mina Stroud\n"
        f"Sentence: “{STROUD}” [passage 1]\nPassages: 1 (Sable Light)"
    )
    assert second.startswith(
        "CONSTRAINT 2, RECOVERED: Mina Stroud kept ?animal\nRests on a guess: ?keeper = Mina Stroud\n"
        "Binding: ?animal = bees\n"
    )


class Refusing(Reader):
    """A language model that says nothing that can be used, whatever it is asked."""

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The same words always."""
        return Completion("I cannot help with that.", Cost(llm_calls=1))


def test_where_a_model_says_nothing_that_can_be_used_the_span_model_reads(over: View) -> None:
    """Nobody is told that the value is not there, as if a model had looked."""
    blocks, _ = resolved(over, Refusing({}), KEEPER, KEPT)
    assert blocks[0].found == "Mina Stroud"
    assert "UNRESOLVED" not in told(over, blocks)[1]


def test_a_guess_without_a_genuine_sentence_is_none(over: View) -> None:
    reader = Reader({"Who was the keeper of the Sable Light?": ("Mina Stroud", "Mina kept the light.", False)})
    blocks, resolver = resolved(over, reader, KEEPER, ("Gull", "sails to", "?port", "Where does the Gull sail to?"))
    assert (blocks[0].status, blocks[0].found) == ("unresolved", None)
    assert "?keeper" not in resolver.bindings
    assert told(over, blocks)[1].startswith("CONSTRAINT 1, UNRESOLVED: ")


@pytest.mark.parametrize("guessed_first", [True, False])
def test_what_is_established_displaces_a_guess(over: View, guessed_first: bool) -> None:
    """Whichever of two constraints on one placeholder comes first in the plan."""
    guess = ("Sable Light", "painted by", "?keeper", "Who painted the Sable Light?")
    reader = Reader(
        {
            "Who painted the Sable Light?": ("Nell Orme", "It was painted by Nell Orme.", False),
            "Who was the keeper of the Sable Light?": ("Mina Stroud", STROUD, True),
        }
    )
    rows = [guess, KEEPER] if guessed_first else [KEEPER, guess]
    blocks, resolver = resolved(over, reader, *rows, KEPT)
    assert resolver.bindings["?keeper"].values == ("Mina Stroud",)
    assert not resolver.bindings["?keeper"].guessed
    assert blocks[2].pattern.asked == "What did Mina Stroud keep?"
    assert blocks[2].pattern.rests_on == ()


def test_a_fact_that_was_reached_by_a_guess_establishes_nothing(over: View) -> None:
    """The graph may well say where somebody was born who was only guessed."""
    reader = Reader({"Who was the keeper of the Sable Light?": ("Ada Brook", STROUD, False)})
    born = ("?keeper", "was born in", "?town", "Where was ?keeper born?")
    resolver = C2RAG(check="fixed").resolver("What is asked?", over, Within(reader, 9))
    blocks = resolver.resolve(plan_of_constraints(constraints(KEEPER, born), "nobody"), 0.0, Budget())
    hop = hop_of(blocks[1], 1, over)
    assert blocks[1].status == "resolved"
    assert (hop.status, hop.found, hop.facts[0].tail) == ("unresolved", "Velm", "Velm")
    assert resolver.bindings["?town"].guessed


# --- what waits for what ----------------------------------------------------------------------------------------------


def test_what_is_bound_in_a_round_is_written_into_what_is_still_to_be_read_in_it(over: View) -> None:
    """A question that speaks of what it is to find as if that were known waits for whoever finds it."""
    painted = ("?keeper", "painted", "Tern", "What of the Tern did ?keeper paint?")
    reader = Reader({"Who was the keeper of the Sable Light?": ("Mina Stroud", STROUD, True)})
    blocks, _ = resolved(over, reader, painted, KEEPER)
    assert blocks[0].pattern.asked == "What of the Tern did Mina Stroud paint?"
    assert reader.asked == [["Who was the keeper of the Sable Light?"]]


def test_whether_something_holds_waits_for_what_can_still_be_found(over: View) -> None:
    """A question that speaks of somebody whom a constraint finds that cannot be looked up yet is no search for one."""
    town = ("Löwen Glass", "made in", "?town", "Where is Löwen Glass made?")
    mayor = ("?town", "was once ruled by", "?ruler", "Who once ruled ?town?")
    holds = ("Sable Light", "was lit by", "?ruler", "Was the Sable Light lit by ?ruler?")
    reader = Reader(
        {
            "Where is Löwen Glass made?": ("Velm", GLASS, True),
            "Who once ruled Velm?": ("Jory Pell", "Its mayor is Jory Pell.", True),
        }
    )
    blocks, _ = resolved(over, reader, holds, town, mayor)
    assert blocks[0].pattern.asked == "Was the Sable Light lit by Jory Pell?"
    assert reader.asked == [["Where is Löwen Glass made?"], ["Who once ruled Velm?"]]
    assert told(over, blocks)[1].startswith("CONSTRAINT 1, TO BE JUDGED: Sable Light was lit by Jory Pell")


def test_what_nothing_bound_is_asked_for_by_what_the_plan_says_of_it(
    over: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not of "the owner", whoever that may be; where passages tell of it that were not read for it."""
    owner = ("Sable Light", "owned by", "?owner", "Who owned the Sable Light?")
    mother = ("?owner", "mother", "?mother", "Who was the mother of ?owner?")
    asked = "Who was the mother of the answer to “Who owned the Sable Light?”?"
    reader = Reader({asked: ("Wilma Fenn", "Her mother was Wilma Fenn.", True)})
    light, brook = numbered(over, "Sable Light", "Ada Brook")
    resolver = C2RAG(gamma=1.001).resolver("Who was it?", over, Within(reader, 9))

    def passages(_: Recovery, __: str, pattern: Pattern, *___: Any, **____: Any) -> list[tuple[int, float]]:
        return [(brook if "mother" in pattern.line else light, 1.0)]

    monkeypatch.setattr(Recovery, "passages", passages)
    blocks = resolver.resolve(plan_of_constraints(constraints(owner, mother), "nobody"), 0.0, Budget())
    assert reader.asked == [["Who owned the Sable Light?"], [asked]]
    assert (blocks[1].status, resolver.bindings["?mother"].values) == ("recovered", ("Wilma Fenn",))


def test_where_it_was_not_found_what_is_only_described_is_not_looked_for(over: View) -> None:
    reader = Reader({})
    resolved(over, reader, KEEPER, KEPT)
    assert reader.asked == [["Who was the keeper of the Sable Light?"]]


def test_what_a_sentence_says_there_is_none_of_is_not_asked_about(over: View) -> None:
    """The sentence is shown: it may be what the question wants."""
    reader = Reader({"Who was the keeper of the Sable Light?": ("", "The Sable Light stands near Oster.", False)})
    blocks, _ = resolved(over, reader, KEEPER, KEPT)
    assert len(reader.asked) == 1
    first, second = told(over, blocks)[1:3]
    assert "\nSentence: “The Sable Light stands near Oster.” [passage 1]\n" in first
    assert second.startswith("CONSTRAINT 2, UNREAD: ")


def test_constraints_that_need_nothing_of_each_other_are_read_in_one_call(over: View) -> None:
    known = ("Velm", "is known for", "?ware", "What is Velm known for?")
    reader = Reader(
        {
            "Who was the keeper of the Sable Light?": ("Mina Stroud", STROUD, True),
            "What is Velm known for?": ("Löwen Glass", GLASS, True),
            "What did Mina Stroud keep?": ("bees", STROUD, True),
        }
    )
    blocks, _ = resolved(over, reader, KEEPER, known, KEPT)
    assert [len(questions) for questions in reader.asked] == [2, 1]
    assert [block.found for block in blocks] == ["Mina Stroud", "Löwen Glass", "bees"]
    assert [over.passages(block.quoted)[0].title for block in blocks] == ["Sable Light", "Velm", "Sable Light"]


def test_what_was_read_in_time_is_kept_when_the_time_is_over(over: View, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    blocks_of = TextReading.blocks

    def timed(text: TextReading, sought: Sequence[SoughtConstraint]) -> list[ConstraintBlock]:
        read.append(len(sought))
        return blocks_of(text, sought)

    monkeypatch.setattr(TextReading, "blocks", timed)
    monkeypatch.setattr("polyhop.strategies.c2rag.resolve.in_time", lambda *_: not read)
    glass = ("Velm", "known for", "?ware", "What is Velm known for?")
    resolver = C2RAG(gamma=1.001).resolver("What is asked?", over)
    first, second = resolver.resolve(plan_of_constraints(constraints(KEEPER, glass), "nobody"), 0.0, Budget())
    assert read == [1]
    assert first.passages
    assert second.note == "the time allowed was over"


def test_texts_are_asked_of_all_that_the_graph_holds_equally_likely(over: View) -> None:
    """Ada Brook built two ferries, and only one of them was painted."""
    built = ("?ferry", "was built by", "Ada Brook", "Which ferry was built by Ada Brook?")
    painted = ("?ferry", "was repainted by", "?painter", "Who repainted ?ferry?")
    reader = Reader({})
    resolver = C2RAG(check="off").resolver("?", over, Within(reader, 9))
    blocks = resolver.resolve(plan_of_constraints(constraints(built, painted), "nobody"), 0.0, Budget())
    assert blocks[0].status == "resolved"
    assert blocks[1].pattern.asked in {"Who repainted Gull or Tern?", "Who repainted Tern or Gull?"}


def test_of_values_that_one_constraint_lists_the_one_counts_that_another_names(over: View) -> None:
    """A step that several fit names all of them."""
    pattern = Grounding().pattern(constraints(KEEPER)[0], {}, over)
    one, other = (
        ConstraintBlock(pattern=pattern, status="recovered", values=(value,), quoted=(1,))
        for value in ("Ada Brook, Otto Reed", "Otto Reed")
    )
    assert agreed([one, other]) == agreed([other, one]) == "Otto Reed"


# --- what the reader is shown -----------------------------------------------------------------------------------------


def test_what_constraints_need_comes_before_what_is_only_near_the_question(over: View) -> None:
    """All that may tell of a constraint that nothing established, and what was quoted; as judged without a model."""
    velm, hallow, gull = numbered(over, "Velm", "Hallow", "Gull")
    plan = plan_of_constraints(constraints(KEEPER), "nobody")
    pattern = Grounding().pattern(plan.constraints[0], {}, over)
    block = ConstraintBlock(pattern=pattern, status="unresolved", passages=((velm, 1.0), (hallow, 0.5)), sought=True)
    for own_first, second in ((True, hallow), (False, gull)):
        evidence = evidence_of(
            "Who built the ferry Gull in 1801?",
            plan,
            [block],
            over,
            Budget(passages=2),
            cost=Cost(),
            similar=5,
            own_first=own_first,
        )
        assert [passage.id for passage in evidence.passages] == [one.id for one in over.passages([velm, second])]


def test_where_nothing_similar_competes_all_passages_are_those_of_the_blocks(over: View) -> None:
    """As in the paper: the budget is not filled with what is only near the question."""
    velm, hallow = numbered(over, "Velm", "Hallow")
    plan = plan_of_constraints(constraints(KEEPER), "nobody")
    pattern = Grounding().pattern(plan.constraints[0], {}, over)
    block = ConstraintBlock(pattern=pattern, status="unresolved", passages=((velm, 1.0), (hallow, 0.5)), sought=True)
    for similar, count in ((0, 2), (1, 6)):
        evidence = evidence_of(
            "Who built the ferry Gull in 1801?", plan, [block], over, Budget(passages=6), cost=Cost(), similar=similar
        )
        assert len(evidence.passages) == count


def test_a_fact_that_may_answer_something_else_is_told_with_its_sentence(over: View) -> None:
    """The graph takes who built the Gull for what it was built on; a text that says otherwise is told beside it."""
    driven = ("Gull", "was built on", "?means", "What was the Gull built on?")
    resolver = C2RAG(check="off").resolver("?", over)
    blocks = resolver.resolve(plan_of_constraints(constraints(driven), "nobody"), 0.0, Budget())
    assert (blocks[0].status, blocks[0].found) == ("resolved", "Ada Brook")
    read = replace(blocks[0], status="recovered", grounded=None, values=("oars",))
    first, second = told(over, [blocks[0], read])[1:3]
    assert ", from “It was built by Ada Brook in 1801.” [passage 1]" in first
    assert "\nBinding: ?means = oars\n" in second


def test_beside_a_fact_in_the_relation_asked_for_others_say_nothing(over: View) -> None:
    """Whoever asks who painted a ferry is not told who built it."""
    painted = ("Tern", "was painted by", "?thing", "By what was the Tern painted?")
    resolver = C2RAG(check="off").resolver("?", over)
    blocks = resolver.resolve(plan_of_constraints(constraints(painted), "nobody"), 0.0, Budget())
    assert len(blocks[0].values) > 1
    assert "\nBinding: ?thing = Nell Orme\n" in told(over, blocks)[1]
    assert told(over, blocks)[1].count("Fact: ") == 1


def test_a_fact_in_the_words_of_the_constraint_needs_its_sentence_only_where_that_is_not_seen(over: View) -> None:
    built = ("Gull", "was built by", "?builder", "Who built the Gull?")
    blocks = C2RAG().resolver("?", over).resolve(plan_of_constraints(constraints(built), "nobody"), 0.0, Budget())
    fact = "Fact: Gull -(was built by)-> Ada Brook"
    assert f"{fact} [passage 1]" in told(over, blocks)[1]
    unseen = told(over, blocks, shown=False)[1]
    assert f"{fact}, from “It was built by Ada Brook in 1801.” [a passage that is not shown]" in unseen

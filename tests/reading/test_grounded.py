"""The reader that asks a language model, and believes what stands in the passages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from polyhop.errors import UsageError
from polyhop.models.choice import Models, load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.ports import LanguageModel
from polyhop.prompts.read_answer import _understood
from polyhop.reading.grounded import GUESSED, UNPROVEN, Grounded
from polyhop.reading.reader import Reading, text_of
from polyhop.settings import ModelChoice as Chosen
from polyhop.settings import Settings
from polyhop.types import AnswerKind, Evidence, Passage
from tests.worlds.endpoint import in_turn, says, serving

QUESTION = "Where was the builder of the ferry Gull born?"
GULL = "The Gull is a ferry. It was built by Ada Brook in 1892."
CRATE = "The crate holds:\n\n- a ship's lamp\n- oil\n- wicks\n"
BROOK = "Ada Brook was a shipwright. She was born in Velm."


def asking(model: LanguageModel) -> Models:
    """The models as they are shipped, with this language model."""
    return Models(Settings()).with_language_model(model)


def evidence() -> Evidence:
    """Two passages that together answer the question."""
    passages = (
        Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)
        for title, text in (("Gull", GULL), ("Ada Brook", BROOK))
    )
    return Evidence(question=QUESTION, strategy="dense", passages=tuple(passages))


@contextmanager
def models_saying(answer: str, found: bool, *quotes: tuple[int, str]) -> Iterator[Models]:
    """Models whose language model is a server that gives this answer."""
    support = [{"passage": number, "quote": quote} for number, quote in quotes]
    with (
        serving(says(json.dumps({"support": support, "found": found, "answer": answer}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        yield asking(model)


def read(answer: str, found: bool, *quotes: tuple[int, str]) -> Reading:
    with models_saying(answer, found, *quotes) as models:
        return Grounded().read(QUESTION, evidence(), models)


def test_read_gives_the_answer_with_its_quotations() -> None:
    reading = read("Velm", True, (1, "It was built by Ada Brook in 1892."), (2, "She was born in Velm."))
    assert reading.text == "Velm"
    assert [quote.passage.text[quote.start : quote.end] for quote in reading.quotes] == [
        "It was built by Ada Brook in 1892.",
        "She was born in Velm.",
    ]
    assert reading.confidence == 1.0
    assert reading.cost.llm_calls == 1


def test_confidence_is_the_share_of_genuine_quotations() -> None:
    reading = read("Velm", True, (2, "She was born in Velm."), (1, "The Gull was launched in Velm."))
    assert reading.text == "Velm"
    assert reading.confidence == 0.5


def test_read_abstains_where_nothing_is_grounded() -> None:
    """An answer from the model's own memory is no answer from the documents."""
    assert read("Paris", True, (1, "Ada Brook was born in Paris.")).text is None
    assert read("Paris", True).text is None


def test_read_abstains_where_the_model_does() -> None:
    reading = read("", False)
    assert reading.text is None
    assert reading.note


def test_nothing_is_sure_where_nothing_is_found_however_genuine_the_quotations() -> None:
    """Whoever goes by the confidence would take it for an answer that is certain."""
    near = (2, "She was born in Velm.")
    assert read("", False, near).confidence == 0.0
    assert read("Ossby", False, near).confidence == GUESSED
    withheld = read("Ossby", True, near)
    assert (withheld.text, withheld.confidence) == (None, UNPROVEN)


def test_a_guess_may_be_remembered_where_the_best_is_wanted() -> None:
    """And is told to be none of the passages': "what you remember does not count" stood alone beside it."""
    for stance in ("best", "cautious"):
        answer = {"support": [], "found": False, "answer": "Velm"}
        with serving(says(json.dumps(answer))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
            reading = Grounded(stance=stance).read(QUESTION, evidence(), asking(model))
            told = server.requests[0]["messages"][0]["content"]
        assert ('the one that you remember or hold for most likely, with "found" false' in told) == (stance == "best")
        assert (reading.text, reading.grounded) == ("Velm" if stance == "best" else None, False)


HEADED = "Time: 20310602_08:40\n\nAda: The ferry runs again tomorrow.\nBo: At last! I am coming along.\n"
STAMPED = "[02/06/2031, 08:40] Ada: The ferry runs again tomorrow.\n[02/06/2031, 08:41] Bo: At last! I am coming.\n"


@pytest.mark.parametrize("said", [HEADED, STAMPED])
@pytest.mark.parametrize(("day", "counts"), [("3 June 2031", True), ("3 June 2039", False)])
def test_a_day_may_be_counted_from_the_one_that_a_conversation_names(said: str, day: str, counts: bool) -> None:
    """As from one that only the rest of its document names: "tomorrow" is the day after."""
    chat = replace(evidence().passages[0], title="Chat", text=said, end=len(said))
    with models_saying(day, True, (1, "The ferry runs again tomorrow.")) as models:
        reading = Grounded().read("When does the ferry run again?", replace(evidence(), passages=(chat,)), models)
    assert reading.text == (day if counts else None)


def test_read_shows_what_the_strategy_concluded() -> None:
    """And believes the passages."""
    concluded = replace(evidence(), synthesis="Ada Brook built the Gull; she comes from Ossby.")
    answer = {"support": [{"passage": 1, "quote": "she comes from Ossby"}], "found": True, "answer": "Ossby"}
    with serving(says(json.dumps(answer))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        reading = Grounded().read(QUESTION, concluded, asking(model))
        assert concluded.synthesis in server.requests[0]["messages"][1]["content"]
    assert (reading.text, reading.quotes) == (None, ())


def test_a_range_is_written_with_a_dash() -> None:
    """As people write it, whatever the passage's typewriter had; in code it stays."""
    reading, _ = reading_of(full("short", ("1950 -- 1953", [1])), stance="best")
    assert reading.text == "1950–1953"
    reading, _ = reading_of(full("steps", ("run --from 3 -- 4", [1]), ("stop", [1])), stance="best")
    assert "3 -- 4" in (reading.text or "")


def test_what_a_strategy_set_aside_is_not_shown() -> None:
    """It is evidence like other passages, and numbers of quotations are those of what is shown."""
    aside = replace(evidence(), aside=("Gull",))
    answer = {"support": [{"passage": 1, "quote": "She was born in Velm."}], "found": True, "answer": "Velm"}
    with serving(says(json.dumps(answer))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        reading = Grounded().read(QUESTION, aside, asking(model))
        assert GULL not in server.requests[0]["messages"][1]["content"]
    assert [quote.passage.title for quote in reading.quotes] == ["Ada Brook"]


def test_read_needs_a_language_model() -> None:
    models = load_models(Settings(models=Chosen(language_model="none")))
    with pytest.raises(UsageError, match="needs a language model"):
        Grounded().read(QUESTION, evidence(), models)


# --- what an answer rests on ------------------------------------------------------------------------------------------


def test_a_genuine_quotation_of_something_else_grounds_no_answer() -> None:
    assert read("Paris", True, (2, "She was born in Velm.")).text is None
    assert read("Ada Brook", True, (2, "She was born in Velm."), (1, "It was built by Ada Brook in 1892.")).grounded


def best(answer: str, found: bool, *quotes: tuple[int, str]) -> Reading:
    with models_saying(answer, found, *quotes) as models:
        return Grounded(stance="best").read(QUESTION, evidence(), models)


def test_the_best_answer_is_given_and_marked_where_nothing_bears_it_out() -> None:
    """As the papers do; how sure it is says that it is little more than a guess."""
    for reading in (best("Paris", True, (2, "She was born in Velm.")), best("Paris", True)):
        assert (reading.text, reading.grounded, reading.confidence) == ("Paris", False, UNPROVEN)
    for guess in (best("Paris", False), best("Velm", False, (2, "She was born in Velm."))):
        assert (guess.grounded, guess.confidence) == (False, GUESSED)
    proven = best("Velm", True, (2, "She was born in Velm."))
    assert (proven.text, proven.grounded, proven.confidence) == ("Velm", True, 1.0)
    assert best("", False).text is None


def test_how_sure_an_answer_is_says_whether_that_is_a_chance() -> None:
    """That quotations contain it is no chance that it is right: small models quote what does not say it."""
    for quoted in (best("Velm", True, (2, "She was born in Velm.")), read("Velm", True, (2, "She was born in Velm."))):
        assert quoted.confidence_kind == "quoted"
    for guess in (best("Paris", True), best("Paris", False)):
        assert guess.confidence_kind == "chance"


# --- what a model may write -------------------------------------------------------------------------------------------


def reading_of(*said: str, finish: str = "stop", **settings: Any) -> tuple[Reading, int]:
    """What becomes of outputs, and how many were asked for."""
    script = in_turn(*(says(one, finish=finish) for one in said))
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", attempts=1) as model:
        models = asking(model)
        return Grounded(**settings).read(QUESTION, evidence(), models), len(server.requests)


SUPPORT = [
    {"passage": 1, "quote": "It was built by Ada Brook in 1892."},
    {"passage": 2, "quote": "She was born in Velm."},
]


def full(shape: str, *parts: tuple[str, list[int]]) -> str:
    answer = [{"text": text, "support": support} for text, support in parts]
    return json.dumps({"support": SUPPORT, "found": True, "shape": shape, "answer": answer})


def test_a_text_has_its_sentences_each_with_its_quotations() -> None:
    reading, _ = reading_of(full("text", ("The Gull was built by Ada Brook.", [1]), ("She came from Velm.", [2])))
    assert reading.text == "The Gull was built by Ada Brook. She came from Velm."
    assert (reading.kind, reading.grounded, reading.confidence) == (AnswerKind.PROSE, True, 1.0)
    assert [[text_of(quote) for quote in quotes] for _, *quotes in reading.items] == [
        ["It was built by Ada Brook in 1892."],
        ["She was born in Velm."],
    ]


def test_a_sentence_that_nothing_bears_out_is_marked() -> None:
    reading, _ = reading_of(full("text", ("Ada Brook built the Gull.", [1]), ("Tom Hale paid for it.", [1])))
    assert reading.text == "Ada Brook built the Gull. Tom Hale paid for it."
    assert (reading.grounded, reading.confidence) == (False, 0.5)
    assert [len(quotes) for _, *quotes in reading.items] == [1, 0]


def test_an_item_of_a_list_that_nothing_bears_out_is_left_out() -> None:
    """It would be one more name among others; with stance=best it is there, and marked."""
    said = full("list", ("Ada Brook", [1]), ("Tom Hale", [1]), ("Velm", [2]))
    cautious, _ = reading_of(said)
    assert (cautious.text, cautious.kind, cautious.grounded) == ("Ada Brook, Velm", AnswerKind.LIST, True)
    every, _ = reading_of(said, stance="best")
    assert (every.text, every.grounded) == ("Ada Brook, Tom Hale, Velm", False)
    assert [len(quotes) for _, *quotes in every.items] == [1, 0, 1]


def test_items_with_commas_are_set_apart_by_semicolons_and_lose_full_stops() -> None:
    parts = (("Ada Brook built it, in 1892.", [1]), ("She came from Velm.", [2]))
    reading, _ = reading_of(full("list", *parts), stance="best")
    assert reading.text == "Ada Brook built it, in 1892; She came from Velm"


def test_an_item_that_tells_something_may_do_so_in_other_words() -> None:
    told = "Ada Brook: she built the ferry that people call the Gull, in 1892, out of wood"
    reading, _ = reading_of(full("list", (told, [1]), ("Tom Hale: he paid for all that it took to build", [1])))
    assert (reading.text, reading.grounded) == (told, True)


def test_an_item_of_an_enumeration_is_borne_out_by_its_line() -> None:
    """The line says no more than the thing; that it belongs to the list, the enumeration says."""
    crate = Passage(id="c", document_id="c", ordinal=0, start=0, end=len(CRATE), title="Crate", text=CRATE)
    support = [{"passage": 1, "quote": line} for line in ("- a ship's lamp", "- oil")]
    parts = [{"text": "a ship's lamp", "support": [1]}, {"text": "oil", "support": [2]}]
    said = json.dumps({"support": support, "found": True, "shape": "list", "answer": parts})
    with serving(says(said)) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        asked = Evidence(question="What is in the crate?", strategy="dense", passages=(crate,))
        reading = Grounded().read(asked.question, asked, asking(model))
    assert (reading.text, reading.grounded, reading.confidence) == ("a ship's lamp, oil", True, 1.0)


def test_the_models_word_is_enough_where_nothing_has_to_be_borne_out() -> None:
    """As papers read answers: what no quotation bears out is there, and marked; what is not established is not."""
    said = full("list", ("Ada Brook", [1]), ("Tom Hale", [1]))
    reading, _ = reading_of(said, threshold=0.0)
    assert (reading.text, reading.grounded) == ("Ada Brook, Tom Hale", False)
    nothing, _ = reading_of(said.replace('"found": true', '"found": false'), threshold=0.0)
    assert nothing.text is None


def test_steps_are_numbered_and_code_keeps_its_lines() -> None:
    reading, _ = reading_of(full("steps", ("Build it:\n    built by Ada Brook\n    in 1892", [1]), ("Velm", [2])))
    assert reading.text == "1. Build it:\n    built by Ada Brook\n    in 1892\n2. Velm"
    assert reading.kind == AnswerKind.LIST


@pytest.mark.parametrize(
    "around",
    [
        "Here is what I found.\n\n{}\n\nI hope this helps.",
        "```json\n{}\n```",
        "<think>Is it {{Velm}}? Perhaps.</think>\n{}",
        "Is it Velm? Perhaps.</think>{}",
    ],
)
def test_what_stands_around_an_answer_is_skipped(around: str) -> None:
    reading, asked = reading_of(around.format(full("short", ("Velm", [2]))))
    assert (reading.text, reading.grounded, asked) == ("Velm", True, 1)


def test_an_answer_in_the_other_form_needs_no_repair() -> None:
    brief = json.dumps({"support": SUPPORT, "found": True, "answer": "Velm"})
    assert [reading_of(brief)[1], reading_of(full("short", ("Velm", [2])), brief=True)[1]] == [1, 1]


def test_an_output_in_no_form_is_repaired_once_and_then_used_as_far_as_it_goes() -> None:
    words = "She was born in Velm. I am sure that Tom Hale was there."
    reading, asked = reading_of(words, stance="best")
    assert (reading.text, reading.grounded, asked) == (words, False, 2)
    assert [[text_of(quote) for quote in quotes] for _, *quotes in reading.items] == [["She was born in Velm."], []]
    assert "not answer in the form" in reading.note
    assert reading_of("Velm")[0].text is None  # a name by itself proves nothing
    assert reading_of("Velm", stance="best")[0].text == "Velm"
    assert reading_of(words, full("short", ("Velm", [2])))[0].grounded


@pytest.mark.parametrize("whole", [full("text", ("Ada Brook built the Gull.", [1]), ("She was born in Velm.", [2]))])
def test_an_answer_that_is_cut_off_counts_up_to_there(whole: str) -> None:
    reading, asked = reading_of(whole[:-30], finish="length")
    assert (reading.text, asked) == ("Ada Brook built the Gull.", 2)
    for end in range(len(whole)):
        reading_of_cut = _understood(whole[:end])
        assert all(part["text"] for part in reading_of_cut["answer"]) or not reading_of_cut["found"]


def test_a_repair_that_the_budget_does_not_allow_is_not_asked_for() -> None:
    with serving(says("She was born in Velm, I am sure.")) as server:
        with OpenAICompatible(base_url=server.url, model="sage", attempts=1) as model:
            models = asking(Within(model, 1))
            reading = Grounded(stance="best").read(QUESTION, evidence(), models)
        assert (len(server.requests), reading.cost.llm_calls, reading.grounded) == (1, 1, False)
        assert reading.text == "She was born in Velm, I am sure."

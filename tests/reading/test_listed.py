"""Lists and paragraphs that several likely sentences speak for."""

from __future__ import annotations

from dataclasses import replace

from polyhop.models.choice import load_models
from polyhop.reading.listed import (
    answers_listed,
    explained,
    in_its_sentence,
    introduced,
    introduces,
    likeliest_list,
    listed_steps,
    looked_up,
    paragraph_of,
    several_listed,
)
from polyhop.reading.pointing import Pointed, Pointing, Supporting
from polyhop.reading.reader import Quote, text_of
from polyhop.types import Passage
from tests.worlds.settings import QUICK

TEXT = """Bring along:
- a lamp
- a rope
- a map

Leave behind:
- the dog
- the cat

Filling the lamp

Unscrew the cap. Pour oil in up to the mark. Screw it on again."""
FERRY = Passage(id="p", document_id="p", ordinal=0, start=0, end=len(TEXT), title="Ferry", text=TEXT)


def found(*sentences: tuple[str, float]) -> Pointing:
    places = [(chance, TEXT.index(said), TEXT.index(said) + len(said)) for said, chance in sentences]
    supporting = [Supporting(chance, Quote(FERRY, start, end)) for chance, start, end in places]
    return Pointing(question="", sentences=tuple(sorted(supporting, key=lambda one: -one.chance)))


def test_a_list_is_as_likely_as_any_of_its_lines_speaks_for_it() -> None:
    items, chance = likeliest_list(
        found(("Bring along:", 0.3), ("- a lamp", 0.4), ("- a rope", 0.3), ("- the dog", 0.5), ("- the cat", 0.1)),
        anchored=False,
    )
    assert [text for text, _ in items] == ["a lamp", "a rope", "a map"]
    assert abs(chance - (1 - 0.7 * 0.6 * 0.7)) < 1e-9


def test_of_two_lists_that_is_told_which_is_about_the_question() -> None:
    lines = (("Bring along:", 0.3), ("- a lamp", 0.2), ("- a rope", 0.2), ("Leave behind:", 0.3), ("- the dog", 0.3))
    asked = replace(found(*lines, ("- the cat", 0.3)), question="What do I have to bring along?")
    reranker = load_models(QUICK).reranker
    assert [text for text, _ in likeliest_list(asked, anchored=False)[0]] == ["the dog", "the cat"]
    items, chance = likeliest_list(asked, anchored=False, reranker=reranker)
    assert [text for text, _ in items] == ["a lamp", "a rope", "a map"]
    assert chance > 0.5
    other = replace(asked, question="Which choir sings alto?")
    assert likeliest_list(other, anchored=False, reranker=reranker)[1] < 0.4


def test_steps_are_the_list_that_is_about_the_question_as_a_whole() -> None:
    """No step has a word of the question: the line above them has."""
    text = """Changing the wick:
1. Turn the flame down.
2. Pull out the burnt end.
3. Cut it straight.

Delivered with the lamp:
- two wicks
- a funnel
- this sheet"""
    lamp = Passage(id="l", document_id="l", ordinal=0, start=0, end=len(text), title="Grebe lamp", text=text)
    reranker = load_models(QUICK).reranker
    items, chance = listed_steps("How do I put a new wick into the lamp?", [lamp, FERRY], reranker)
    assert [said for said, _ in items] == ["Turn the flame down.", "Pull out the burnt end.", "Cut it straight."]
    assert chance > 0.5
    assert listed_steps("How do I train a choir?", [lamp, FERRY], reranker)[1] < 0.1
    assert listed_steps("How do I train a choir?", [], reranker) == ([], 0.0)


README = """## Highlights

- Expressive colours
- Highly lit
- No smoke

## Install

```sh
lamp install grebe
```

It needs oil."""
HEADED = tuple((README.index(said), README.index(said) + len(said)) for said in ("Highlights", "Install"))


def test_a_section_whose_heading_says_what_is_to_be_done_tells_how() -> None:
    """Without the marks of its code; and a list that is something else is not taken for steps."""
    page = Passage(
        id="g", document_id="g", ordinal=0, start=0, end=len(README), title="Grebe", text=README, headings=HEADED
    )
    reranker = load_models(QUICK).reranker
    ((said, quote),), chance = listed_steps("How do I install Grebe?", [FERRY, page], reranker)
    assert said == "lamp install grebe It needs oil."
    assert README[quote.start : quote.end].endswith("oil.")
    assert chance > 0.7
    assert listed_steps("How do I install Tern?", [page], reranker) == ([], 0.0)
    assert listed_steps("How do I uninstall Grebe?", [page], reranker) == ([], 0.0)


def test_one_likely_item_or_likelier_prose_is_no_list() -> None:
    assert likeliest_list(found(("- a lamp", 0.9), ("- a rope", 0.2))) == ([], 0.0)
    several = found(("Unscrew the cap.", 0.6), ("- a lamp", 0.3), ("- a rope", 0.2))
    assert likeliest_list(several, anchored=False) == ([], 0.0)


def test_a_list_is_told_beside_a_likelier_sentence_only_where_it_need_not_be_the_likeliest() -> None:
    several = found(("Unscrew the cap.", 0.4), ("- a lamp", 0.3), ("- a rope", 0.3))
    assert likeliest_list(several) == ([], 0.0)
    assert len(likeliest_list(several, anchored=False)[0]) == 3


def test_a_line_that_introduces_a_list_stands_for_its_items() -> None:
    (line,) = (one.quote for one in found(("Bring along:", 0.9)).sentences)
    assert [text for text, _ in introduced(line)] == ["a lamp", "a rope", "a map"]
    (item,) = (one.quote for one in found(("- a lamp", 0.9)).sentences)
    assert introduced(item) == []
    assert introduces(line)
    assert not introduces(item)


def test_a_paragraph_is_told_where_two_of_its_sentences_are_likely() -> None:
    said = paragraph_of(found(("Unscrew the cap.", 0.5), ("Pour oil in up to the mark.", 0.4)))
    assert said is not None
    assert text_of(said) == "Unscrew the cap. Pour oil in up to the mark. Screw it on again."
    assert paragraph_of(found(("Unscrew the cap.", 0.5), ("Screw it on again.", 0.2))) is None


HIRE = """Lamp: Grebe; Glass: clear red; Keeper: Ada Brisk
Lamp: Heron; Glass: green; Keeper: Piet Rook
Lamp: Stork; Glass: red; Keeper: Ada Brisk
Lamp: Quill; Glass: red; Keeper: Piet Rook"""
LAMPS = Passage(id="q", document_id="q", ordinal=0, start=0, end=len(HIRE), title="Lamps", text=HIRE)


def test_rows_are_looked_up_by_a_value_that_a_question_names() -> None:
    def asked(question: str) -> list[str]:
        return [text for text, _ in looked_up(question, [LAMPS])]

    assert asked("which lamps does ada brisk keep?") == ["Grebe", "Stork"]
    assert asked("Which keepers have a red glass?") == ["Ada Brisk", "Piet Rook"]
    assert asked("Which ropes does Ada Brisk keep?") == []  # no column of that name
    assert asked("Which lamps are there?") == []


def test_rows_are_looked_up_that_do_not_have_what_a_question_denies() -> None:
    def asked(question: str) -> list[str]:
        return [text for text, _ in looked_up(question, [LAMPS])]

    assert asked("Which lamps does Ada Brisk not keep?") == ["Heron", "Quill"]
    assert asked("Which lamps don't have a red glass?") == ["Grebe", "Heron"]
    assert asked("Which lamps were never lit?") == []  # no value is named, and none is denied


def test_rows_are_looked_up_by_a_value_that_denies_something_itself() -> None:
    told = """Buoy: Auk; Light: not lit; Colour: red
Buoy: Gannet; Light: white; Colour: red
Buoy: Puffin; Light: not lit; Colour: green"""
    buoys = Passage(id="b", document_id="b", ordinal=0, start=0, end=len(told), title="Buoys", text=told)
    assert [text for text, _ in looked_up("Which buoys are not lit?", [buoys])] == ["Auk", "Puffin"]


def test_rows_that_say_yes_are_looked_up_by_the_name_of_the_column() -> None:
    told = """Boat: Grebe; Length: 9 m; Has a sail: yes
Boat: Heron; Length: 12 m; Has a sail: no
Boat: Stork; Length: 7 m; Has a sail: yes"""
    boats = Passage(id="y", document_id="y", ordinal=0, start=0, end=len(told), title="Fleet", text=told)

    def asked(question: str) -> list[str]:
        return [text for text, _ in looked_up(question, [boats])]

    assert asked("Which boats have a sail?") == ["Grebe", "Stork"]
    assert asked("Which boats do not have a sail?") == ["Heron"]
    assert asked("Which boats with a green sail are there?") == []  # it says more


def test_a_sentence_that_says_no_more_than_the_question_is_explained_by_the_next() -> None:
    said = "Lamps may not be filled on deck. Spilt oil makes the planks slippery.\n\nThe wick is cut at dawn. It soots."
    rules = Passage(id="r", document_id="r", ordinal=0, start=0, end=len(said), title="Rules", text=said)

    def explaining(sentence: str, question: str) -> str | None:
        start = said.index(sentence)
        found = explained(Quote(rules, start, start + len(sentence)), question)
        return text_of(found) if found is not None else None

    first = "Lamps may not be filled on deck."
    assert explaining(first, "Why must I not fill a lamp on the deck?") == said[: said.index("\n")]
    assert explaining(first, "Why was Ada Brisk angry?") is None  # it says something else than the question
    assert explaining("Spilt oil makes the planks slippery.", "Why does spilt oil make planks slippery?") is None


def test_answers_of_one_enumeration_speak_for_all_of_it() -> None:
    said = "Ada Brisk, Piet Rook and Mia Tarn were there."
    minutes = Passage(id="m", document_id="m", ordinal=0, start=0, end=len(said), title="Minutes", text=said)

    def pointed(name: str, chance: float) -> Pointed:
        at = said.index(name)
        return Pointed(text=name, chance=chance, quote=Quote(minutes, 0, len(said)), start=at, end=at + len(name))

    both = Pointing(question="", answers=(pointed("Ada Brisk", 0.5), pointed("Mia Tarn", 0.2)))
    for items, chance in (answers_listed(both), several_listed(both)):
        assert [text for text, _ in items] == ["Ada Brisk", "Piet Rook", "Mia Tarn"]
        assert abs(chance - 0.6) < 1e-9
    one = Pointing(question="", answers=(pointed("Ada Brisk", 0.5),))
    assert several_listed(one) == ([], 0.0)


def test_stretches_of_one_sentence_that_enumerates_nothing_are_no_list() -> None:
    said = "The pier was built by Ada Brisk in 1841."
    text = Passage(id="b", document_id="b", ordinal=0, start=0, end=len(said), title="Pier", text=said)
    answers = tuple(
        Pointed(text=one, chance=0.4, quote=Quote(text, 0, len(said)), start=said.index(one), end=said.index(one) + 4)
        for one in ("Ada Brisk", "built by", "1841")
    )
    for listed in (answers_listed, several_listed):
        assert listed(Pointing(question="", answers=answers)) == ([], 0.0)


def test_a_list_names_each_thing_once_and_nothing_that_the_question_names() -> None:
    said = "Ada Brisk made the mill and the weir. The hall, in an old loft, holds ropes and sails."
    text = Passage(id="t", document_id="t", ordinal=0, start=0, end=len(said), title="Tarn", text=said)

    def pointed(part: str, chance: float, sentence: tuple[int, int]) -> Pointed:
        at = said.index(part)
        return Pointed(text=part, chance=chance, quote=Quote(text, *sentence), start=at, end=at + len(part))

    first, second = (0, said.index(" The hall")), (said.index("The hall"), len(said))
    one = Quote(text, 0, first[1] - 1)  # as another sentence
    mill = Pointing(
        question="List what Ada Brisk made.",
        answers=(pointed("the weir", 0.5, first), replace(pointed("the mill and the weir", 0.4, first), quote=one)),
    )
    assert [each for each, _ in answers_listed(mill)[0]] == ["the mill", "the weir"]
    hall = Pointing(question="List what the hall holds.", answers=(pointed("ropes and sails", 0.5, second),))
    assert [each for each, _ in answers_listed(hall)[0]] == ["ropes", "sails"]


def test_an_item_of_a_sentence_is_quoted_with_it_and_one_of_a_line_alone() -> None:
    text = "The crew were Ada Lund, Tam Ostler and Orla Venn.\n\nTools:\n- the long oar\n- a pump\n"
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Crew", text=text)

    def quoted(item: str) -> str:
        return text_of(in_its_sentence(Quote(passage, text.index(item), text.index(item) + len(item))))

    assert quoted("Tam Ostler") == "The crew were Ada Lund, Tam Ostler and Orla Venn."
    assert quoted("the long oar") == "the long oar"


def test_rows_that_are_documents_of_their_own_are_listed_by_the_value_that_a_question_names() -> None:
    """As those of a .csv file are; a number counts with the name of its column."""
    rows = [
        "Name: Ada Brisk; Town: Fennick; Terms (days): 60",
        "Name: Ben Ohm; Town: Quillmouth; Terms (days): 30",
        "Name: Cora Lund; Town: Fennick; Terms (days): 60",
    ]
    passages = [
        Passage(id=f"p{at}", document_id=f"d{at}", ordinal=0, start=0, end=len(row), title=row[6:9], text=row)
        for at, row in enumerate(rows)
    ]
    ada = Pointed(text="Ada Brisk", chance=0.8, quote=Quote(passages[0], 0, len(rows[0])), start=6, end=15)

    def told(question: str) -> list[str]:
        return [item for item, _ in answers_listed(Pointing(question=question, answers=(ada,)), passages)[0]]

    assert told("Which members live in Fennick?") == ["Ada Brisk", "Cora Lund"]
    assert told("Which suppliers give us 60 days?") == ["Ada Brisk", "Cora Lund"]
    assert told("Which members have 60 boats?") == told("Which members do not live in Fennick?") == []

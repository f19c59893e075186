"""How passages are shown to a model that copies sentences out of them."""

from __future__ import annotations

from polyhop.prompts.borne_out import contains
from polyhop.prompts.support import CopiedQuote, placed, quoted, shown
from polyhop.types import Passage


def passage(text: str) -> Passage:
    return Passage(id="1", document_id="songs.md", ordinal=0, start=0, end=len(text), title="Songs", text=text)


def test_a_sentence_with_short_forms_is_one_line() -> None:
    """What is asked for letter for letter is not torn, and no half of it is quoted."""
    text = "Edward G. Lisk sang for Hask Bros. Records near St. Orla. He left."
    [block] = shown([passage(text)])
    assert "\nEdward G. Lisk sang for Hask Bros. Records near St. Orla.\nHe left." in block.text


def test_a_quotation_is_found_whether_or_not_a_line_ended_in_it() -> None:
    text = "Edward G. Lisk sang.\nHe left."
    for quote in ("Edward G. Lisk sang. He left.", "Edward G.\nLisk sang."):
        quotes, unknown = placed([{"passage": 1, "quote": quote}], [passage(text)])
        assert (len(quotes), unknown) == (1, 0)


def test_a_quotation_of_a_conversation_was_said_on_the_day_that_it_names() -> None:
    """Answers to steps are held against it as final answers are: "tomorrow" is the day after."""
    said = "Time: 20310602_08:40\n\nAda: The ferry runs again tomorrow.\n"
    chat = Passage(id="c", document_id="c", ordinal=0, start=0, end=len(said), title="Chat", text=said)
    start = said.index("The ferry")
    assert quoted(CopiedQuote(passage_index=0, start=start, end=len(said)), [chat]).day == "20310602"


def test_a_quotation_of_a_conversation_knows_who_said_it_and_who_else_speaks() -> None:
    said = (
        "Ada: The ferry runs again. It was repaired.\n\nTom: Good!\n\nAda: Shall we take it?\n\nTom: Yes, on Sunday.\n"
    )
    chat = Passage(id="c", document_id="c", ordinal=0, start=0, end=len(said), title="Chat", text=said)
    start = said.index("It was repaired")
    found = quoted(CopiedQuote(passage_index=0, start=start, end=start + 16), [chat])
    assert (found.speaker, found.present) == ("Ada", ("Ada", "Tom"))


def test_who_said_what_is_quoted_bears_an_answer_out() -> None:
    """A sentence of a turn seldom names its speaker, and "who" asks for nothing else."""
    said = "Time: 20310602_08:40\n\nAda Brook: Noted. I will bring the salt.\nTom Hale: Thanks!\n"
    chat = Passage(id="c", document_id="c", ordinal=0, start=0, end=len(said), title="Chat", text=said)
    start = said.index("I will")
    copied = quoted(CopiedQuote(passage_index=0, start=start, end=said.index("\nTom")), [chat])
    assert copied.speaker == "Ada Brook"
    assert contains("Ada Brook", "Who brings the salt?", [copied])
    assert not contains("Tom Hale", "Who brings the salt?", [copied])

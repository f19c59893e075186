"""How passages are shown to a model that copies sentences out of them."""

from __future__ import annotations

from polyhop.prompts.support import placed, shown
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

"""What passages are about, told from their titles."""

from __future__ import annotations

from polyhop.reading.subjects import about, likeness
from polyhop.types import Passage


def test_likeness_overlooks_case_accents_and_what_tells_namesakes_apart() -> None:
    assert likeness("Élan Strand", "elan strand") == 1.0
    assert likeness("Low Tide", "Low Tide (film)") > 0.9
    assert 0.6 < likeness("Orla Venn", "Orla Maria Venn") < 0.9
    assert likeness("Orla Venn", "Tam Ostler") == 0.0


def test_about_is_the_passage_of_that_name_and_none_where_no_title_is_like_it() -> None:
    titles = ("Low Tide (film)", "Orla Maria Venn", "")
    passages = [Passage(id=one, document_id=one, ordinal=0, start=0, end=1, title=one, text="-") for one in titles]
    assert about("Low Tide", passages) == passages[0]
    assert about("Orla Venn", passages) == passages[1]
    assert about("Tam Ostler", passages) is None
    assert about("Tam Ostler", []) is None

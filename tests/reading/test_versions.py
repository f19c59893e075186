"""What stands under the heading of another version than a question names is not taken for its answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.reading.pointing import Pointed, Pointing, Supporting
from polyhop.reading.reader import Quote
from polyhop.reading.subjects import of_its_version, version_telling
from polyhop.types import Passage

NOTES = """\
1.2. Ferry rules 4.6.1

Out in May.

1.3. Ferry rules 4.6.0

Out in August. It corrects what 4.6.1 will need.

Thanks

To Ada Brisk."""


def passage(*headings: str) -> Passage:
    places = tuple((NOTES.index(heading), NOTES.index(heading) + len(heading)) for heading in headings)
    return Passage(
        id="p", document_id="d", ordinal=0, start=0, end=len(NOTES), title="Notes", text=NOTES, headings=places
    )


def left(question: str, notes: Passage) -> list[str]:
    """Those of all sentences that may answer."""
    said = ("Out in May.", "Out in August.", "It corrects what 4.6.1 will need.", "To Ada Brisk.")
    quotes = [Quote(notes, NOTES.index(each), NOTES.index(each) + len(each)) for each in said]
    found = Pointing(
        question=question,
        answers=tuple(Pointed(text=each, chance=0.5, quote=quote) for each, quote in zip(said, quotes, strict=True)),
        sentences=tuple(Supporting(0.5, quote) for quote in quotes),
    )
    read = of_its_version(found)
    assert [one.quote for one in read.answers] == [one.quote for one in read.sentences]
    return [one.text for one in read.answers]


ALL = ("1.2. Ferry rules 4.6.1", "1.3. Ferry rules 4.6.0", "Thanks")


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        ("When did version 4.6.0 come out?", ["Out in August.", "It corrects what 4.6.1 will need.", "To Ada Brisk."]),
        ("When did version 4.5.9 come out?", ["To Ada Brisk."]),
        ("When did v4.6.1 come out?", ["Out in May.", "It corrects what 4.6.1 will need.", "To Ada Brisk."]),
    ],
)
def test_only_sentences_of_the_version_or_of_none_may_answer(question: str, sentences: list[str]) -> None:
    assert left(question, passage(*ALL)) == sentences


def test_what_was_tried_out_before_a_version_is_another_version() -> None:
    notes = Passage(
        id="p", document_id="d", ordinal=0, start=0, end=0, title="Notes", text="It drops oak.", section=("3.0.0a1",)
    )
    found = Pointing(question="What did ferry 3.0.0 drop?", sentences=(Supporting(0.5, Quote(notes, 0, 13)),))
    assert not of_its_version(found).sentences
    assert of_its_version(replace(found, question="What did ferry 3.0.0a1 drop?")).sentences


@pytest.mark.parametrize(
    "question",
    [
        "When did the rules come out?",  # of which version is not asked
        "Who pays 4.60 groats?",  # amounts have a dot, too
        "Which came first, 4.6.0 or 4.6.1?",
    ],
)
def test_otherwise_all_sentences_may_answer(question: str) -> None:
    assert len(left(question, passage(*ALL))) == 4


def test_without_headings_nothing_tells_of_which_version_a_sentence_is() -> None:
    assert len(left("When did version 4.6.0 come out?", passage())) == 4


def test_the_numbers_of_sections_are_no_versions() -> None:
    text = "1.4.2 Tolls\n\nA cart pays two groats."
    section = Passage(
        id="p", document_id="d", ordinal=0, start=0, end=len(text), title="", text=text, headings=((0, 11),)
    )
    quote = Quote(section, 13, len(text))
    found = Pointing(question="What may be left out of section 1.4.1?", sentences=(Supporting(0.5, quote),))
    assert of_its_version(found) == found


def test_a_heading_speaks_of_its_own_version_and_not_of_the_one_before() -> None:
    notes = passage(*ALL)
    quotes = [Quote(notes, NOTES.index(each), NOTES.index(each) + len(each)) for each in ALL[:2]]
    found = Pointing(
        question="When did version 4.6.1 come out?", sentences=tuple(Supporting(0.5, quote) for quote in quotes)
    )
    assert [one.quote for one in of_its_version(found).sentences] == quotes[:1]


def test_a_section_within_that_of_a_version_is_of_that_version() -> None:
    text = "## 4.6.1\n\n### Changes\n\nThe gate opens.\n\n## 4.6.0\n\n### Changes\n\nThe wheel turns."
    starts = [text.index("4.6.1"), text.index("Changes"), text.index("4.6.0"), text.rindex("Changes")]
    places = tuple((start, text.index("\n", start)) for start in starts)
    notes = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="N", text=text, headings=places)
    quotes = [Quote(notes, text.index(said), text.index(said) + len(said)) for said in ("The gate", "The wheel")]
    found = Pointing(question="What changed in 4.6.0?", sentences=tuple(Supporting(0.5, quote) for quote in quotes))
    assert [one.quote for one in of_its_version(found).sentences] == quotes[1:]


def test_the_heading_of_a_version_does_not_tell_of_another_number() -> None:
    """With a single dot that may be an amount elsewhere, and in a heading of versions is not this one."""
    notes = passage(*ALL)
    quote = Quote(notes, NOTES.index(ALL[0]), NOTES.index(ALL[0]) + len(ALL[0]))
    found = Pointing(question="When was the barge 1.12-1 built?", sentences=(Supporting(0.5, quote),))
    assert of_its_version(found).sentences == ()
    assert of_its_version(replace(found, question="When was the barge built?")).sentences == found.sentences


CHANGES = """\
4.1.0 (2031-11-06)
------------------

- Add support for lamps of type 3.14.
- Drop support for lamps of type 3.7 and 3.8.

3.0.0 (2030-08-28)
------------------

- Drop support for lamps of type 2.7.
- Remove the old lock in mill 2.

mill (2.5-1) unstable; urgency=medium

  * Remove the sluice."""


def changes() -> Passage:
    headings = ("4.1.0 (2031-11-06)", "3.0.0 (2030-08-28)", "mill (2.5-1) unstable; urgency=medium")
    places = tuple((CHANGES.index(heading), CHANGES.index(heading) + len(heading)) for heading in headings)
    text = CHANGES
    return Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="mill", text=text, headings=places)


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("In which version of mill was support for lamps of type 2.7 dropped?", "3.0.0"),
        ("Which version added support for lamps of type 3.14?", "4.1.0"),
        ("In which version was the old lock removed?", "3.0.0"),  # and not in mill 2, as the line itself says
        ("Which release of mill removed the sluice?", "2.5-1"),
        ("In which version was support for lamps of type 2.6 dropped?", None),
        ("In which version was the gate removed?", None),
        ("Which version dropped support for lamps?", None),  # several did
        ("When was the old lock removed?", None),
    ],
)
def test_a_version_is_told_by_the_heading_over_what_changed(question: str, version: str | None) -> None:
    reading = version_telling(question, [changes()])
    assert (reading.text if reading else None) == version
    assert reading is None or len(reading.quotes) == 2  # the heading, and the line below it


KEPT = """\
## [1.3.0] - 2031-04-09

### Fixed
- Painted gates no longer jam.

## [1.2.1] - 2031-02-04

### Added
- Carts may be booked.
- Boats may carry other boats.

## [1.2.0] - 3 May 2030

### Removed
- The upper lock."""


def kept(title: str = "Quill changelog") -> Passage:
    lines = [line.lstrip("# ") for line in KEPT.splitlines() if line.startswith("#")]
    places = tuple((KEPT.index(line), KEPT.index(line) + len(line)) for line in lines)
    return Passage(id="p", document_id="d", ordinal=0, start=0, end=len(KEPT), title=title, text=KEPT, headings=places)


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("Which version of Quill removed the upper lock?", "1.2.0"),
        ("In which release was the upper lock removed?", "1.2.0"),
        ("Which version of Quill introduced booked carts?", "1.2.1"),
        ("What version of Quill added carts that may be booked?", "1.2.1"),
        ("Which version of Quill introduced the upper lock?", None),  # it was removed
        ("Which version of Quill introduced painted gates?", None),  # they were mended
        ("Which version of Quill introduced boats?", None),  # there were some before
        ("Which version of Heron removed the upper lock?", None),
    ],
)
def test_the_heading_over_a_line_says_what_became_of_it(question: str, version: str | None) -> None:
    reading = version_telling(question, [kept()])
    assert (reading.text if reading else None) == version


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("When was Quill 1.2.1 released?", "2031-02-04"),
        ("When did version 1.2.0 of Quill come out?", "3 May 2030"),
        ("On which day was v1.3.0 published?", "2031-04-09"),
        ("When was Quill 1.2 released?", None),
        ("When was Heron 1.2.1 released?", None),
        ("When was the lock of Quill 1.2.0 built?", None),
        ("Who released Quill 1.2.1?", None),
        ("Was Quill 1.2.0 released before 1.2.1?", None),
    ],
)
def test_a_version_came_out_on_the_day_beside_it(question: str, day: str | None) -> None:
    reading = version_telling(question, [kept()])
    assert (reading.text if reading else None) == day


def test_a_day_that_two_headings_tell_otherwise_is_not_told() -> None:
    later = KEPT.replace("2031-02-04", "2031-02-05")
    other = replace(kept(), id="q", document_id="e", text=later)
    assert version_telling("When was Quill 1.2.1 released?", [kept(), other]) is None


def test_the_heading_of_a_version_of_two_numbers_speaks_of_no_other() -> None:
    text = "4.1 (2031-02-20)\n\nThe gate opens."
    notes = Passage(
        id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Q", text=text, headings=((0, 16),)
    )
    found = Pointing(question="When was quill 3.8 released?", sentences=(Supporting(0.5, Quote(notes, 0, 16)),))
    assert of_its_version(found).sentences == ()
    assert of_its_version(replace(found, question="When was quill 4.1 released?")).sentences

"""What only the width of a page parted is put together: words at line ends, and the lines of a paragraph."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.wrapped_lines import flowing, word_edits
from polyhop.types import Document

PROSE = (
    "The pumping station at Quillmouth was built in 1841 and has been rebuilt twice since then. Its two engines lift "
    "the water of the lower town into the Sable, and they run for about nine hours on a dry day. In winter the keeper "
    "measures the depth of the sump every morning and enters it into the log, which is kept in the office."
)
SECOND = "Nobody but the keeper may open the inner gate, unless the surveyor has asked for it in writing a week before."


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the car-\npenter", "the carpenter"),
        ("the car-  \n   penter", "the carpenter"),
        ("a well-known mill, a well-\nknown ferry", "a well-known mill, a well-known ferry"),
        ("a lighthouse, the light-\nhouse", "a lighthouse, the lighthouse"),
        ("a co-op, two coop doors, the coop, the co-\nop", "a co-op, two coop doors, the coop, the coop"),
        ("Jean-\nPaul", "Jean-Paul"),
        ("1742-\n1911", "1742-1911"),
        ("the PUMP-\nING station", "the PUMPING station"),
        ("her mother-in-\nlaw", "her mother-in-law"),
        ("state-\nof-the-art pumps", "state-of-the-art pumps"),
        ("pre- and post-war, pre-\nand post-war", "pre- and post-war, pre- and post-war"),
        ("oil is light and fired here: an oil-\nfired lamp", "oil is light and fired here: an oil-fired lamp"),
        ("- rye -\n- oats", "- rye -\n- oats"),
    ],
)
def test_a_hyphen_at_a_line_end_goes_unless_the_word_has_one(text: str, whole: str) -> None:
    assert word_edits(text).applied(text) == whole


def test_a_text_that_cuts_words_cuts_those_it_does_not_tell_of_too() -> None:
    """Words that stand in it by themselves, such as over and flow, do not tell that they were two."""
    said = "Water may flow over the wall. The carpenter came. The car-\npenter mended the over-\nflow."
    assert word_edits(said).applied(said).endswith("The carpenter mended the overflow.")


def test_a_long_chain_of_hyphens_takes_no_time() -> None:
    began = time.process_time()
    text = "4D-" * 20_000
    assert word_edits(text).applied(text).endswith("4D-")
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize("width", [50, 64, 72, 79, 100])
def test_wrapped_paragraphs_are_each_a_line(width: int) -> None:
    wrapped = "\n\n".join(textwrap.fill(paragraph, width) for paragraph in (PROSE, SECOND, PROSE))
    assert flowing(f"Pumping\n\n{wrapped}\n") == f"Pumping\n\n{PROSE}\n\n{SECOND}\n\n{PROSE}\n"


def test_a_text_of_several_widths_has_each_paragraph_on_a_line() -> None:
    """As licences have it that quote others: what is narrower than most is no list of short lines."""
    parts = [textwrap.fill(f"{SECOND} {PROSE}", width) for width in (60, 78, 78, 78)]
    assert flowing("\n\n".join(parts)) == "\n\n".join([f"{SECOND} {PROSE}"] * 4)


def test_titles_tell_nothing_of_the_width() -> None:
    """Nor do the rules below them: a text of short sections is wrapped like any other."""
    section = f"The Keeper and the Gate of the Mill\n{'=' * 35}\n\n{{}}\n\n"
    wrapped = section.format(textwrap.fill(SECOND, 70)) * 6
    assert flowing(wrapped) == section.format(SECOND) * 6


def test_paragraphs_in_capitals_are_no_verse() -> None:
    wrapped = "\n\n".join(textwrap.fill(paragraph, 66) for paragraph in (PROSE, SECOND.upper(), PROSE))
    assert flowing(wrapped) == f"{PROSE}\n\n{SECOND.upper()}\n\n{PROSE}"


def test_the_end_of_a_sentence_before_a_list_is_no_label() -> None:
    text = (
        textwrap.fill(PROSE, 66) + "\n\nThese are the rules that the keeper of the gate has to\nkeep to on dry days:\n"
    )
    assert flowing(text).endswith("These are the rules that the keeper of the gate has to keep to on dry days:\n")


def test_spaces_that_make_lines_equally_long_go() -> None:
    """Those before what hangs on a column stay: they part a name from what is said of it."""
    justified = """\
       The  pumping  station at Quillmouth was built in 1841 and has
       been rebuilt twice since then.  Its two engines lift the wa-
       ter of the lower town into the Sable,  and  they  run  for  a
       day.

       depth  The  keeper  measures  the  depth  of  the  sump every
              morning and enters  it  into  the  log,  which is kept in
              the office.
"""
    assert flowing(justified) == (
        "       The pumping station at Quillmouth was built in 1841 and has been rebuilt twice since then. Its two "
        "engines lift the water of the lower town into the Sable, and they run for a day.\n\n"
        "       depth  The keeper measures the depth of the sump every morning and enters it into the log, "
        "which is kept in the office.\n"
    )


def test_words_cut_in_wrapped_paragraphs_are_whole() -> None:
    """The lines are as wide as they were before."""
    wrapped = textwrap.fill(f"{PROSE} {SECOND}", 70)
    lines = wrapped.split("\n")
    cut = [f"{lines[1][:-2]}-", f"{lines[1][-2:]} {lines[2]}"]
    assert lines[1][-3:].isalpha()
    assert flowing("\n".join([lines[0], *cut, *lines[3:]])) == f"{PROSE} {SECOND}"


def test_paragraphs_may_begin_with_an_indent_instead_of_a_blank_line() -> None:
    wrapped = "\n".join(textwrap.fill(each, 70, initial_indent="   ") for each in (PROSE, SECOND, PROSE))
    assert flowing(wrapped).split("\n") == [f"   {PROSE}", f"   {SECOND}", f"   {PROSE}"]


def test_items_of_a_list_stay_apart_and_are_each_a_line() -> None:
    items = [f"- {SECOND}", "- Close the gate.", f"12. {PROSE}", "b) Wait."]
    wrapped = "\n".join(textwrap.fill(item, 70, subsequent_indent="  ") for item in items)
    assert flowing(f"{textwrap.fill(PROSE, 70)}\n\n{wrapped}").split("\n\n")[1].split("\n") == items


WRAPPED = f"{textwrap.fill(PROSE, 72)}\n\n"  # tells how wide the lines of a text are


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "The board has agreed that the rent of the east mill will be from",
            "2 May on £97 a week, and no more than this.",
        ),
        (
            "The keys of the inner gate were handed over at noon to the",
            "Otto Fell who had come by boat, and to his son.",
        ),
        (
            "The vote was taken by Ada Brisk, Otto Fell and Lena Voss,",
            "Piet Rook being ill, and was carried by all three.",
        ),
    ],
)
def test_a_line_that_waits_for_more_goes_on_whatever_follows(before: str, after: str) -> None:
    """Before a number or a name, too, and though the first word of that would have had room in the line."""
    assert flowing(f"{WRAPPED}{before}\n{after}") == f"{PROSE}\n\n{before} {after}"


@pytest.mark.parametrize(
    "block",
    [
        "Dear Miss Voss,\nThe gate is shut since the fourth of May, as was agreed in April.",
        "To the keeper of\nThe Old Pumping Station, which stands at Quillmouth on the Sable",
        "Lena Voss of Fennick, who made the drawings of the wheel house\nPiet Rook of Quillmouth, who made the wheel",
    ],
)
def test_short_lines_and_lines_that_wait_for_nothing_stay(block: str) -> None:
    assert flowing(f"{WRAPPED}{block}") == f"{PROSE}\n\n{block}"


FULL = "The depth that was measured in the sump before the gate fell that day to"


@pytest.mark.parametrize(
    "line",
    ["31.4 inches.", "[12] inches, as the log has it.", "C. Rook, who had the watch.", "- so he said - nothing."],
)
def test_a_wrapped_line_begins_no_item_though_it_looks_like_one(line: str) -> None:
    assert flowing(f"{WRAPPED}{FULL}\n{line}") == f"{PROSE}\n\n{FULL} {line}"


@pytest.mark.parametrize(
    "items",
    [
        ["1.1 Nobody opens it.", "1.2 Nobody shuts it."],
        ["1.9 Nobody opens it.", "2.1 Nobody shuts it."],
        ["[3] Voss, of gates", "[4] Rook, of wheels"],
        ["a) the keeper", "b) the surveyor"],
        ["(i) the keeper", "(ii) the surveyor"],
        ["- the keeper", "- the surveyor"],
        ["o the keeper", "o the surveyor"],
        ["\u2022 the keeper"],
        ["  - the keeper"],
    ],
)
def test_marks_that_go_together_begin_items_behind_a_line_that_has_not_ended(items: list[str]) -> None:
    """So does one that stands for nothing else, or at another margin."""
    kept = "\n".join([FULL, *items])
    assert flowing(f"{WRAPPED}{kept}") == f"{PROSE}\n\n{kept}"


DIARY = [
    "2 April. Sowed rye in the field behind the mill and mended the old fence.",
    "19 April. Frost. Lost the early beans, as the fleece had been taken off.",
    "3 May. Planted leeks and twelve cabbages in the bed beside the mill pond.",
    "14 July. First cabbages.",
]


def test_sentences_that_each_have_their_lines_keep_them() -> None:
    assert flowing("\n".join(DIARY)) == "\n".join(DIARY)
    undated = "\n".join(entry.partition(". ")[2] for entry in DIARY)
    assert flowing(WRAPPED + undated) == f"{PROSE}\n\n{undated}"


def test_entries_of_a_diary_that_was_wrapped_begin_with_their_days() -> None:
    """Also where a time or a day in digits tells it; a number within a sentence tells nothing."""
    entries = [f"{day}: {entry} {SECOND}" for day, entry in zip(("04-02", "04-19", "05-03"), DIARY, strict=False)]
    for said in ([f"{entry} {SECOND}" for entry in DIARY], entries):
        assert flowing("\n".join(textwrap.fill(entry, 72) for entry in said)) == "\n".join(said)
    counted = (
        f"The keeper counted the eels that came through the gate on that day. In the evening there\n14 of them. {PROSE}"
    )
    assert "there 14 of them" in flowing(f"{WRAPPED}{counted}")


KEPT = [
    "Harbour Office\n12 Quay Street\nQuillmouth",
    "Present: Ada Brisk, Otto Fell, and four members of the board\nAbsent: Piet Rook\nClerk: Lena Voss",
    "Orla mill     Lena Voss    Quillmouth\nTarn mill     Piet Rook    Fennick",
    "| Orla | the east mill |\n| Tarn | the west mill |",
    "The tide comes in, the tide goes out,\nAnd no one asks the miller why;\nHis wheel turns half the day about.",
    "The Inner Gate\n--------------",
    "for gate in gates:\n    gate.open()\n    gate.wait(9)\n",
]


@pytest.mark.parametrize("block", KEPT)
def test_lines_that_are_no_prose_stay(block: str) -> None:
    """In a text that is not wrapped, and in one that is."""
    assert flowing(block) == block
    wrapped = textwrap.fill(f"{PROSE} {SECOND}", 72)
    assert flowing(f"{wrapped}\n\n{block}") == f"{PROSE} {SECOND}\n\n{block}"


def test_a_text_with_a_paragraph_a_line_stays() -> None:
    assert flowing(f"Pumping\n\n{PROSE}\n{SECOND}\n\n{PROSE}") == f"Pumping\n\n{PROSE}\n{SECOND}\n\n{PROSE}"


@given(st.text(alphabet="ab C-\n.1\t|>", max_size=300))
def test_nothing_but_white_space_and_hyphens_is_lost(text: str) -> None:
    def letters(some: str) -> str:
        return "".join(each for each in some if each not in " \n\t-")

    assert letters(flowing(text)) == letters(text)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("the ﬂow of the eﬃcient ﬁlter", "the flow of the efficient filter"),
        ("car\u00adpen\u00adter", "carpenter"),
        ("the car\u00ad\npenter", "the carpenter"),
    ],
)
def test_ligatures_and_soft_hyphens_are_letters_and_nothing(written: str, read: str) -> None:
    assert clean(written) == read


def load(file: Path, text: str) -> Document:
    file.write_text(text, encoding="utf-8")
    (document,) = TextLoader().load(file, file.as_posix())
    return document


def test_text_files_are_read_a_paragraph_a_line(tmp_path: Path) -> None:
    document = load(tmp_path / "manual.txt", f"The Station\n\n{textwrap.fill(PROSE, 72)}\n")
    assert (document.title, document.text) == ("The Station", f"The Station\n\n{PROSE}")


def test_logs_and_conversations_keep_their_lines(tmp_path: Path) -> None:
    wrapped = textwrap.fill(PROSE, 72)
    assert load(tmp_path / "station.log", wrapped).text == wrapped
    chat = "\n".join(
        f"[2031-02-04 17:{n}] {'Ada' if n % 2 else 'Otto'}: {textwrap.fill(SECOND, 60)}" for n in range(10, 20)
    )
    assert load(tmp_path / "chat.txt", chat).text == chat

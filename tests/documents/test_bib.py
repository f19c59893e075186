"""Lists of references are read: each work is a row that says who wrote it, what, where and when."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.bib import BibLoader
from polyhop.documents.loaders.bibtex import Person, people
from polyhop.reports import Skipped
from polyhop.types import Document

WORKS = r"""% What the mill has been written about in.
@string{tides = "Annals of Tides"}
@comment{kept by nobody}
@Article{brisk2031,
  author  = {Brisk, Ada and Lund, {\AA}sa},
  title   = {How {Orla} Mill turns},
  journal = tides # { and Weirs},
  volume  = {41}, pages = "7--19", year = 2031, month = feb,
  doi     = {10.1/orla_mill},
  abstract = {It turns at 5\% of its speed.},
}
@phdthesis{fell2030, author = {Otto Fell}, title = {Weirs}, school = {University of Quillmouth}, year = {2030}}
@inproceedings(rook2029, author = "Ida Rook and others", title = {Gates}, crossref = {meeting}, note = {a prize})
@proceedings{meeting, title = {The Ninth Meeting}, editor = {Eva Dahl}, date = {2029-05-04}}
@book{broken, title = {Never closed
@book{dahl, title = {After it}, author = {{Harbour Office}}, edition = {Third}, publisher = {Quill \& Sons}}
"""


def read(folder: Path, source: str) -> list[Document | Skipped]:
    (folder / "works.bib").write_text(source, encoding="utf-8")
    return list(BibLoader().load(folder / "works.bib", "works.bib"))


def test_a_work_is_a_row_that_says_who_wrote_it(tmp_path: Path) -> None:
    found = [item for item in read(tmp_path, WORKS) if isinstance(item, Document)]
    assert [(item.uri, item.title, item.text) for item in found] == [
        (
            "works.bib#brisk2031",
            "How Orla Mill turns",
            (
                "Authors: Ada Brisk and Åsa Lund; Title: How Orla Mill turns; Journal: Annals of Tides and Weirs; "
                "Volume: 41; Pages: 7–19; Year: 2031; Date: February 2031\n\nIt turns at 5% of its speed."
            ),
        ),
        (
            "works.bib#fell2030",
            "Weirs",
            "Author: Otto Fell; Title: Weirs; Kind: Doctoral thesis; School: University of Quillmouth; Year: 2030",
        ),
        (
            "works.bib#rook2029",
            "Gates",
            (
                "Authors: Ida Rook et al.; Title: Gates; Editor: Eva Dahl; In: The Ninth Meeting; Year: 2029; "
                "Date: 4 May 2029; Note: a prize"
            ),
        ),
        ("works.bib#meeting", "The Ninth Meeting", found[3].text),
        (
            "works.bib#dahl",
            "After it",
            "Author: Harbour Office; Title: After it; Edition: Third; Publisher: Quill & Sons",
        ),
    ]
    assert found[0].metadata == {"doi": "10.1/orla_mill"}


def test_a_damaged_work_is_named_and_the_others_follow(tmp_path: Path) -> None:
    skipped = [item for item in read(tmp_path, WORKS) if isinstance(item, Skipped)]
    assert skipped == [Skipped("works.bib#broken", "has no title that can be read")]


@pytest.mark.parametrize(
    ("typed", "person"),
    [
        ("Brisk, Ada", Person("Ada", "Brisk")),
        ("Ada Maud Brisk", Person("Ada Maud", "Brisk")),
        ("Ada van der Brisk", Person("Ada", "van der Brisk")),
        ("de la Brisk, Ada", Person("Ada", "de la Brisk")),
        ("Brisk, Jr., Ada", Person("Ada Jr.", "Brisk")),
        ("{Weirs and Gates}", Person("", "{Weirs and Gates}")),
        ("Brisk", Person("", "Brisk")),
    ],
)
def test_a_name_is_read_in_its_two_parts(typed: str, person: Person) -> None:
    assert people(f"{typed} and Otto Fell") == [person, Person("Otto", "Fell")]


@pytest.mark.parametrize("hostile", ["@a{b,c={" * 5_000, "\n@a{b,c=" * 9_999, "{" * 30_000, "a # " * 9_999])
def test_a_list_that_never_ends_what_it_begins_is_read_in_time(tmp_path: Path, hostile: str) -> None:
    began = time.process_time()
    read(tmp_path, f"@book{{a, title = {{Kept}}, author = {hostile}")
    assert time.process_time() - began < 10

"""AsciiDoc is read as its page shows it: with its title and author, rows of tables, and nothing that is for tools."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.asciidoc import as_shown
from polyhop.documents.loaders.text import TextLoader, title_of

PAGE = """\
// of the ferry office
= Rules of the Mill
Ada Brisk <ada@mill.example>
v2, 2031-02-04
:toc:
:icons: font
:description: What keepers do

== Fees

[[fees]]
[cols="1,1"]
|===
|Vessel |Fee

|Skiff
|5 crowns
|Cutter, and
what is like it
|35 crowns
|===

image::wheel.png[The wheel]

////
Nobody reads this.
////
Sluice:: A gate.

[source,sh]
----
:turn: wheel
// twice
----
"""


def test_asciidoc_is_read_as_its_page_shows_it(tmp_path: Path) -> None:
    (tmp_path / "mill.adoc").write_text(PAGE, encoding="utf-8")
    (document,) = TextLoader().load(tmp_path / "mill.adoc", "mill.adoc")
    assert document.title == "Rules of the Mill"
    assert [line for line in document.text.split("\n") if line] == [
        "= Rules of the Mill",
        "Author: Ada Brisk <ada@mill.example>",
        "v2, 2031-02-04",
        "Description: What keepers do",
        "== Fees",
        "Vessel: Skiff; Fee: 5 crowns",
        "Vessel: Cutter, and what is like it; Fee: 35 crowns",
        "Sluice: A gate.",
        "----",
        ":turn: wheel",
        "// twice",
        "----",
    ]
    assert [document.text[start:end] for start, end in document.headings] == ["Rules of the Mill", "Fees"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[%header,cols=2*]\n|===\n|Of |Fee\n|Skiff |5\n|===", "Of: Skiff; Fee: 5"),
        ('[cols="1,1",options="header"]\n|===\n|Of\n|Fee\n|Skiff\n|5\n|===', "Of: Skiff; Fee: 5"),
        (
            "|===\n|Of|Fee|In\n\n.2+|Skiff|5|May\n|6|June\n|===",
            "Of: Skiff; Fee: 5; In: May\nOf: Skiff; Fee: 6; In: June",
        ),
        ("|===\n|Of |Fee |In\n\n|Skiff 2+^|none\n|===", "Of: Skiff; Fee: none; In: none"),
        ("|===\n|Skiff |5\n|Cutter |a \\| b\n|===", "Skiff: 5\nCutter: a | b"),
        ("|===\n|===", ""),
        ("|===\nSkiff\n|===", "Skiff"),
        ("|===\n|Skiff |5", "|===\n|Skiff |5"),
    ],
)
def test_rows_of_asciidoc_have_the_names_of_their_columns(written: str, shown: str) -> None:
    assert as_shown(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("= Mill\n\nAda Brisk\n\nOak.", "= Mill\n\nAda Brisk\n\nOak."),
        ("= Mill\nIt is of oak.", "= Mill\nIt is of oak."),
        ("[quote, Ada Brisk]\nIt turns.", "[quote, Ada Brisk]\nIt turns."),
        ("See [1] and\n[2]\nstd::string and image:a.png[b]", "See [1] and\n[2]\nstd::string and image:a.png[b]"),
        ("Who opens it?:: Ada.", "Who opens it?:: Ada."),
    ],
)
def test_text_of_asciidoc_stays(written: str, shown: str) -> None:
    assert as_shown(written) == shown


@pytest.mark.parametrize(
    ("text", "title"),
    [("= Mill =\nOak.", "Mill"), ("= Mill", "Mill"), ("== Mill\n", None), ("= 5\n", None), ("=Mill\n", None)],
)
def test_a_title_stands_behind_one_equals_sign(text: str, title: str | None) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    "hostile", ["|", "|===\n", "----\n", "a:: ", "[a", ":a: b\n", "a::\n", "9+", ".9+|", "9*|", "= a\n"]
)
def test_hostile_text_takes_no_time(hostile: str) -> None:
    start = time.process_time()
    as_shown(hostile * (20_000 // len(hostile)))
    as_shown(f"|===\n{hostile * (20_000 // len(hostile))}\n|===")
    assert time.process_time() - start < 5.0

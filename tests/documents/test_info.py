"""Info documents are read as manuals, packed or not, without what leads from one node to the next."""

from __future__ import annotations

import gzip
from pathlib import Path

from polyhop.documents.loaders.info import InfoLoader
from polyhop.types import Document
from tests.worlds.documents import read

INFO = """This is sluice.info, produced by makeinfo version 6.8 from sluice.texi.

This manual is for Sluice, version 2.1.

INFO-DIR-SECTION Mills
START-INFO-DIR-ENTRY
* Sluice: (sluice).             Opens gates.
END-INFO-DIR-ENTRY

\x1f
File: sluice.info,  Node: Top,  Next: Opening,  Up: (dir)

Sluice
******

Sluice opens and closes the gates of a pond.

* Menu:

* Opening::                     How a gate is
                                opened.
* Index: Words.                 All words.

\x1f
File: sluice.info,  Node: Opening,  Next: Words,  Prev: Top,  Up: Top

1 Opening a gate
****************

A gate is opened by four notches, unless the pond is frozen (*note
Winter: Frost.). *Note Race::, for what happens below.

   * the pond is full
   * the miller's wheel stands still

1.1 Notches
===========

'-n'
     Open it by so many notches.

\x1f
File: sluice.info,  Node: Words,  Prev: Opening,  Up: Top

Index
*****

\0\b[index\0\b]
* Menu:

* frost:                                 Opening.             (line  6)
* gates, how they are opened:            Opening.
                                                              (line 12)
\x1f
Tag Table:
Node: Top\x7f210
Node: Opening\x7f400
\x1f
End Tag Table
"""


def read_info(folder: Path, name: str = "sluice.info") -> Document:
    path = folder / name
    path.write_bytes(INFO.encode())
    (document,) = InfoLoader().load(path, name)
    return document


def test_info_is_read_as_one_manual_with_its_headings(tmp_path: Path) -> None:
    document = read_info(tmp_path)
    assert document.title == "Sluice"
    headings = [document.text[start:end] for start, end in document.headings]
    assert headings == ["Sluice", "1 Opening a gate", "1.1 Notches", "Index"]
    assert document.levels == (1, 1, 2, 1)
    assert "'-n'\n     Open it by so many notches." in document.text


def test_info_leaves_out_what_leads_from_node_to_node(tmp_path: Path) -> None:
    text = read_info(tmp_path).text
    assert not any(said in text for said in ("Menu", "Node:", "makeinfo", "INFO-DIR", "All words", "opened.\n\n\n"))
    assert not any(said in text for said in ("how they are opened", "(line", "[index]", "Tag Table"))


def test_info_keeps_lists_and_puts_references_into_words(tmp_path: Path) -> None:
    text = read_info(tmp_path).text
    assert "unless the pond is frozen (see Winter). See Race, for what happens below." in text
    assert "* the pond is full\n   * the miller's wheel stands still" in text


def test_packed_and_parted_info_is_read_out_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sluice.info-2.gz").write_bytes(gzip.compress(INFO.encode()))
    (document,) = read([tmp_path])
    assert isinstance(document, Document)
    assert document.title == "Sluice"

"""Files of text: their titles, what is left out of them, and those that are none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from polyhop.documents.loaders.text import TextLoader
from polyhop.errors import DocumentError
from tests.worlds.loaded import load, only


def test_text_document_says_where_it_is_from(tmp_path: Path) -> None:
    file = tmp_path / "tide_mill.txt"
    document = only(TextLoader(), file, "Lena Voss repaired the mill. It stands on the Orla.\r\n")
    assert document.text == "Lena Voss repaired the mill. It stands on the Orla."
    assert (document.title, document.uri, document.whole) == ("tide mill", file.as_posix(), False)
    assert document.id == hashlib.sha256(document.uri.encode()).hexdigest()[:16]
    assert document.sha256 == hashlib.sha256(f"{document.title}\0{document.text}".encode()).hexdigest()


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.txt", "The Tide Mill\n\nIt stands on the Orla.", "The Tide Mill"),
        ("a.txt", "It stands on the Orla.\n\nMore.", "a"),
        ("a.txt", "WEIR(8)      Keeper's Manual      WEIR(8)\n\nNAME\n       weir - opens it", "WEIR(8)"),
        ("a.rst", "========\nThe Mill\n========\nText", "The Mill"),
        ("a.rst", "The Mill\n--------\n\nText", "The Mill"),
        ("a.log", "Started\n\nStopped", "a"),
        ("a.VTT", "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>The mill\nis closed.", "a"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:04,000\nThe mill\nis closed.", "a"),
    ],
)
def test_text_title_is_a_line_that_stands_alone(tmp_path: Path, name: str, text: str, title: str) -> None:
    assert only(TextLoader(), tmp_path / name, text).title == title


def test_restructured_text_is_read_without_what_only_its_tools_see(tmp_path: Path) -> None:
    """Comments, badges and names of places to link to; what a link leads to, notes and directives stay."""
    text = """\
.. Made by the ferry office.

   Do not edit.

.. _tolls:

=====
Tolls
=====

|built| |tested|

A cart pays two groats; see the |office| [1]_.

.. |built| image:: https://mill.example/built.svg
   :alt: built
.. |tested| image:: https://mill.example/tested.svg
.. |office| replace:: ferry office
.. warning:: No carts at night.
.. [1] By the ford.
.. _office: https://mill.example/office
..
   Ask Lena whether this is still so.

It opens at six::

    .. code

"""
    document = only(TextLoader(), tmp_path / "tolls.rst", text)
    assert document.title == "Tolls"
    assert [line for line in document.text.split("\n") if line] == [
        "=====",
        "Tolls",
        "=====",
        "A cart pays two groats; see the |office| [1]_.",
        ".. |office| replace:: ferry office",
        ".. warning:: No carts at night.",
        ".. [1] By the ford.",
        ".. _office: https://mill.example/office",
        "It opens at six::",
        "    .. code",
    ]


def test_a_text_of_nothing_but_comments_is_kept(tmp_path: Path) -> None:
    text = ".. The tolls are elsewhere."
    assert only(TextLoader(), tmp_path / "a.rst", text).text == text


def test_a_directive_is_no_title(tmp_path: Path) -> None:
    assert only(TextLoader(), tmp_path / "tolls.rst", ".. include:: tolls.txt\n\nA cart pays.").title == "tolls"


def test_text_loader_refuses_binary_content(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="binary"):
        load(TextLoader(), tmp_path / "picture.txt", bytes(range(256)) * 8)


def test_a_file_without_a_title_says_of_what_it_is(tmp_path: Path) -> None:
    """Each of several works has a file of this name."""
    (tmp_path / "mill").mkdir()
    assert only(TextLoader(), tmp_path / "mill" / "copyright", "Made by Ada Brisk.\n").title == "mill: copyright"


def test_a_changelog_is_not_called_after_its_newest_version(tmp_path: Path) -> None:
    text = "2.1.0 (2031-02-04)\n==================\n\n* Oak.\n\n2.0.9 (2030-12-01)\n==================\n\n* Elm.\n"
    document = only(TextLoader(), tmp_path / "mill-changes.rst", text)
    assert document.title == "mill-changes"
    assert [document.text[start:end] for start, end in document.headings] == [
        "2.1.0 (2031-02-04)",
        "2.0.9 (2030-12-01)",
    ]


def test_captions_are_read_without_how_they_look(tmp_path: Path) -> None:
    text = (
        '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="#ff0">The <i>mill</i> turns.</font>\n\n'
        "2\n00:00:02,000 --> 00:00:03,000\n12\n"
    )
    shown = "00:00:01,000 --> 00:00:02,000\nThe mill turns.\n\n00:00:02,000 --> 00:00:03,000\n12"
    assert only(TextLoader(), tmp_path / "mill.srt", text).text == shown
    spoken = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada><c.loud>It <00:01.500>turns.</c></v>"
    assert "<v Ada>It turns.</v>" in only(TextLoader(), tmp_path / "mill.vtt", spoken).text

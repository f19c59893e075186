"""Manual pages are read as they are shown, packed or not."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.man import ManLoader
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.documents import read

MAN = r"""'\" t
.\" A page of the mill's.
.TH SLUICE 8 "2031\-02\-04" "Tide 2.1" "Pond Manual"
.de Xx
never shown
..
.SH NAME
sluice \- open and close a gate
.SH "SYNOPSIS"
\fBsluice\fR [\fIoptions\fR] \fIGATE\fR
.br
.B sluice
.RB [ \-q ]
.SH DESCRIPTION
.B sluice
opens the
.I gate
of a pond; see
.BR race (5).
.if t shown on paper
.ie n on a terminal
.el on paper
\" a note
.PP
It\(cqs of oak\&.
.SS Options
.TP
.BR \-n ", " \-\-notches " \fINUMBER\fR"
Open it by so many notches.
The default is 4.
.TP
.B \-q
.TQ
.B \-\-quiet
Say nothing.
.PP
\fB\-\-force\fR
.RS 4
Open it at night, too\&.
.RE
.IP \(bu 2
Oak.
.IP 2. 4
Elm.
.nf
sluice   north
  \-q
.fi
.TS
l l.
Gate	Toll
_
North	two groats
South	T{
three
groats
T}
.TE
"""
SHOWN = """\
NAME

sluice - open and close a gate

SYNOPSIS

sluice [options] GATE
sluice [-q]

DESCRIPTION

sluice opens the gate of a pond; see race(5). on a terminal

It's of oak.

Options

-n, --notches NUMBER: Open it by so many notches. The default is 4.

-q, --quiet: Say nothing.

--force: Open it at night, too.

- Oak.

2. Elm.

sluice   north
  -q

Gate: North; Toll: two groats
Gate: South; Toll: three groats"""
MDOC = r""".Dd February 4, 2031
.Dt SLUICE 8
.Os
.Sh NAME
.Nm sluice
.Nd open and close a gate
.Sh SYNOPSIS
.Nm
.Op Fl q
.Op Fl n Ar notches
.Ar gate
.Nm
.Fl h
.Sh DESCRIPTION
.Nm
reads
.Pa /etc/race
(see
.Xr race 5 ) .
.Bl -tag -width Ds
.It Fl n Ar notches
The default is
.Dq 4 .
.It Fl q , Fl Fl quiet
Say nothing.
.El
"""
MDOC_SHOWN = """\
NAME

sluice - open and close a gate

SYNOPSIS

sluice [-q] [-n notches] gate
sluice -h

DESCRIPTION

sluice reads /etc/race (see race(5)).

-n notches: The default is "4".

-q, --quiet: Say nothing."""


def only(folder: Path, name: str, content: str | bytes) -> Document:
    """The document of a file."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (document,) = read([folder / name], loaders=None)
    assert isinstance(document, Document), document
    return document


@pytest.mark.parametrize(("source", "shown"), [(MAN, SHOWN), (MDOC, MDOC_SHOWN)], ids=["man", "mdoc"])
def test_a_manual_page_is_read_as_it_is_shown(tmp_path: Path, source: str, shown: str) -> None:
    document = only(tmp_path, "sluice.8", source)
    assert document.text == shown
    assert document.title == "sluice(8)"


def test_sections_of_a_manual_page_are_headings(tmp_path: Path) -> None:
    document = only(tmp_path, "sluice.8", MAN)
    headings = [document.text[start:end] for start, end in document.headings]
    assert headings == ["NAME", "SYNOPSIS", "DESCRIPTION", "Options"]
    assert document.levels == (1, 1, 1, 2)


def test_what_is_no_manual_page_is_plain_text(tmp_path: Path) -> None:
    assert only(tmp_path, "log.1", "The gate\n\nIt was opened at six.").text == "The gate\n\nIt was opened at six."


@pytest.mark.parametrize("inner", [".if t Drawn.", ".ie t Drawn.\n.el Typed."])
@pytest.mark.parametrize(("outer", "read"), [("n", "Oak."), ("t", "Elm.")])
def test_conditions_within_another_leave_its_alternative_alone(
    tmp_path: Path, inner: str, outer: str, read: str
) -> None:
    source = f".TH A 1\n.ie {outer} \\{{\\\n{inner}\nOak.\n.\\}}\n.el Elm.\n"
    assert only(tmp_path, "a.1", source).text.removeprefix("Typed. ") == read


def test_a_title_without_words_is_none(tmp_path: Path) -> None:
    assert only(tmp_path, "gate.1", ".TH\n.TH GATE 8\nOak.\n.TH\n").title == "gate(8)"


def test_a_packed_file_is_read_as_what_it_holds(tmp_path: Path) -> None:
    assert only(tmp_path, "sluice.8.gz", gzip.compress(MAN.encode())).title == "sluice(8)"
    packed = only(tmp_path, "changelog.Debian.gz", gzip.compress(b"tide (2.1.0-1) stable; urgency=low\n\n  * Oak.\n"))
    assert packed.text.startswith("tide (2.1.0-1)")


PACKED = gzip.compress(b"The mill stands still. " * 9, mtime=0)  # the time would be in the names of the tests


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("mill.txt.gz", b"plain", "damaged"),
        ("mill.txt.gz", PACKED[:-12], "damaged"),
        ("mills.tar.gz", PACKED, "not read"),
    ],
)
def test_what_cannot_be_unpacked_is_named(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    (skipped,) = read([tmp_path / name])
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


@given(st.text(alphabet=".\\'\"TPSHIfB{}()[]*n \n-1", max_size=200))
def test_any_source_of_a_page_gives_text(source: str) -> None:
    from polyhop.documents.loaders.man import _Page
    from polyhop.documents.loaders.roff import Roff

    text = _Page(Roff(f".TH A 1\n{source}")).flow.text()
    assert "\0" not in text


@pytest.mark.parametrize("hostile", ["\\f", "\\*(", "\\[", '"', ".if n ", "\\{", "'", "\\h'", " ", "T{\t", ".Op "])
def test_hostile_lines_of_a_page_take_no_time(tmp_path: Path, hostile: str) -> None:
    (tmp_path / "a.1").write_text(
        f".TH A 1\n.TS\nl.\n{hostile * 20_000}\n.TE\n.B {hostile * 20_000}\n", encoding="utf-8"
    )
    start = time.process_time()
    list(ManLoader().load(tmp_path / "a.1", "a.1"))
    assert time.process_time() - start < 5.0

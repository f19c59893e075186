"""Each loader turns real files of its format into documents."""

from __future__ import annotations

import hashlib
import json
import re
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.csv import CsvLoader, sniffed
from polyhop.documents.loaders.docx import DocxLoader
from polyhop.documents.loaders.html import HtmlLoader, read_page
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.documents.loaders.markdown import MarkdownLoader
from polyhop.documents.loaders.markdown_marks import without_marks
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.loading import Loader
from polyhop.documents.sentences import sentence_spans
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.docx import paragraph, write_docx


def load(loader: Loader, file: Path, content: str | bytes) -> list[Document | Skipped]:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(loader.load(file, file.as_posix()))


def only(loader: Loader, file: Path, content: str | bytes) -> Document:
    (item,) = load(loader, file, content)
    assert isinstance(item, Document)
    return item


def documents(items: Sequence[Document | Skipped]) -> list[Document]:
    return [item for item in items if isinstance(item, Document)]


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


CONTENTS = "- [Wheel](#wheel)\n  - [The `gate`](#the-gate)\n\n- [Who to ask](#who-to-ask)\n"
SECTIONS = "## Wheel\n\nOf oak.\n\n### The `gate`\n\nOf iron.\n\n## Who to ask\n\nAsk [Lena](#lena)."


@pytest.mark.parametrize(
    ("above", "left"),
    [
        ("# Mill\n\n", "# Mill\n\n"),
        ("# Mill\n\nIt grinds rye.\n\n## What is where\n\n", "# Mill\n\nIt grinds rye.\n\n"),
        ("# Mill\n\nWhat is where:\n", "# Mill\n\nWhat is where:\n"),
    ],
)
def test_markdown_contents_that_link_to_its_own_headings_are_left_out(tmp_path: Path, above: str, left: str) -> None:
    document = only(MarkdownLoader(), tmp_path / "mill.md", f"{above}{CONTENTS}\n{SECTIONS}")
    assert document.text == f"{left}{SECTIONS}".replace("[Lena](#lena)", "Lena")


def test_markdown_lists_of_links_that_are_no_contents_stay(tmp_path: Path) -> None:
    text = f"# Mill\n\n{CONTENTS.replace('#wheel', 'wheel.md')}\n```\n{CONTENTS}```\n\n{SECTIONS}"
    kept = f"# Mill\n\n- Wheel\n  - The `gate`\n\n- Who to ask\n\n```\n{CONTENTS}```\n\n{SECTIONS}"
    assert only(MarkdownLoader(), tmp_path / "mill.md", text).text == kept.replace("[Lena](#lena)", "Lena")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('See [the *gate*](gate.md "Gate") and [`rim`][r].\n\n[r]: rim.md\n', "See the gate and `rim`."),
        ("It is [oak](https://oak.example/a_(b)) [1] [sic][x].", "It is oak [1] [sic][x]."),
        ("[![built](b.svg)](https://ci.example)\n![](mill.png)\n\nOak.", "Oak."),
        ("Oak.\n\n<!-- not\nyet -->\n\nElm.", "Oak.\n\nElm."),
        ("**Never** turn *it*, not _once_ & 2 * 3 * 4 is a_b_c.", "Never turn it, not once & 2 * 3 * 4 is a_b_c."),
        ("* oak\n* *elm*\n", "* oak\n* elm"),
        ("It is **T**ide, **gr**ound; 2 **2**3 and a**b**c.", "It is Tide, ground; 2 **2**3 and a**b**c."),
        ("Run `**kw` or **`[a](b)`** or ``a`*b*``.", "Run `**kw` or `[a](b)` or ``a`*b*``."),
        ("```py\n# **x** <!-- -->\n[a](b)\n```", "```py\n# **x** <!-- -->\n[a](b)\n```"),
        ("Two<br>gates, <sub>one</sub> of <wood>&nbsp;&amp; iron", "Two gates, one of <wood>\xa0& iron"),
        ("Ask <ada@mill.example> at <https://mill.example>.", "Ask ada@mill.example at https://mill.example."),
        ("- [x] [ ] done", "- [x] [ ] done"),
        ("[Ada]: Good morning, Otto.\n[Otto]: Good morning.", "[Ada]: Good morning, Otto.\n[Otto]: Good morning."),
        ("[a]: <a b.md>\n[b]: b.md 'Gate'\n[c]: c.md (Rim)\n[d]: d.md\nOak.", "Oak."),
        ("* [[Rates]]\n* [[Rates#Children|What children pay]]", "* Rates\n* What children pay"),
        ("~~Six gates.~~ Five gates, ~~two\nof oak,~~ <del>six</del> of ~iron~.", "Five gates, of ~iron~."),
        ("- oak\n- ~~elm~~\n- [ ] ~~ask~~\n- [x] ~~mend it~~\n- ash", "- oak\n- [x] mend it\n- ash"),
        ("`~~a~~` is 5~~6, ~~ of ~~, \\~~a~~.", "`~~a~~` is 5~~6, ~~ of ~~, \\~~a~~."),
        ("~~~\n~~oak~~ ==elm== %%ash%%\n~~~", "~~~\n~~oak~~ ==elm== %%ash%%\n~~~"),
        ("Of ==old oak==, a==b, c == d.", "Of old oak, a==b, c == d."),
        ("Oak %%or elm?%% it is.\n\n%%\nAsk\n\nLena.\n%%\n\n50%% or 60%%", "Oak it is.\n\n50%% or 60%%"),
        ("Oak. ^a1b2c3\n\n^the-oak\n\n10 ^6\nx ^2", "Oak.\n\n10 ^6\nx ^2"),
        (
            "keeper:: [[Ada Brisk]]\n- wood:: oak\nf :: Int\nstd::string",
            "keeper: Ada Brisk\n- wood: oak\nf :: Int\nstd::string",
        ),
        ("![[mill.png]]\n\nSee [[Rates#Ferry]], `[[ -f x ]]`.", "See Rates Ferry, `[[ -f x ]]`."),
    ],
)
def test_markdown_is_read_as_readers_see_it(tmp_path: Path, written: str, read: str) -> None:
    """Marks that lay it out, such as those of lists and code, stay."""
    assert only(MarkdownLoader(), tmp_path / "mill.md", written).text == read


@pytest.mark.parametrize(
    ("uri", "title"),
    [
        ("/mill/CHANGELOG.md", "mill: Change Log"),
        ("/mill/wheel-changes.md", "wheel-changes: Change Log"),
        ("CHANGES.md", "Change Log"),
    ],
)
def test_a_title_that_any_such_file_has_says_of_what_it_is(tmp_path: Path, uri: str, title: str) -> None:
    """Where several works are indexed, "Change Log" tells nobody whose it is."""
    (tmp_path / "a.md").write_text("# Change Log\n\n## 2.1.0\n\n* Oak.\n", encoding="utf-8")
    (document,) = MarkdownLoader().load(tmp_path / "a.md", uri)
    assert isinstance(document, Document)
    assert document.title == title


@pytest.mark.parametrize("title", ["Curriculum Vitae", "News / Changelog", "Authors and Contributors"])
def test_a_title_of_which_no_part_says_more_is_told_apart_by_the_file(tmp_path: Path, title: str) -> None:
    assert only(MarkdownLoader(), tmp_path / "ada_brisk.md", f"# {title}\n\nOak.\n").title == f"ada brisk: {title}"


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


@pytest.mark.parametrize("inside", ["The Mill", '<br><img width="3" alt="The Mill" src="m.svg"><br>'])
def test_a_heading_in_html_is_a_heading_of_markdown(tmp_path: Path, inside: str) -> None:
    document = only(MarkdownLoader(), tmp_path / "a.md", f'<h1 align="center">\n{inside}\n</h1>\n\n## Wheel\n\nOak.\n')
    assert (document.title, document.text) == ("The Mill", "# The Mill\n\n## Wheel\n\nOak.")
    assert document.levels == (1, 2)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The mill.\n![mill](mill.png)\n\nThe weir.", "The mill.\n\nThe weir."),
        ("The mill.\n\n![mill](mill.png)\n![weir](weir.png)\n\nThe weir.", "The mill.\n\nThe weir."),
        ("The mill\n![mill](mill.png)\nturns.", "The mill\nturns."),
    ],
)
def test_a_paragraph_ends_where_a_picture_stood(written: str, read: str) -> None:
    assert without_marks(written) == read


@pytest.mark.parametrize(
    "hostile",
    [
        "[",
        "](",
        "![",
        "[a](",
        "*a ",
        "_a",
        "**",
        "`",
        "`a",
        "<!--",
        "<a ",
        "<h1>",
        "&a",
        "[a][",
        "<b@",
        " ",
        "[a]:",
        '[a]: b "',
        "~~a",
        "~~a ",
        "<s>",
        "==a ",
        "%%a ",
        "%",
        "^a",
        " ^",
        "a ",
        "- [x] ",
        "a::",
    ],
)
def test_marks_of_markdown_that_never_end_take_no_time(hostile: str) -> None:
    start = time.process_time()
    without_marks(hostile * (100_000 // len(hostile)))
    assert time.process_time() - start < 5.0


def test_markdown_front_matter_gives_title_and_metadata(tmp_path: Path) -> None:
    text = '---\ntitle: "The Mill: a history"\nauthor: Lena Voss\n---\n# Another title\n\nText.\n'
    document = only(MarkdownLoader(), tmp_path / "mill.md", text)
    assert document.title == "The Mill: a history"
    assert document.metadata == {"author": "Lena Voss"}
    assert document.text == "Author: Lena Voss\n\n# Another title\n\nText."


NOTE = """\
---
title: The mill
keeper: "[[Ada Brisk]]"
helped-by: [Otto Fell, "Voss, Lena", '[[Piet Rook|Piet]]']
aliases:
  - Old mill
  - Mill of Orla
owners:
- name: Ada Brisk
  share: half
- name: Otto Fell
built: 1742-05-01
about: >
  It grinds
  rye.
tags: [mill]
draft: true
permalink: /mills/orla
output:
  pdf_document: default
gates:
---
# The mill
"""


def test_markdown_front_matter_tells_what_readers_may_ask_for(tmp_path: Path) -> None:
    """Each entry is a line above the text; what lays the page out, files or finds it is metadata alone."""
    document = only(MarkdownLoader(), tmp_path / "mill.md", NOTE)
    assert document.text.split("\n") == [
        "Keeper: Ada Brisk",
        "Helped by: Otto Fell, Voss, Lena, Piet",
        "Aliases: Old mill, Mill of Orla",
        "Owners: Ada Brisk, Otto Fell",
        "Built: 1742-05-01",
        "About: It grinds rye.",
        "",
        "# The mill",
    ]
    assert document.title == "The mill"
    assert document.metadata["tags"] == "mill"
    assert document.metadata["permalink"] == "/mills/orla"


def test_markdown_front_matter_of_toml_has_lists_too(tmp_path: Path) -> None:
    text = '+++\nkeepers = ["Ada", "Otto"]\nbuilt = 1742-05-01\n+++\nText.\n'
    assert only(MarkdownLoader(), tmp_path / "mill.md", text).text == "Keepers: Ada, Otto\nBuilt: 1742-05-01\n\nText."


@pytest.mark.parametrize("hostile", ["a: ", "a:\n", "a:\n - b\n", "a: [", "a: [b,", "- ", "a: [[", 'a: ["', " "])
def test_front_matter_that_never_ends_takes_no_time(tmp_path: Path, hostile: str) -> None:
    start = time.process_time()
    load(MarkdownLoader(), tmp_path / "a.md", f"---\na: b\n{hostile * (100_000 // len(hostile))}\n---\n]\nText.\n")
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('What is "this"', 'What is "this"'),
        ("The millers' gate", "The millers' gate"),
        ("'The mill'", "The mill"),
        (">-\n  The mill\n  of Orla", "The mill of Orla"),
        ("|\n  The mill", "The mill"),
        (">-", "mill"),
        ('""', "mill"),
        ("> 3 gates", "> 3 gates"),
    ],
)
def test_markdown_titles_of_front_matter_are_whole(tmp_path: Path, written: str, title: str) -> None:
    document = only(MarkdownLoader(), tmp_path / "mill.md", f"---\ntitle: {written}\nauthor: Ada\n---\nText.\n")
    assert (document.title, document.metadata, document.text) == (title, {"author": "Ada"}, "Author: Ada\n\nText.")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro.\n\n## The *tide* [mill](mill.md) ##\n", "The tide mill"),
        ("The `mill`\n==========\n", "The mill"),
        ("```\n# a comment\n```\n# The mill\n", "The mill"),
        ("No heading.\n", "mill"),
        ("---\n\nA rule, no front matter.\n\n---\n", "mill"),
        ("+++\ntitle = 'The mill'\n+++\nText\n", "The mill"),
    ],
)
def test_markdown_title_is_the_first_heading(tmp_path: Path, text: str, title: str) -> None:
    assert only(MarkdownLoader(), tmp_path / "mill.md", text).title == title


PAGE = """<!DOCTYPE html><html><head><title>Tide &amp; mill</title><style>p{}</style>
<script>if (a < b) "</p>"</script></head>
<body><nav><a href=/>Home</a><nav>inner</nav></nav><h1>The mill</h1>
<p>Lena <b>Voss</b> repaired
   it.<br>In 1911.</p><!-- hidden --><ul><li>rye<li>oats</ul>
<table><tr><th>Name<th>Built</tr><tr><td><p>Orla mill</p></td><td> <p>1742</p></td></tr></table>
<pre>
 grain  rye
   oats
</pre></body></html>"""


def test_html_keeps_blocks_and_drops_furniture(tmp_path: Path) -> None:
    document = only(HtmlLoader(), tmp_path / "mill.html", PAGE)
    assert document.title == "Tide & mill"
    assert document.text == (
        "The mill\n\nLena Voss repaired it.\nIn 1911.\n\n- rye\n- oats\n\nName: Orla mill; Built: 1742\n\n"
        " grain  rye\n   oats"
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>un<b>closed", "unclosed"),
        ("<p>3 < 4 & 5 &gt; 4 &eacute;&nbsp;&#x1F600;", "3 < 4 & 5 > 4 é 😀"),
        ("a<![if !IE]>b<![endif]>c<?php x ?>d", "abcd"),
        ("<p title=it's>kept</p>", "kept"),
        ("a<!-->b<!--->c<!---->d<!-- x -->e<!-- y --!>f", "abcdef"),
        ("a<!--x>b-->c<!-- never ended", "ac"),
        ("<p>before</p><script>never ended", "before"),
        ("<p>x<![CDATA[<raw>]]></p>", "x<raw>"),
        ("<nav>nothing but links</nav>", "nothing but links"),
        ("plain", "plain"),
        ("<tr><td>1<td/><td>3", "1 | | 3"),
        ("Built<table><tr><td></td><th>Mill</tr><tr><td>1742<td>Orla</tr></table>", "Built\n\n1742; Mill: Orla"),
        ("To grind:<ol><li>Sift.<li><p>Pour <i>in</i></ol>Rest", "To grind:\n\n1. Sift.\n\n2. Pour in\n\nRest"),
        ("<ol start=4><li>Sift.<li>Pour.<li value=9>Mill.<li>Sweep.</ol>", "4. Sift.\n5. Pour.\n9. Mill.\n10. Sweep."),
        ("<ol start=x><li>Sift.</ol><ol start=0><li>Pour.</ol>", "1. Sift.\n\n0. Pour."),
        ("<ul><li>rye<ol><li>white<li></ol><li> <li>oats</ul>", "- rye\n1. white\n- oats"),
        ("<li>loose<ul><li><h2>The mill</h2>Built.</ul>", "loose\n\nThe mill\n\nBuilt."),
        ("<table><tr><td>Grain<td><ul><li>rye<li>oats</ul></table>", "Grain: rye oats"),
    ],
)
def test_html_is_read_however_broken(page: str, text: str) -> None:
    assert read_page(page.encode()).flow().text() == text


def test_html_title_falls_back_to_heading_and_file(tmp_path: Path) -> None:
    assert only(HtmlLoader(), tmp_path / "mill.htm", "<h1>The <i>mill</i></h1>x").title == "The mill"
    assert only(HtmlLoader(), tmp_path / "tide_mill.htm", "<p>x").title == "tide mill"


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<h1>The tide<br>mill</h1>x", "The tide mill"),
        ("<h1>The<div>tide</div>mill</h1>x", "The tide mill"),
        ("<h1>The <i>ti</i>de\n  mill</h1>x", "The tide mill"),
        ("<title>The tide\n  mill</title>x", "The tide mill"),
        ("<title> </title><h1><br></h1><h1>The mill</h1>x", "The mill"),
    ],
)
def test_html_titles_on_several_lines_keep_their_words_apart(page: str, title: str, tmp_path: Path) -> None:
    assert only(HtmlLoader(), tmp_path / "a.html", page).title == title


def test_html_verbatim_text_keeps_its_lines_between_elements(tmp_path: Path) -> None:
    page = (
        "<p>So:</p><pre>\n<b>def</b> load():\n    <i>pass</i>\n<b>class</b> Mill:\n\n\n\n<i>  x</i>\n\n</pre><p>End</p>"
    )
    text = "So:\n\ndef load():\n    pass\nclass Mill:\n\n  x\n\nEnd"
    assert only(HtmlLoader(), tmp_path / "a.html", page).text == text


def test_html_references_to_what_nobody_sees_are_left_out(tmp_path: Path) -> None:
    page = "<p>Hafen&shy;gebühr, &#xFB01;ve&#xFEFF; ca&#173;noes &amp; oars</p>"
    assert only(HtmlLoader(), tmp_path / "a.html", page).text == "Hafengebühr, five canoes & oars"


@pytest.mark.parametrize(
    "number",
    [
        "4",  # brackets are a matter of style sheets
        '<span class="fn-bracket">[</span>4<span class="fn-bracket">]</span>',
    ],
)
def test_html_numbers_of_notes_stand_in_brackets_behind_what_they_are_notes_to(tmp_path: Path, number: str) -> None:
    """Else the number would be the first word of the next sentence."""
    note = f'<a class="footnote-reference brackets" href="#n4">{number}</a>'
    document = only(HtmlLoader(), tmp_path / "a.html", f"<p>It grinds.  {note} At night.</p><p>{note}</p>")
    assert document.text == "It grinds.[4] At night.\n\n[4]"
    assert [document.text[start:end] for start, end in sentence_spans(document.text)] == [
        "It grinds.[4]",
        "At night.",
        "[4]",
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("about 10<sup>6</sup> gulls, 10<sup>-3</sup> g", "about 10^6 gulls, 10^-3 g"),
        ("in 1790<sup><a href='#n'>3</a></sup>.", "in 1790^3."),
        ("in 1790<sup>[3]</sup>, the 1<sup>st</sup>, 5 km<sup>2</sup>", "in 1790[3], the 1st, 5 km2"),
        ("5 <sup>1</sup>/<sub>2</sub>", "5 1/2"),
        ("10<sup></sup>6", "106"),
    ],
)
def test_html_superscripts_are_no_further_digits(page: str, text: str, tmp_path: Path) -> None:
    assert only(HtmlLoader(), tmp_path / "a.html", f"<p>{page}</p>").text == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<msup><mn>10</mn> <mn>6</mn></msup>", "10^6"),
        ("<semantics><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation>\\frac{1}{2}</annotation></semantics>", "1/2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mn>2</mn></msqrt></mfrac>", "(a+b)/(√2)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot><mo>&InvisibleTimes;</mo><mi>sin</mi><mo>&af;</mo><mi>x</mi>", "3√8sin x"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑_(i=1)^n i",
        ),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><mspace/><mphantom><mn>9</mn></mphantom>", "x1^2"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtr></mtable>", "1, 2; 3"),
        ("<mrow>" * 99 + "<mn>1</mn>" + "</mrow>" * 99, "1"),
    ],
)
def test_html_formulas_are_read_as_people_type_them(tmp_path: Path, formula: str, text: str) -> None:
    document = only(HtmlLoader(), tmp_path / "a.html", f"<p>So <math>{formula}</math> gulls")
    assert document.text == f"So {text} gulls"


def test_html_formulas_that_are_left_open_or_shown_twice_leave_the_page_whole(tmp_path: Path) -> None:
    page = (
        "<p>So <math><mfrac><mn>1</mn><mn>2</mn><p>It <span class='katex-html' aria-hidden='true'>is</span> <math><mn>1"
    )
    assert only(HtmlLoader(), tmp_path / "a.html", page).text == "So 1/2\n\nIt 1"


def test_html_declared_encoding_is_used(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź i Gdańsk</p>'.encode("iso8859-2")
    assert only(HtmlLoader(), tmp_path / "a.html", page).text == "Łódź i Gdańsk"


@pytest.mark.parametrize("head", ["<meta charset=utf-16>", "<?xml version='1.0' encoding='UTF-16LE'?>"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-16-le"])
def test_html_is_in_no_encoding_in_which_its_declaration_could_not_be_read(
    tmp_path: Path, head: str, encoding: str
) -> None:
    text = "Große Mühle an der Orla, gebaut für Müller und Söhne"
    assert only(HtmlLoader(), tmp_path / "a.html", f"{head}<p>{text}".encode(encoding)).text == text


def test_html_of_latin_1_has_the_quotes_and_the_euro_sign_of_windows(tmp_path: Path) -> None:
    page = b'<meta charset="iso-8859-1"><p>O\x92Hara paid \x8035 \x96 at last\x85</p>'
    assert only(HtmlLoader(), tmp_path / "a.html", page).text == "O’Hara paid €35 – at last…"


@pytest.mark.parametrize(
    "part", ["<", "<!--", "<math>", "<math><mi>x", '<a b="', "<![x[", "<script>", "</p>", "&", "<a ='", "<td>"]
)
def test_html_takes_linear_time_on_broken_markup(part: str) -> None:
    """Python's own parser takes minutes for some of these."""
    read_page((part * 30_000).encode())


@given(st.text(alphabet="<>/!-[]\"'=ab pretdhscript&;#x1", max_size=200))
def test_html_any_input_gives_text(page: str) -> None:
    assert "\n\n\n\n" not in read_page(page.encode()).flow().text()


def load_docx(file: Path) -> Document:
    (item,) = DocxLoader().load(file, file.as_posix())
    assert isinstance(item, Document)
    return item


def test_docx_keeps_paragraphs_tables_and_notes(tmp_path: Path) -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    table = row.format(paragraph("Name"), paragraph("Built")) + row.format(paragraph("Orla mill"), paragraph("1742"))
    edits = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:br/><w:t>new</w:t></w:r></w:ins>"
    note = '<w:footnote w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
    file = write_docx(
        tmp_path / "mill.docx",
        paragraph("The mill & its keeper", "Titel") + paragraph("Lena Voss.", extra=edits) + f"<w:tbl>{table}</w:tbl>",
        styles='<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>',
        footnotes=f"{note}<w:footnote>{paragraph('See the ledger.')}</w:footnote>",
        endnotes=f"<w:endnote w:type='normal'>{paragraph('It burned.')}</w:endnote>",
    )
    document = load_docx(file)
    assert document.title == "The mill & its keeper"
    assert document.text == (
        "The mill & its keeper\n\nLena Voss.\nnew\n\nName: Built\nOrla mill: 1742\n\nSee the ledger.\n\nIt burned."
    )


@pytest.mark.parametrize(
    ("font", "code", "character"),
    [
        ("Symbol", "F06D", "μ"),
        ("Symbol", "F0B1", "±"),
        ("Symbol", "F02B", "+"),
        ("Symbol", "F0FF", ""),
        ("Times New Roman", "2264", "≤"),
        ("Wingdings", "F0FC", ""),
        ("Times New Roman", "-1", ""),
    ],
)
def test_docx_symbols_are_the_characters_that_they_show(tmp_path: Path, font: str, code: str, character: str) -> None:
    symbol = f'<w:r><w:sym w:font="{font}" w:char="{code}"/><w:t>m</w:t></w:r>'
    assert load_docx(write_docx(tmp_path / "a.docx", paragraph("5 ", extra=symbol))).text == f"5 {character}m"


@pytest.mark.parametrize(
    ("before", "position", "raised", "text"),
    [
        ("10", "superscript", "6", "10^6 gulls"),
        ("10", "superscript", "-3", "10^-3 gulls"),
        ("10", "subscript", "6", "106 gulls"),
        ("10", "baseline", "6", "106 gulls"),
        ("m", "superscript", "2", "m2 gulls"),
        ("2", "superscript", "nd", "2nd gulls"),
        ("10", "superscript", "", "10 gulls"),
    ],
)
def test_docx_powers_are_no_further_digits(tmp_path: Path, before: str, position: str, raised: str, text: str) -> None:
    run = f'<w:r><w:rPr><w:vertAlign w:val="{position}"/></w:rPr><w:t>{raised}</w:t></w:r>'
    behind = '<w:r><w:t xml:space="preserve"> gulls</w:t></w:r>'
    assert load_docx(write_docx(tmp_path / "a.docx", paragraph(before, extra=run + behind))).text == text


def test_docx_items_have_a_dash_and_are_lines(tmp_path: Path) -> None:
    row = "<w:p><w:pPr>{}<w:numPr><w:numId w:val='{}'/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>"
    rows = row.format("", 3, "oats") + row.format("", 0, "No more.") + row.format("<w:pStyle w:val='H'/>", 1, "2 Fees")
    style = '<w:style w:styleId="{}"><w:name w:val="{}"/></w:style>'
    styles = style.format("Liste", "List Bullet") + style.format("H", "heading 1")
    body = paragraph("Bring:") + paragraph("rye", "Liste") + rows
    file = write_docx(tmp_path / "mill.docx", body, styles=styles)
    assert load_docx(file).text == "Bring:\n\n- rye\n- oats\n\nNo more.\n\n2 Fees"


def test_docx_rows_that_begin_with_a_merged_cell_keep_their_lines(tmp_path: Path) -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    merged = "<w:tcPr><w:vMerge/></w:tcPr><w:p/>"
    table = row.format(paragraph("Orla mill"), paragraph("rye")) + row.format(merged, paragraph("oats")) * 2
    file = write_docx(tmp_path / "mill.docx", paragraph("Grain") + f"<w:tbl>{table}</w:tbl>")
    assert load_docx(file).text == "Grain\n\nOrla mill: rye\nOrla mill: oats\nOrla mill: oats"


def test_docx_title_is_the_first_heading_in_any_language(tmp_path: Path) -> None:
    file = write_docx(
        tmp_path / "mill.docx",
        paragraph("Intro.") + paragraph("Die Mühle", "berschrift1"),
        styles='<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>',
    )
    assert load_docx(file).title == "Die Mühle"


def test_docx_text_boxes_are_read_once(tmp_path: Path) -> None:
    box = (
        '<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback>'
        "</mc:AlternateContent></w:r>"
    ).format(paragraph("In a box."))
    file = write_docx(tmp_path / "mill.docx", paragraph("Before.", extra=box))
    assert load_docx(file).text == "Before.\n\nIn a box."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 broken", "is damaged"),
        (b"", "is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted"),
    ],
)
def test_docx_that_is_none_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        load(DocxLoader(), tmp_path / "mill.docx", content)


def test_docx_with_broken_xml_or_without_a_body_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="XML"):
        load_docx(write_docx(tmp_path / "mill.docx", "<w:p>"))
    with zipfile.ZipFile(tmp_path / "other.docx", "w") as archive:
        archive.writestr("mimetype", "something else")
    with pytest.raises(DocumentError, match="not a Word document"):
        load_docx(tmp_path / "other.docx")


def test_docx_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    file = write_docx(tmp_path / "bomb.docx", paragraph("x" * 3_000_000))
    with pytest.raises(DocumentError, match="unpacks"):
        list(DocxLoader(largest=1_000_000).load(file, file.as_posix()))


def test_docx_cut_short_is_refused(tmp_path: Path) -> None:
    file = write_docx(tmp_path / "mill.docx", paragraph("x"))
    with pytest.raises(DocumentError):
        load(DocxLoader(), tmp_path / "short.docx", file.read_bytes()[:-30])


def test_csv_rows_are_whole_documents(tmp_path: Path) -> None:
    table = (
        'id,Title,Text,year\nm1,Orla mill,"Built by ""old"" Voss,\nin stone.",1742\n,Ferry,It crosses the Orla.,\n\n'
    )
    mill, ferry = documents(load(CsvLoader(), tmp_path / "places.csv", table))
    assert (mill.title, mill.whole) == ("Orla mill", True)
    assert mill.text == 'Built by "old" Voss,\nin stone.'
    assert mill.uri == f"{(tmp_path / 'places.csv').as_posix()}#m1"
    assert mill.metadata == {"year": "1742"}
    assert re.fullmatch(r"places\.[0-9a-f]{8}#m1", mill.id)
    assert re.fullmatch(r"places\.[0-9a-f]{8}#2", ferry.id)
    assert ferry.uri.endswith("places.csv#2")


def test_csv_rows_keep_apart_whatever_ids_they_have(tmp_path: Path) -> None:
    """Tables number their rows as they like: what one says is not lost for the id of another."""
    for ids in (("1", "1", "2"), ("2", ""), ("", "1"), ("1", "1", "1 (2)", "1"), ("1 (2)", "1", "1")):
        table = "id,text\n" + "".join(f"{own},Row {row}.\n" for row, own in enumerate(ids))
        found = documents(load(CsvLoader(), tmp_path / "a.csv", table))
        assert [document.text for document in found] == [f"Row {row}." for row in range(len(ids))]
        assert len({document.id for document in found}) == len({document.uri for document in found}) == len(ids)


@pytest.mark.parametrize("table", ["id,title,text\n", "id\ttitle", "A line.", "a,b\n,\n\n"])
def test_csv_without_rows_is_named_as_such(tmp_path: Path, table: str) -> None:
    assert load(CsvLoader(), tmp_path / "a.csv", table) == [
        Skipped((tmp_path / "a.csv").as_posix(), "has no rows below its header")
    ]


@pytest.mark.parametrize("table", ["", "\n\n", " , \n"])
def test_csv_that_says_nothing_hands_out_nothing(tmp_path: Path, table: str) -> None:
    assert load(CsvLoader(), tmp_path / "a.csv", table) == []


def test_csv_without_a_text_column_is_written_out(tmp_path: Path) -> None:
    loader = CsvLoader(longest_table=0)
    document = documents(load(loader, tmp_path / "towns.csv", "no;town;people\n1;Orlaburg;5,200\n2;Fenn;\n"))
    assert [item.title for item in document] == ["Orlaburg", "Fenn"]
    assert document[0].text == "no: 1; town: Orlaburg; people: 5,200"
    assert document[1].text == "no: 2; town: Fenn"


def test_csv_of_few_rows_without_a_text_is_one_document_called_after_its_file(tmp_path: Path) -> None:
    """As it is on the sheet of a spreadsheet: which cup was won stands in no row, nor who won it most often."""
    table = "Year,Winner\n2031,Eelers\n\n2032,Tern\n"
    cup = only(CsvLoader(), tmp_path / "ferry_cup.csv", table)
    assert (cup.title, cup.text, cup.whole) == (
        "ferry cup",
        "Year: 2031; Winner: Eelers\nYear: 2032; Winner: Tern",
        False,
    )
    assert cup.uri == (tmp_path / "ferry_cup.csv").as_posix()


@pytest.mark.parametrize(
    "table",
    [
        "Year,Winner\n2031,Eelers\n",
        "id,Winner\n1,Eelers\n2,Tern\n",
        f"Year,Note\n2031,Rain.\n2032,{'It rained. ' * 10}\n",
        "Year,Winner\n" + "2031,Eelers\n" * 41,
        "Year,Winner\n" + "2031,Eelers\n" * 100,
    ],
    ids=["one row", "with ids", "with a text", "long", "longer than what is looked ahead"],
)
def test_csv_of_many_rows_or_of_records_is_a_document_a_row(tmp_path: Path, table: str) -> None:
    found = documents(load(CsvLoader(), tmp_path / "a.csv", table))
    assert len(found) == table.count("\n") - 1
    assert all(row.whole and row.uri.rpartition("#")[2] for row in found)


def test_csv_rows_with_an_empty_text_are_written_out(tmp_path: Path) -> None:
    table = "id,title,text,price\nt,Tern,,36\nk,Knot, ,12\ng,Gull,A boat.,9\nl,,,7 m\nx,,,\n"
    written, known, told, untitled, nothing = documents(load(CsvLoader(), tmp_path / "a.csv", table))
    assert (written.text, written.title, written.metadata) == ("title: Tern; price: 36", "Tern", {})
    assert known.text == "title: Knot; price: 12"
    assert (told.text, told.metadata) == ("A boat.", {"price": "9"})
    assert (untitled.text, untitled.title) == ("price: 7 m", "7 m")
    assert nothing.text == ""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiter_is_sniffed(delimiter: str) -> None:
    rows = [["name", "text"], ["Mill", '"one, two; three | four"'], ["Ferry", "a; b"]]
    lines = [delimiter.join(row) + "\n" for row in rows if delimiter != ";" or row[0] != "Ferry"]
    assert sniffed(lines) == delimiter


def test_csv_declared_delimiter_is_believed(tmp_path: Path) -> None:
    assert documents(load(CsvLoader(), tmp_path / "a.csv", "sep=;\ntitle;text\nMill;a, b\n"))[0].text == "a, b"


def test_csv_ragged_rows_and_odd_headers_lose_nothing(tmp_path: Path) -> None:
    table = "town,,town\nFenn,a,b,c\nOrla\n"
    first, second = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert first.text == "town: Fenn; column 2: a; town 3: b; column 4: c"
    assert second.text == "town: Orla"
    assert only(CsvLoader(), tmp_path / "a.csv", table).text == f"{first.text}\n{second.text}"


def test_csv_may_have_spaces_before_quotes_and_blank_lines_above(tmp_path: Path) -> None:
    table = '\n,\nvessel, town\n"Cutter", "Fennick, ""the"" port"\n\tx,  y\n'
    first, second = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert (first.text, first.uri[-2:]) == ('vessel: Cutter; town: Fennick, "the" port', "#1")
    assert second.text == "vessel: x; town: y"


def test_csv_reports_have_their_header_below_what_they_are_called(tmp_path: Path) -> None:
    """As banks and offices export them."""
    table = (
        "Statement;;;\n;;;\nAccount:;QM12;;\n\nDate;For;Sum;Left\n2031-02-01;Rent;-500;1000\n2031-02-02;Wage;;3000\n"
    )
    whole = only(CsvLoader(), tmp_path / "a.csv", table)
    above, rent, wage = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert whole.text == f"{above.text}\n\n{rent.text}\n{wage.text}"
    assert (above.text, above.title, above.uri[-6:]) == ("Statement\nAccount: QM12", "Statement", "#above")
    assert (rent.text, rent.uri[-2:]) == ("Date: 2031-02-01; For: Rent; Sum: -500; Left: 1000", "#1")
    assert wage.text == "Date: 2031-02-02; For: Wage; Left: 3000"


@pytest.mark.parametrize("table", ["text\none\ntwo, three, four\nfive\n", "text,\none,two\n", "text,,\na,b\nc,d,e\n"])
def test_csv_headers_of_one_name_are_headers(tmp_path: Path, table: str) -> None:
    assert {document.text for document in documents(load(CsvLoader(), tmp_path / "a.csv", table))} <= {
        *("one", "two", "five", "a", "c")
    }


def test_csv_fields_may_be_long(tmp_path: Path) -> None:
    text = "rye " * 100_000
    assert len(only(CsvLoader(), tmp_path / "a.csv", f'title,text\nMill,"{text}"\n').text) == len(text) - 1


def test_csv_columns_are_known_however_they_are_spelled(tmp_path: Path) -> None:
    document = only(CsvLoader(), tmp_path / "a.csv", "ID,Headline,Full Text,Author\nm1,Orla mill,Built in 1742.,Voss\n")
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert document.uri.endswith("a.csv#m1")
    assert document.metadata == {"Author": "Voss"}


def test_csv_with_a_description_beside_other_columns_keeps_them_all(tmp_path: Path) -> None:
    """Short notes are no text column: what stands beside them would not be found."""
    document = only(CsvLoader(), tmp_path / "a.csv", "name,description,price\nLamp,Of brass.,12\n")
    assert document.text == "name: Lamp; description: Of brass.; price: 12"


def test_jsonl_rows_are_whole_documents(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "title": "Orla mill",
        "text": "Built in 1742.",
        "year": 1742,
        "open": True,
        "tags": ["x"],
        "z": None,
    }
    document = only(JsonlLoader(), tmp_path / "corpus.jsonl", json.dumps(row) + "\n\n")
    assert (document.id, document.title, document.text) == ("7", "Orla mill", "Built in 1742.")
    assert document.metadata == {"year": "1742", "open": "true"}
    assert document.whole
    assert document.uri.endswith("corpus.jsonl#7")


def test_jsonl_bad_lines_are_named_and_the_rest_is_loaded(tmp_path: Path) -> None:
    lines = ['{"id": "a", "text": "one"}', '{"id": "b", "te', "[1]", '{"title": "no text"}', "[" * 100_000]
    items = load(JsonlLoader(), tmp_path / "corpus.jsonl", "\n".join([*lines, '{"id": "c", "text": "two"}']))
    assert [document.id for document in documents(items)] == ["a", "c"]
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert [item.uri.rpartition("#")[2] for item in skipped] == ["2", "3", "4", "5"]
    assert [item.reason.split(" is ")[0].split(" has ")[0][:6] for item in skipped] == [
        f"line {n}" for n in (2, 3, 4, 5)
    ]
    assert "not JSON" in skipped[0].reason


def test_jsonl_without_any_document_is_one_line_in_the_report(tmp_path: Path) -> None:
    """A file of questions, say, that lies beside the data set."""
    (item,) = load(JsonlLoader(), tmp_path / "questions.jsonl", '{"question": "Who?"}\n' * 40)
    assert isinstance(item, Skipped)
    assert "any of its 40 rows: line 1 has no text" in item.reason


def test_jsonl_text_is_clean_and_surrogates_do_not_survive(tmp_path: Path) -> None:
    line = '{"text": "tide\\u0000 \\ud800mill\\r\\nkept", "title": "a\\u2028b"}'
    document = only(JsonlLoader(), tmp_path / "corpus.jsonl", line)
    assert (document.text, document.title) == ("tide mill\nkept", "a b")


def test_jsonl_without_ids_is_numbered_by_line(tmp_path: Path) -> None:
    items = documents(
        load(JsonlLoader(), tmp_path / "corpus.ndjson", '{"text": "one"}\n{"text": ["two.", "three."]}\n')
    )
    assert [item.id.rpartition("#")[2] for item in items] == ["1", "2"]
    assert items[1].text == "two. three."
    assert items[1].title == "corpus 2"


@pytest.mark.parametrize("field", ["body", "content", "full_text", "Full Text", "articleBody", "page_content"])
def test_json_of_an_export_is_read_by_the_usual_names(tmp_path: Path, field: str) -> None:
    """As a site or a program writes it, with fields that are no text."""
    row = {"Title": "Orla mill", field: "Built in 1742.", "url": "https://orla.example/1", "published_at": "2031-02-04"}
    document = only(JsonlLoader(), tmp_path / "export.json", json.dumps([row]))
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert document.metadata == {"url": "https://orla.example/1", "published_at": "2031-02-04"}


def test_jsonl_fields_without_a_text_are_passed_over(tmp_path: Path) -> None:
    row = {"title": "", "headline": "Orla mill", "text": " ", "content": {"html": ""}, "body": "Built in 1742."}
    document = only(JsonlLoader(), tmp_path / "export.jsonl", json.dumps(row))
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert documents(load(JsonlLoader(), tmp_path / "a.jsonl", '{"text": ""}'))[0].text == ""


def test_an_abstract_stands_before_the_text(tmp_path: Path) -> None:
    """Unless the text begins with it, or there is nothing else."""
    texts = [{"body": "It has two wheels."}, {"body": "A mill. It has two wheels."}, {}, {"body": ""}]
    lines = "\n".join(json.dumps({"abstract": "A mill.", **text}) for text in texts)
    below, within, *alone = documents(load(JsonlLoader(), tmp_path / "papers.jsonl", lines))
    assert below.text == "A mill.\n\nIt has two wheels."
    assert within.text == "A mill. It has two wheels."
    assert {document.text for document in alone} == {"A mill."}
    table = "Abstract,Body\nA mill.,It has two wheels.\nA ferry.,\n"
    first, second = documents(load(CsvLoader(), tmp_path / "papers.csv", table))
    assert (first.text, second.text) == (below.text, "A ferry.")


def test_json_object_with_a_list_of_objects_is_that_list(tmp_path: Path) -> None:
    """As interfaces answer; where there are two lists, nobody knows which is meant, and all is read as it stands."""
    rows = [{"title": "Mill", "body": "Built in 1742."}, {"title": "Ferry", "body": "It crosses the Orla."}]
    answer = {"status": "ok", "total": 2, "articles": rows, "tags": ["a"]}
    found = documents(load(JsonlLoader(), tmp_path / "answer.json", json.dumps(answer)))
    assert [document.title for document in found] == ["Mill", "Ferry"]
    one = only(JsonlLoader(), tmp_path / "two.json", json.dumps({**answer, "others": rows}))
    assert one.text.count("Built in 1742.") == 2
    assert only(JsonlLoader(), tmp_path / "text.json", json.dumps({**answer, "text": "All."})).text == "All."


def test_json_list_is_read_like_lines(tmp_path: Path) -> None:
    items = load(JsonlLoader(), tmp_path / "corpus.json", '[{"id": "a", "text": "one"}, 5]')
    assert [document.id for document in documents(items)] == ["a"]
    assert isinstance(items[1], Skipped)
    assert items[1].reason == "item 2 is not an object"


@pytest.mark.parametrize("content", ["{", '"text"', "[" * 100_000])
def test_json_that_is_no_list_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(DocumentError):
        load(JsonlLoader(), tmp_path / "corpus.json", content)

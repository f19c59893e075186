"""Markdown is read as its readers see it, with the title and the front matter that it has."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.markdown import MarkdownLoader
from polyhop.documents.loaders.markdown_marks import without_marks
from polyhop.types import Document
from tests.worlds.loaded import load, only

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

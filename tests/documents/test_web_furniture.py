"""What stands around the content of a web page is left out, and the content stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.html import HtmlLoader
from polyhop.types import Document

MILL = "<h1>The Orla Mill</h1><p>It was built in <a href=a>1742</a> by <a href=b>Lena Voss</a>.</p>"
TEXT = "The Orla Mill\n\nIt was built in 1742 by Lena Voss."
MENU = "<li><a href=a>Home</a><li><a href=b>Opening hours</a><li><a href=c>Visit us</a>"


def read(folder: Path, page: str) -> Document:
    (folder / "a.html").write_text(page, encoding="utf-8")
    (document,) = HtmlLoader().load(folder / "a.html", "a.html")
    return document


@pytest.mark.parametrize(
    "page",
    [
        f"<header><div>Mills of the Orla</div><ul>{MENU}</ul></header>{MILL}",
        f"<header>{MILL}</header>",
        f"<div role=navigation>Go to: {MENU}</div>{MILL}",
        f"<ul>{MENU}</ul>{MILL}",
        f"<a href=#main>Skip to content</a><div><h3>In this section</h3><ul>{MENU}</ul></div>{MILL}",
        f"<p><a href=a>Home</a> | <a href=b>Mills</a> | <a href=c>Contact</a></p>{MILL}",
        f"<div><a href=a>Home</a> › <a href=b>Mills</a> › Orla Mill</div>{MILL}",
        f"{MILL}<div id='cookie-banner'>We bake biscuits. <button>Fine</button></div>",
        f"{MILL}<div class='x' role='dialog' aria-modal='true'>Sign up for our letter!</div>",
        f"<div hidden>Not shown</div>{MILL}<div aria-hidden=true>×</div>",
        f"<div style='color: red; DISPLAY : none !important'>Letter</div>{MILL}<span style=visibility:hidden>1</span>",
        MILL.replace("built", "<s>burnt</s> <strike>bought</strike> <del>seen</del> built"),
        f"<main>{MILL}</main><aside>Also of interest</aside><ul>{MENU}</ul>",
        f"<article>{MILL}</article><footer>The mill trust, 2031. <a href=x>Imprint</a></footer>",
    ],
)
def test_what_stands_around_the_content_is_left_out(tmp_path: Path, page: str) -> None:
    assert read(tmp_path, f"<title>Mill</title><body>{page}</body>").text == TEXT


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"{MILL}<ul>{MENU}</ul>", f"{TEXT}\n\n- Home\n- Opening hours\n- Visit us"),
        (f"<main>{MILL}<ul>{MENU}</ul></main>", f"{TEXT}\n\n- Home\n- Opening hours\n- Visit us"),
        (f"<article><header>{MILL}</header><footer>Told by Ada.</footer></article>", f"{TEXT}\n\nTold by Ada."),
        (f"{MILL}<p>See <a href=a>Fenn</a>, <a href=b>Tarn</a>.", f"{TEXT}\n\nSee Fenn, Tarn."),
        (f"<ul>{MENU}</ul>", "- Home\n- Opening hours\n- Visit us"),
        ("<footer>Nothing but a foot</footer>", "Nothing but a foot"),
        ("<div style='display:none'>Nothing else</div>", "Nothing else"),
        (f"<p>Who?<div style='display: none'>Ada.</div>{MILL}<script>show()</script>", f"Who?\nAda.\n\n{TEXT}"),
        (f"<p onclick='show()'>Who?<div style='display:none'>Ada.</div>{MILL}", f"Who?\nAda.\n\n{TEXT}"),
        (f"<div style='display: none-such; x-display: none'>Ada.</div>{MILL}", f"Ada.\n\n{TEXT}"),
        (f"<p>On cookies and their consent</p>{MILL}", f"On cookies and their consent\n\n{TEXT}"),
    ],
)
def test_what_is_content_stays(tmp_path: Path, page: str, text: str) -> None:
    assert read(tmp_path, f"<body>{page}</body>").text == text


def test_headings_stand_where_the_page_has_them(tmp_path: Path) -> None:
    page = f"<ul>{MENU}</ul>{MILL}<h2>Its <i>wheel</i></h2><p>Of oak.</p><h3></h3>"
    document = read(tmp_path, page)
    assert [document.text[start:end] for start, end in document.headings] == ["The Orla Mill", "Its wheel"]


STEPS = "<li><a accesskey=p href=b>Before: Sluices</a><li><a href=#>Up</a><li><a accesskey=n href=c>Next: Gates</a>"
PLACES = "<li><a href=#wheel>Its wheel</a><li><a href=#race>Its race</a><li><a href=#keeper>Its keepers</a>"
SECTIONS = "<h2>Its wheel</h2><p>Of oak.<h2>Its race</h2><p>Dry.<h2>Its keepers</h2><p>Two."
BELOW = "Its wheel\n\nOf oak.\n\nIts race\n\nDry.\n\nIts keepers\n\nTwo."


@pytest.mark.parametrize(
    "foot",
    [
        f"<ul>{STEPS}</ul>",
        "<table><tr><td><a href=index.html>Home page</a><td><a href=map>Map</a><td><a href=us>Contacts</a></table>",
        "<table><tr><td>[<a href=b title='Previous section in order'> &lt; </a>]<td>[<a href=c>Top</a>]</table>",
        "<div class=navfooter><table><tr><td><a href=b>Back</a><td><a href=c>On</a><tr><td>Dam<td>Gates</table></div>",
        "<div class='book-navigation'><ul><li><a href=a>Sluices</a><li><a href=b>Gates</a></ul></div>",
        "<p>[ <a href=b rel=prev>previous</a> ] [ <a href=c>1</a> ] [ 2 ] [ <a href=d>3</a> ]",
        "<p><a href='#top'>Back to top</a>",
        "<p><a href=../>Overview</a>",
    ],
)
def test_what_leads_on_at_the_end_is_left_out(tmp_path: Path, foot: str) -> None:
    assert read(tmp_path, f"{MILL}{foot}").text == TEXT
    assert read(tmp_path, f"{MILL}{foot}<p>Last changed in 2031</p>").text == f"{TEXT}\n\nLast changed in 2031"


@pytest.mark.parametrize(
    "contents",
    [
        f"<p><b>Table of Contents</b></p><ul>{PLACES}</ul>",
        f"<p>Topics covered here:<ol>{PLACES}</ol>",
        f"<h2>Inhalt</h2><ul>{PLACES}</ul>",
        f"<ul>{PLACES.replace('#', 'mill.html#')}</ul>",
        "<dl><dt>1. <a href=#a>Its wheel</a><dd><dl><dt><a href=#b>Its race</a></dl><a href=#c>Its keepers</a></dl>",
        f"<table>{PLACES.replace('<li>', '<tr><td>&bull; ')}</table>",
    ],
)
def test_the_own_contents_of_a_page_are_left_out(tmp_path: Path, contents: str) -> None:
    assert read(tmp_path, f"{MILL}{contents}{SECTIONS}").text == f"{TEXT}\n\n{BELOW}"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            f"{MILL}<h2>See also</h2><ul>{MENU.replace('=a>', '=index.html>')}</ul>",
            f"{TEXT}\n\nSee also\n\n- Home\n- Opening hours\n- Visit us",
        ),
        (f"{MILL}<ul><li><a href=a rel=next>Gates</a>, of iron</ul>", f"{TEXT}\n\n- Gates, of iron"),
        (f"{MILL}<p>More is told in <a href=index.html>the book</a>.", f"{TEXT}\n\nMore is told in the book."),
        (
            f"{MILL}<p>It has three parts:<ul>{PLACES}</ul>{SECTIONS}",
            f"{TEXT}\n\nIt has three parts:\n\n- Its wheel\n- Its race\n- Its keepers\n\n{BELOW}",
        ),
        (f"{MILL}<ul>{PLACES}</ul><p>Read on.", f"{TEXT}\n\n- Its wheel\n- Its race\n- Its keepers\n\nRead on."),
        (
            "<h1>Mills</h1><ul><li><a href=index.html>Orla</a><li><a href=b>Tarn</a></ul><p>Two in all.",
            "Mills\n\n- Orla\n- Tarn\n\nTwo in all.",
        ),
        (f"<div class=nav>{MILL}</div>", TEXT),
        (f"<ul>{STEPS}</ul>", "- Before: Sluices\n- Up\n- Next: Gates"),
    ],
)
def test_links_that_a_reader_may_ask_about_stay(tmp_path: Path, page: str, text: str) -> None:
    """Below a heading or announced, with words beside them, not at the end, or all that there is."""
    assert read(tmp_path, page).text == text


def test_words_that_a_manual_cuts_are_whole_and_code_stays(tmp_path: Path) -> None:
    manual = (
        "The keeper opens the inner gate of the sluice for exam-\n     ple when the water of the upper pond is higher "
        "than\n     the mark, and closes it again."
    )
    code = "tide-\n  mill"
    page = f"<h2>GATE</h2><pre>     {manual}</pre><h2>Then</h2><pre>{code}</pre>"
    document = read(tmp_path, page)
    assert document.text == f"GATE\n\n     {manual.replace(f'-{chr(10)}     ', '')}\n\nThen\n\n{code}"
    assert [document.text[start:end] for start, end in document.headings] == ["GATE", "Then"]


def test_many_headings_and_lists_above_the_content_take_no_time(tmp_path: Path) -> None:
    menus = "".join(f"<h2>Menu {number}</h2><ul>{MENU}</ul>" for number in range(4_000))
    start = time.process_time()
    assert read(tmp_path, f"{menus}{MILL}").text == TEXT
    assert time.process_time() - start < 5.0

"""What stands around the content of a web page is left out, and the content stays."""

from __future__ import annotations

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
        (f"<p>On cookies and their consent</p>{MILL}", f"On cookies and their consent\n\n{TEXT}"),
    ],
)
def test_what_is_content_stays(tmp_path: Path, page: str, text: str) -> None:
    assert read(tmp_path, f"<body>{page}</body>").text == text


def test_headings_stand_where_the_page_has_them(tmp_path: Path) -> None:
    page = f"<ul>{MENU}</ul>{MILL}<h2>Its <i>wheel</i></h2><p>Of oak.</p><h3></h3>"
    document = read(tmp_path, page)
    assert [document.text[start:end] for start, end in document.headings] == ["The Orla Mill", "Its wheel"]

"""Pages are read as people see them, however broken, in the encoding that they are in."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.html import HtmlLoader, read_page
from polyhop.documents.sentences import sentence_spans
from tests.worlds.loaded import only

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
    start = time.process_time()
    read_page((part * 30_000).encode())
    assert time.process_time() - start < 5.0


@given(st.text(alphabet="<>/!-[]\"'=ab pretdhscript&;#x1", max_size=200))
def test_html_any_input_gives_text(page: str) -> None:
    assert "\n\n\n\n" not in read_page(page.encode()).flow().text()

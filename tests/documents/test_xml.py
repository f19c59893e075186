"""XML of any kind: its text in order, titles as headings, and values behind the names of their elements."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.xml import XmlLoader
from polyhop.errors import DocumentError
from polyhop.types import Document
from tests.worlds.documents import read as read_paths

MESSAGE = """\
<?xml version="1.0"?>
<MESSAGE id="7">
 <DATE>4-MAY-2031</DATE>
 <TOPICS><D>mills</D><D>tides</D></TOPICS>
 <ORGS/>
 <TEXT>
  <TITLE>ORLA MILL &lt;ORM&gt; LIFTS ITS FEE</TITLE>
  <BODY>Orla Mill said that effective today it had lifted
its fee by 1.50 a sack, which is more than its
keeper Ada Brisk has ever asked for in spring.
    The miller of Tarn will follow.</BODY>
 </TEXT>
</MESSAGE>"""
BOOK = """\
<book xmlns="http://docbook.org/ns/docbook">
<title>The mill</title>
<chapter><title>Its <emphasis>wheel</emphasis></title>
<para>It is
 <emphasis>green</emphasis>, and turns.</para>
<para>It was
      built in 1841.</para>
<itemizedlist><listitem><para>Open the gate.</para></listitem><listitem><para>Wait.</para></listitem></itemizedlist>
<programlisting>turn(3)
  wait()</programlisting>
<section><title>Fees</title>
<fee><vessel>Cutter</vessel><price>35</price></fee>
<fee vessel="Barge" price="40"/>
</section></chapter></book>"""


def read(folder: Path, source: str) -> Document:
    (folder / "mill.xml").write_text(source, encoding="utf-8")
    (document,) = XmlLoader().load(folder / "mill.xml", "mill.xml")
    return document


def test_a_message_has_values_behind_their_names_and_paragraphs_on_a_line(tmp_path: Path) -> None:
    document = read(tmp_path, MESSAGE)
    assert document.title == "ORLA MILL <ORM> LIFTS ITS FEE"
    assert document.text == (
        "DATE: 4-MAY-2031\nTOPICS: mills, tides\n\nORLA MILL <ORM> LIFTS ITS FEE\n\n"
        "Orla Mill said that effective today it had lifted its fee by 1.50 a sack, which is more than its keeper "
        "Ada Brisk has ever asked for in spring.\nThe miller of Tarn will follow."
    )


def test_a_book_has_headings_items_code_and_rows(tmp_path: Path) -> None:
    document = read(tmp_path, BOOK)
    assert document.text == (
        "The mill\n\nIts wheel\n\nIt is green, and turns.\n\nIt was built in 1841.\n\n"
        "- Open the gate.\n- Wait.\n\nturn(3)\n  wait()\n\n"
        "Fees\n\nfee vessel: Cutter; price: 35\n\nfee vessel: Barge; price: 40"
    )
    assert [document.text[start:end] for start, end in document.headings] == ["The mill", "Its wheel", "Fees"]
    assert document.levels == (2, 3, 4)


def test_a_feed_has_its_pieces_of_web_pages_as_they_are_shown(tmp_path: Path) -> None:
    said = "<![CDATA[<p>Fees <b>rise</b> in&nbsp;May.</p><ul><li>Cutter: 35</li></ul>]]>"
    link = "<link>http://a.example</link>"
    feed = f"<rss><channel><item><title>Fees</title>{link}<description>{said}</description></item></channel></rss>"
    assert read(tmp_path, feed).text == "Fees\n\nlink: http://a.example\n\nFees rise in May.\n- Cutter: 35"


def test_an_entity_that_is_declared_elsewhere_is_its_letter_or_its_name(tmp_path: Path) -> None:
    source = '<!DOCTYPE p SYSTEM "mill.dtd"><p>Welcome to &mill;&nbsp;caf&eacute;.</p>'
    assert read(tmp_path, source).text == "Welcome to mill caf\u00e9."


def test_names_within_running_text_stay_in_it(tmp_path: Path) -> None:
    source = "<para>See <file>a.chk</file> in:<list><item><para>the <b>mill</b></para></item></list></para>"
    assert read(tmp_path, source).text == "See a.chk in:\n\n- the mill"


@pytest.mark.parametrize(
    ("source", "reason"),
    [("<mill>", "is damaged"), ('<!DOCTYPE m [<!ENTITY a "b">]><m>&a;</m>', "declares XML entities")],
)
def test_damaged_xml_and_entities_are_refused(tmp_path: Path, source: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        read(tmp_path, source)


@pytest.mark.parametrize("hostile", ["<a>" * 50_000 + "x" + "</a>" * 50_000, "<m>" + "<a/>" * 50_000 + "x</m>"])
def test_deep_and_long_xml_is_read_in_time(tmp_path: Path, hostile: str) -> None:
    began = time.process_time()
    assert read(tmp_path, hostile).text.endswith("x")
    assert time.process_time() - began < 10


def test_a_topic_of_mallard_is_read_with_its_steps(tmp_path: Path) -> None:
    topic = """<page xmlns="http://projectmallard.org/1.0/" type="topic" id="gate"><info><desc>How.</desc></info>
<title>Open the gate</title>
<steps><item><p>Lift the <gui>bar</gui>.</p></item><item><p>Wait.</p></item></steps></page>"""
    (tmp_path / "gate.page").write_text(topic)
    (document,) = read_paths([tmp_path])
    assert isinstance(document, Document)
    assert document.title == "Open the gate"
    assert document.text.endswith("Open the gate\n\n- Lift the bar.\n- Wait.")


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("GB2312", "潮汐磨坊"),
        ("Shift_JIS", "水車小屋"),
        ("EUC-KR", "물레방앗간"),
        ("KOI8-R", "мельница"),
        ("UTF-16", "Mühle"),
    ],
)
def test_xml_is_read_in_the_encoding_that_it_declares(tmp_path: Path, encoding: str, said: str) -> None:
    source = f'<?xml version="1.0" encoding="{encoding}"?>\n<mill><title>{said}</title><p>{said}.</p></mill>'
    (tmp_path / "mill.xml").write_bytes(source.encode(encoding))
    (document,) = XmlLoader().load(tmp_path / "mill.xml", "mill.xml")
    assert (document.title, document.text) == (said, f"{said}\n\n{said}.")


def test_what_the_system_does_not_hand_out_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"directory|denied"):
        list(XmlLoader().load(tmp_path, "mill.xml"))


def test_a_file_of_one_value_says_what_it_is(tmp_path: Path) -> None:
    assert read(tmp_path, "<status>closed until May</status>").text == "status: closed until May"

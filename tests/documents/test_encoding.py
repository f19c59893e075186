"""Bytes become text whatever their encoding; what is no text is refused."""

from __future__ import annotations

import codecs
import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.encoding import clean, decode, detect, open_text, read_text
from polyhop.errors import DocumentError

RUSSIAN = "Привет, мир! Это короткий текст на русском языке о реке и о старой мельнице."
JAPANESE = "これは日本語の文章です。水車小屋は川のそばにあります。"
GERMAN = "Das Café in Zürich öffnet für Gäste früh am Morgen – täglich außer Montag."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN.replace("–", "-"), "latin-1"),
        (GERMAN, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        ("这是一个关于河流和城市的短文。磨坊在河边。", "gb18030"),
        ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.", "iso8859-7"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "cp874"),
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (RUSSIAN, "utf-16"),
        (JAPANESE, "utf-32"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32-le"),
    ],
)
def test_encodings_are_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(("mark", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")])
def test_a_byte_order_mark_is_believed_and_removed(mark: bytes, encoding: str) -> None:
    assert decode(mark + "磨坊".encode(encoding)) == "磨坊"


def test_a_declared_encoding_decides_where_bytes_are_ambiguous() -> None:
    data = "Łódź i Gdańsk".encode("iso8859-2")
    assert decode(data, hint="iso-8859-2") == "Łódź i Gdańsk"


def test_a_declared_encoding_that_is_wrong_or_unknown_is_not_believed() -> None:
    assert decode(GERMAN.encode(), hint="iso-8859-1") == GERMAN
    assert decode(RUSSIAN.encode("cp1251"), hint="ascii") == RUSSIAN
    assert decode(RUSSIAN.encode("cp1251"), hint="klingon") == RUSSIAN


@pytest.mark.parametrize(
    ("label", "written", "encoding"),
    [
        ("iso-8859-1", "O’Hara paid €35 – Œuvre, Šime Žižek…", "cp1252"),
        ("latin1", "“Yes”", "cp1252"),
        ("us-ascii", "Fee: €35", "cp1252"),
        ("iso-8859-9", "Ağ “Tern” €35", "cp1254"),
        ("gb2312", "朱镕基 €", "gb18030"),
        ("x-gbk", "朱镕基", "gb18030"),
        ("shift_jis", "① 髙橋", "cp932"),
        ("x-sjis", "① 髙橋", "cp932"),
        ("euc-kr", "똠방각하 펲시콜라", "cp949"),
        ("tis-620", "“กรุงเทพ”", "cp874"),
    ],
)
def test_a_declared_encoding_is_read_as_browsers_read_it(label: str, written: str, encoding: str) -> None:
    """Programs write the characters of windows-1252 and say ISO-8859-1, and so with others."""
    assert decode(written.encode(encoding), hint=label) == written


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("iso-2022-kr", "부두는 닫혀 있다"),
        ("utf-7", "Grüße für 35 €"),
        ("hz-gb-2312", "磨坊在河边"),
        ("iso-2022-jp", JAPANESE),
    ],
)
def test_a_declared_encoding_of_seven_bits_is_believed(label: str, written: str) -> None:
    assert decode(written.encode(label), hint=label) == written


def test_escape_sequences_tell_korean_from_japanese() -> None:
    assert decode("부두는 닫혀 있다".encode("iso2022_kr")) == "부두는 닫혀 있다"


def test_a_declared_encoding_does_not_hide_plain_ascii() -> None:
    assert decode(b"The mill + the pier", hint="utf-16") == "The mill + the pier"


@pytest.mark.parametrize("label", ["idna", "undefined", "rot13", "a\0b"])
def test_a_declared_codec_that_is_none_for_texts_is_not_believed(label: str) -> None:
    assert decode(GERMAN.encode("cp1252"), hint=label) == GERMAN


def test_the_encoding_is_found_far_behind_plain_ascii() -> None:
    data = b"The mill. " * 300_000 + GERMAN.encode("cp1252")
    assert decode(data).endswith(GERMAN)


def test_damaged_utf8_stays_utf8() -> None:
    data = (RUSSIAN * 20).encode()
    assert decode(data[:101] + b"\xff" + data[101:]).count("м") > 50


@given(st.text())
def test_utf8_survives_but_for_what_clean_removes(text: str) -> None:
    safe = clean(text)
    assert decode(("Tide mill. " * 3 + safe).encode()) == "Tide mill. " * 3 + safe


@given(st.text(st.characters(codec=None)))
def test_clean_text_can_be_encoded_and_has_no_control_characters(text: str) -> None:
    """Lone surrogates included."""
    cleaned = clean(text)
    cleaned.encode()
    assert not any(ord(character) < 32 and character not in "\t\n" for character in cleaned)
    assert clean(cleaned) == cleaned


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_a_document_error(data: bytes) -> None:
    with contextlib.suppress(DocumentError):
        decode(data).encode()


def test_newlines_become_one_character() -> None:
    assert clean("a\r\nb\rc\nd\x0ce\u2028f\x85g") == "a\nb\nc\nd\ne\nf\ng"


def test_stray_control_characters_are_removed() -> None:
    assert decode(b"tide\x00 mill\x07\x1b[0m") == "tide mill[0m"


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        b"\x7fELF\x02\x01\x01" + bytes(500) + b"\x90\x80\xff" * 100,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(128, 256)) * 3 + bytes(20),
        b"ustar" + bytes(400) + b"plain text",
    ],
    ids=["all bytes", "program", "picture", "archive"],
)
def test_binary_content_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError, match="binary"):
        decode(data)


def test_binary_content_is_refused_by_its_beginning_alone() -> None:
    """Though it is valid UTF-8: a file of which nothing was written yet may say that it has many gigabytes of zeros."""
    stream = io.BytesIO(bytes(1 << 23))
    with pytest.raises(DocumentError, match="binary"):
        detect(stream)
    assert stream.tell() < 1 << 20


def test_empty_and_tiny_files_are_text() -> None:
    assert decode(b"") == ""
    assert decode(b"a") == "a"
    assert decode(b"\xe9").isprintable()


def test_detect_reads_a_stream() -> None:
    assert detect(io.BytesIO(b"mill")) == "utf-8"


def test_open_text_streams_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_bytes("один\r\nдва\rтри\u2028ещё".encode("utf-16"))
    with open_text(file) as stream:
        assert list(stream) == ["один\n", "два\n", "три\u2028ещё"]


def test_fifty_megabytes_are_read(tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    line = "The tide mill on the Orla river grinds rye, für immer.\n".encode("cp1252")
    file.write_bytes(line * (50_000_000 // len(line)))
    assert read_text(file).endswith("für immer.\n")

"""Archives of XML parts are opened with limits, and entities are refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from polyhop.documents.loaders import archives
from polyhop.documents.loaders.archives import ArchiveKind, PartEvents, opened
from polyhop.documents.loaders.office_parts import relations_of
from polyhop.errors import DocumentError

KIND = ArchiveKind(name="a book", locked="encrypted", remedy="Save it again.")
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 9 if n else "ha"}">' for n in range(9))


def packed(file: Path, **parts: str | bytes) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


def parse(file: Path, part: str = "a", **limits: int) -> None:
    with opened(file, KIND, **limits) as archive:
        archive.parse(part, PartEvents())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (f"<!DOCTYPE a [{LAUGHS}]><a>&l8;</a>", "entities"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "entities"),
        ("<!DOCTYPE a [<!ELEMENT a ANY>]><a/>", "entities"),
        ("<a>" + " " * 3_000_000 + "</a>", "unpacks to more than 200 times"),
        ("<a><b></a>", "XML cannot be read"),
        ("", "XML cannot be read"),
    ],
)
def test_a_part_that_is_hostile_or_broken_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        parse(packed(tmp_path / "a.zip", a=content))


def test_a_doctype_that_declares_nothing_is_no_reason_to_refuse(tmp_path: Path) -> None:
    parse(packed(tmp_path / "a.zip", a='<!DOCTYPE a PUBLIC "-//A//B" "http://127.0.0.1:9/a.dtd"><a/>'))


def test_all_parts_together_are_bounded(tmp_path: Path) -> None:
    file = packed(tmp_path / "a.zip", a=f"<a>{'x' * 600}</a>", b=f"<a>{'x' * 600}</a>")
    parse(file, largest=1000)
    with opened(file, KIND, 1000) as archive:
        archive.parse("a", PartEvents())
        with pytest.raises(DocumentError, match="more than 1,000 bytes"):
            archive.parse("b", PartEvents())


def test_the_number_of_parts_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_PARTS", 2)
    with pytest.raises(DocumentError, match="more than 2 parts"):
        parse(packed(tmp_path / "a.zip", a="<a/>", b="<a/>", c="<a/>"))


def test_an_encrypted_part_is_named_so(tmp_path: Path) -> None:
    content = bytearray(packed(tmp_path / "a.zip", a="<a/>").read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(DocumentError, match="is encrypted"):
        parse(tmp_path / "b.zip")


def test_a_file_cut_short_is_damaged(tmp_path: Path) -> None:
    content = packed(tmp_path / "a.zip", a="<a/>").read_bytes()
    (tmp_path / "b.zip").write_bytes(content[:-20])
    with pytest.raises(DocumentError, match="is damaged, or not a book"):
        parse(tmp_path / "b.zip")


@pytest.mark.parametrize(
    ("target", "part"),
    [("slides/one.xml", "ppt/slides/one.xml"), ("/ppt/two.xml", "ppt/two.xml"), ("../../../etc/passwd", "etc/passwd")],
)
def test_relations_lead_to_parts_of_the_archive_only(tmp_path: Path, target: str, part: str) -> None:
    relation = f'<Relationship Id="r1" Type="http://a/slide" Target="{target}"/>'
    away = '<Relationship Id="r2" Type="http://a/slide" Target="http://example.org/" TargetMode="External"/>'
    file = packed(tmp_path / "a.zip", **{"ppt/_rels/a.xml.rels": f"<Relationships>{relation}{away}</Relationships>"})
    with opened(file, KIND) as archive:
        relations = relations_of(archive, "ppt/a.xml")
    assert relations == {"r1": ("slide", part)}

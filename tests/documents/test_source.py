"""Source code is read as it is written, and cut where functions and classes end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.chunking import count_tokens, cut
from polyhop.documents.loaders.source import SourceLoader
from polyhop.documents.source_units import MEDIA_TYPE, SourceUnits, line_in
from polyhop.engine import Polyhop
from polyhop.errors import DocumentError
from polyhop.settings import Chunking
from polyhop.types import Document, Span
from tests.worlds.documents import write

FUNCTIONS = "\n\n\n".join(
    f"@task\ndef mill_{n}(rye: int) -> int:\n    # the stones of mill {n}\n    total = rye * {n}\n\n    return total"
    for n in range(40)
)
CLASS = "class Mill {\n" + "\n\n".join(f"  grind{n}() {{\n    return {n};\n  }}" for n in range(60)) + "\n}\n"
SMALL = Chunking(tokens=128, overlap=16)


def load(file: Path, content: str | bytes) -> Document:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    (document,) = SourceLoader().load(file, file.as_posix())
    return document


def source(text: str) -> Document:
    return Document(id="a", text=text, media_type=MEDIA_TYPE)


def test_source_is_read_as_it_is_written(tmp_path: Path) -> None:
    document = load(tmp_path / "tide_mill.py", 'def a():\n\treturn "Ünal"  \n\n\n')
    assert document.text == 'def a():\n\treturn "Ünal"'
    assert (document.title, document.metadata) == ("tide_mill.py", {"language": "Python"})


@pytest.mark.parametrize(("content", "reason"), [(b"\0\1\2\3" * 99, "binary"), (b"a=1;" * 9000, "packed on few lines")])
def test_what_people_cannot_read_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        load(tmp_path / "a.js", content)


def test_functions_stay_whole() -> None:
    passages = cut(source(FUNCTIONS), SMALL)
    assert len(passages) > 5
    for passage in passages:
        assert passage.text.startswith("@task\ndef mill_")
        assert passage.text.endswith("return total")
        assert count_tokens(passage.text) <= 128


def test_within_a_class_that_is_too_long_methods_stay_whole() -> None:
    first, *others = cut(source(CLASS), SMALL)
    assert first.text.startswith("class Mill {")
    assert others
    for passage in (first, *others):
        assert passage.text.endswith("}")
        assert passage.text.count("{") - passage.text.count("}") in (0, 1, -1)
    assert all(passage.text.startswith("grind") for passage in others)


def test_no_function_is_parted_for_what_would_still_fit() -> None:
    text = "import os, re, io, ast, sys\n\n\ndef long():\n" + "\n\n".join(f"    step_{n}(os, {n})" for n in range(18))
    first, second = cut(source(text), SMALL)
    assert first.text == "import os, re, io, ast, sys"
    assert second.text.startswith("def long")


def test_a_function_that_is_too_long_is_cut_between_its_steps() -> None:
    text = "def long():\n" + "\n".join(f"    step_{n}(a, {n})" for n in range(90))
    passages = cut(source(text), SMALL)
    assert all(passage.text.endswith(")") for passage in passages)


@given(st.text(alphabet="ab (){}\n\t#", max_size=400))
def test_units_end_behind_letters_and_in_order(text: str) -> None:
    units = SourceUnits.of(text)
    assert list(units.ends) == sorted(set(units.ends))
    assert all(text[:end].rstrip() == text[:end] and text[end : end + 1].isspace() for end in units.ends)


@given(st.text(alphabet="ab (){}\n\t#", max_size=400))
def test_passages_cover_all_source(text: str) -> None:
    covered = set[int]()
    for passage in cut(source(text), Chunking(tokens=16, overlap=2)):
        assert text[passage.start : passage.end] == passage.text
        covered.update(range(passage.start, passage.end))
    assert all(letter.isspace() for at, letter in enumerate(text) if at not in covered)


@given(st.text(alphabet="a\n", max_size=50), st.integers(0, 50))
def test_a_line_is_counted_from_one(text: str, place: int) -> None:
    assert line_in(text, place) == len((text[:place] + "x").split("\n"))


def test_a_place_in_source_has_a_line_and_no_page(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "docs", {"a.py": "import os\n\n\ndef mill():\n    return 1742\n", "b.txt": "One.\n\nTwo."}
    )
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(folder, layers=["text"])
        with engine.view() as view:
            ids = {row.uri.rpartition("/")[2]: row.id for row in view.record.listed(most=9)[0]}
            assert view.record.line_of(Span(ids["a.py"], 12, 16)) == 4
            assert view.record.page_of(Span(ids["a.py"], 12, 16)) is None
            assert view.record.line_of(Span(ids["b.txt"], 6, 9)) is None


def test_settings_are_read_as_they_are_written_and_lists_of_what_was_installed_refused(tmp_path: Path) -> None:
    said = "# who keeps it\nmill:\n  keeper: Ada Brisk\n"
    for name in ("mill.yaml", "mill.yml", "mill.toml", "pnpm-lock.yaml"):
        (tmp_path / name).write_text(said)
    for name in ("mill.yaml", "mill.yml", "mill.toml"):
        (document,) = SourceLoader().load(tmp_path / name, name)
        assert (document.title, document.text) == (name, said.strip())
    with pytest.raises(DocumentError, match="lists what was installed"):
        list(SourceLoader().load(tmp_path / "pnpm-lock.yaml", "pnpm-lock.yaml"))

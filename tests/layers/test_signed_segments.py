"""Segments of the text layer that are large have the signs of their vectors beside them, and small ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.indexes.segments import has_array
from polyhop.layers.text import layer
from polyhop.types import Document


@pytest.mark.parametrize(("exact", "signed"), [(2, True), (3, False)])
def test_a_segment_has_signs_where_it_is_searched_by_them(
    exact: int, signed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layer, "EXACT", exact)
    with Polyhop(tmp_path / "index") as engine:
        texts = (Document(id=name, text=f"The {name} is of oak.") for name in ("mill", "weir", "lock"))
        engine.add_documents(texts, layers=["text"])
        with engine.view() as view:
            assert [part is not None for part in view.text.vectors.signs] == [signed]
            assert len(view.text.vectors) == 3
    (segment,) = (tmp_path / "index" / "generations" / "text").iterdir()
    assert has_array(segment / "vectors", "signs0") == signed

"""Postings made in runs are those of all texts, byte for byte."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes import lexical, lexical_runs, run_merging
from polyhop.indexes.digests import SEEN
from polyhop.indexes.folding import Stem
from polyhop.indexes.streamed import streamed

words = st.lists(st.sampled_from(["bee", "bees", "Würm", "the", "the", "霧島", "sea", "***", "x\udcff"]), max_size=9)
texts = st.dictionaries(st.integers(1, 60), words.map(" ".join), max_size=9)


def files(folder: Path) -> dict[str, bytes]:
    """All of them but the one that tells when they were read."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != SEEN)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@settings(deadline=None, max_examples=60)
@given(texts, st.integers(0, 3000), st.integers(1, 9), st.sampled_from(["none", "s"]))
def test_postings_in_runs_of_any_size_are_those_of_all_texts(
    said: dict[int, str], memory: int, piece: int, stem: Stem
) -> None:
    numbers = sorted(said)
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        for module, name in ((run_merging, "AT_ONCE"), (lexical_runs, "TERMS"), (lexical_runs, "WRITTEN")):
            patch.setattr(module, name, piece)
        whole, runwise = Path(place) / "whole", Path(place) / "runwise"
        with streamed(whole) as writer:
            writer.put(lexical.build(np.array(numbers, np.int64), [said[number] for number in numbers], stem=stem))
        with streamed(runwise) as writer:
            lexical_runs.write(writer, ((number, said[number]) for number in numbers), memory=memory, stem=stem)
        assert files(runwise) == files(whole)
        assert {path.name for path in Path(place).iterdir()} == {"whole", "runwise"}

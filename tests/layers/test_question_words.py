"""Words of passages with their questions as the layer gathers them: Doc2Query ranks by them as by texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.indexes import lexical
from polyhop.indexes.lexical import Lexical
from polyhop.strategies.baselines.d2q import Doc2Query


@pytest.mark.parametrize("kept", [slice(None), slice(0), slice(1, None)])
def test_doc2query_ranks_by_gathered_words_as_by_texts(harbour_engine: Polyhop, harbour: Path, kept: slice) -> None:
    """Also where the layer lacks some passages, or all, whose texts are read then."""
    harbour_engine.index(harbour, layers=("text", "parsekg", "questions"))
    with harbour_engine.view() as view:
        graph, numbers = view.questions, view.text.vectors.numbers
        held, texts = Doc2Query()._texts(view)
        reference = Lexical.of([lexical.build(np.array(held), texts)], numbers)
        some = [(number, text) for number, text in zip(held, texts, strict=True) if number in numbers[kept]]
        gathered = lexical.build(np.array([number for number, _ in some], np.int64), [text for _, text in some])
        if len(some) == len(held):
            (whole,) = graph.expanded
            assert all(whole[name].tolist() == gathered[name].tolist() for name in lexical.ARRAYS)
        over = replace(view, layers={**view.layers, "questions": replace(graph, expanded=(gathered,))}, kept={})
        words = Doc2Query()._words(over)
        for query in ("Who built the lighthouse?", "bridge", "Quillmouth Ada Brisk", "where"):
            expected = [part.tolist() for part in reference.search(query, 9)]
            assert [part.tolist() for part in words.search(query, 9)] == expected

"""Training starts from the installed cross-encoder: its weights as numbers score as it does."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from polyhop.models.cross_encoder import reranker_folder
from polyhop.models.encoder import Encoder
from polyhop.models.session import open_session
from polyhop.ports import Floats
from polyhop.training.graph import Head, write_graph
from polyhop.training.start import installed_weights


def test_the_encoder_tells_right_from_wrong_as_the_cross_encoder_does(tmp_path: Path) -> None:
    """The first token's state is what its classifier reads; near texts are near in it, too."""
    weights = installed_weights()
    assert weights["body.word.weight"].shape == (30_522, 384)
    weights |= {"hidden.weight": np.eye(384, dtype=np.float32), "hidden.bias": np.zeros(384, np.float32)}
    write_graph(weights, (Head(name="hidden", on="the first token"),), tmp_path / "model.onnx", exact=True)
    encoder = Encoder(reranker_folder() / "model.onnx", reranker_folder() / "tokenizer.json")
    session = open_session(tmp_path / "model.onnx", threads=1)

    def read(text: str) -> tuple[float, Floats]:
        asked, said = encoder.tokens("Who built the lighthouse?"), encoder.tokens(text)
        ids = [101, *asked, 102, *said, 102]
        segments = [0] * (len(asked) + 2) + [1] * (len(said) + 1)
        feed = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": segments}
        hidden = session.run(None, {name: np.array([value]) for name, value in feed.items()})[0][0]
        return float(encoder.run(asked, said)[0]), hidden / np.linalg.norm(hidden)

    (right, one), (also, two), (wrong, three) = (
        read(text)
        for text in (
            "Edda Marrish built the lighthouse in 1812.",
            "The lighthouse was built by Tom Harl.",
            "Soup is eaten with a spoon.",
        )
    )
    assert min(right, also) > wrong
    assert one @ two > max(one @ three, two @ three)


def test_encoder_and_head_score_as_the_cross_encoder_does(tmp_path: Path) -> None:
    """Within what 8 bits cost: its activations are rounded, those of the exact graph are not."""
    weights = installed_weights()
    head = Head(name="relevance", on="the first token", pooled=True)
    write_graph(weights, (head,), tmp_path / "model.onnx", exact=True)
    encoder = Encoder(reranker_folder() / "model.onnx", reranker_folder() / "tokenizer.json")
    ours = Encoder(tmp_path / "model.onnx", reranker_folder() / "tokenizer.json")
    asked = encoder.tokens("Who built the lighthouse?")
    for text in ("Edda Marrish built the lighthouse in 1812.", "The keeper was ill.", "Soup is eaten with a spoon."):
        said = encoder.tokens(text)
        assert abs(float(encoder.run(asked, said)[0]) - float(ours.run(asked, said)[0])) < 0.6

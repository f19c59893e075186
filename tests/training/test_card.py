"""A model card says in one list what a model went on from, however many runs there were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.training.card import Card, Origin, earlier_in

FIRST = Card(
    name="reader",
    purpose="Reads.",
    data={"lights.jsonl": "aa"},
    sources=(),
    seed=1,
    rows=40,
    hours=0.5,
    device="cpu",
    as_trained={},
    as_exported={},
    limits=(),
)


def following(card: Card, folder: Path, seed: int, **data: str) -> Card:
    """The card of a run that went on from another's model."""
    path = folder / "card.md"
    path.write_text(card.markdown(), encoding="utf-8")
    return replace(card, before=earlier_in(path), seed=seed, data={f"{name}.jsonl": sha for name, sha in data.items()})


def test_runs_stand_in_one_list_the_latest_first(tmp_path: Path) -> None:
    second = following(FIRST, tmp_path, 2, lights="aa", piers="bb")
    third = following(second, tmp_path, 3, piers="bb")
    text = third.markdown()
    assert (
        text.index("with seed 3") < text.index("1. Trained by") < text.index("with seed 2") < text.index("2. Trained")
    )
    assert text.index("2. Trained") < text.index("with seed 1") < text.index("have read besides")
    assert [text.count(name) for name in ("`piers.jsonl`", "`lights.jsonl`")] == [1, 1]


def test_cards_that_quote_one_another_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "card.md"
    path.write_text(
        "# Polyhop reader\n\n## What it was made from\n\nTrained by `a`, with seed 2. The data:\n\n"
        "- `b.jsonl`, sha256 `bb`\n\n"
        "What it went on from:\n\n> Trained by `a`, with seed 1. The data:\n>\n> - `b.jsonl`, sha256 `bb`\n"
        "> - `a.jsonl`, sha256 `aa`\n>\n> What it went on from:\n>\n> > Trained by `a`, with seed 0. The data:\n>\n"
        "## Limits\n\n- none\n",
        encoding="utf-8",
    )
    found = earlier_in(path)
    assert [run[-1:] + run[-2:-1] for run in found.runs] == [".2", ".1", ".0"]
    assert list(found.files) == ["- `b.jsonl`, sha256 `bb`", "- `a.jsonl`, sha256 `aa`"]


def test_a_source_with_a_bar_in_its_name_stays_in_its_cell() -> None:
    card = replace(
        FIRST,
        sources=[Origin(name="mills|old", licence="CC0-1.0", windows=40)],
        columns=["score"],
        as_exported={"mills|old": {"score": 50.0}},
    )
    assert {r"| mills\|old | CC0-1.0 | 40 |", r"| mills\|old | 50.0 |"} <= set(card.markdown().splitlines())


def test_a_model_without_a_card_is_said_to_have_none(tmp_path: Path) -> None:
    assert "without a card" in replace(FIRST, before=earlier_in(tmp_path / "card.md")).markdown()


@pytest.mark.parametrize(
    ("source", "maker"),
    [
        ("squadshifts/reddit", "SQuADShifts, Miller et al. 2020"),
        ("break_dev", "Break (QDMR), Wolfson et al. 2020 (AllenAI), on HotpotQA, ComplexWebQuestions and DROP"),
        ("breakfast", "breakfast"),
        ("musiqueours", "musiqueours"),  # as docs/training.md has people call rows of their own
        ("documents/mine", "documents with questions about them (`--documents`)"),
    ],
)
def test_a_source_is_credited_to_who_made_it_and_to_nobody_else(source: str, maker: str) -> None:
    assert Origin(name=source, licence="CC0-1.0", windows=1).maker == maker

"""``polyhop ask`` shows the chains of facts that led from hop to hop, and the sentence behind every arrow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.cli.ask import _show_hop
from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.types import Hop
from tests.worlds.documents import write

FILES = {
    "lighthouse.md": "# Quillmouth Lighthouse\n\nQuillmouth Lighthouse is on a cliff. It was designed by Ada Brisk.",
    "brisk.md": "# Ada Brisk\n\nAda Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "fennick.md": "# Fennick\n\nFennick is a town on the River Oar. It is known for its glass.",
    "school.md": "# Tarn School\n\nThe Tarn School was founded by Piet Rook in 1790. It teaches engineers.",
}
QUESTION = "Where was the designer of Quillmouth Lighthouse born?"
SENTENCE = re.compile(
    r"^(?P<indent> +)“(?P<quote>.+)”\n\1  (?P<file>\S+) \[(?P<start>\d+):(?P<end>\d+)\]$", re.MULTILINE
)
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def asked_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the layer text alone, to which the question came once, so that asking again extracts nothing."""
    folder = tmp_path_factory.mktemp("chains")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", FILES), layers=("text",))
        assert engine.search(QUESTION, strategy="stepchain").hops
    return folder


@pytest.fixture
def ask(asked_before: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """What ``polyhop ask --strategy stepchain`` prints in the folder of the index."""
    monkeypatch.chdir(asked_before)

    def command(*arguments: str) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["ask", QUESTION, "--strategy", "stepchain", "--index", "polyhop.index", *arguments])
        captured = capsys.readouterr()
        assert (left.value.code, captured.err) == (0, "")
        return captured.out

    return command


def span_of(span: dict[str, Any]) -> tuple[int, int]:
    return span["start"], span["end"]


def told(hop: dict[str, Any]) -> list[tuple[str, list[tuple[int, int]]]]:
    """The chains of a hop as JSON has them: how they are written, and the spans behind their arrows."""
    return [(written(chain), spans(chain)) for chain in hop["chains"]]


def written(chain: dict[str, Any]) -> str:
    first: str = chain["entities"][0]
    others: list[str] = chain["entities"][1:]
    steps = zip(chain["facts"], chain["forward"], others, strict=True)
    arrows = [f" -({fact['relation']})-> {to}" if on else f" <-({fact['relation']})- {to}" for fact, on, to in steps]
    return "".join([first, *arrows])


def spans(chain: dict[str, Any]) -> list[tuple[int, int]]:
    return [(fact["span"]["start"], fact["span"]["end"]) for fact in chain["facts"]]


def blocks(out: str) -> Iterator[str]:
    """What is printed about each hop."""
    return (block for block in out.split("\n\n") if re.match(r"\S hop \d+: ", block))


def leading(hop: dict[str, Any]) -> list[tuple[str, list[tuple[int, int]]]]:
    """The best chains of a hop that end at what it found, as JSON has them; of all where none does."""
    found = {**hop, "chains": [chain for chain in hop["chains"] if chain["entities"][-1] == hop["found"]]}
    return (told(found) or told(hop))[:2]


def test_chains_are_shown_with_the_sentence_behind_every_arrow(ask: Ask, asked_before: Path) -> None:
    """At most two of a hop; quoted as they stand in the file, and each sentence once."""
    answer = json.loads(ask("--json"))
    hops, cited = answer["evidence"]["hops"], {span_of(one["span"]) for one in answer["citations"]}
    shown = list(blocks(ask()))
    assert len(shown) == len(hops) >= 2
    assert any(len(hop["chains"]) > 2 for hop in hops)
    for hop, block in zip(hops, shown, strict=True):
        chains = leading(hop)
        assert re.findall(r"^    chain: (.+)$", block, re.MULTILINE) == [line for line, _ in chains]
        sentences = list(SENTENCE.finditer(block))
        assert len(sentences) == len({(found["file"], found["start"]) for found in sentences})
        for found in sentences:
            text = (asked_before / found["file"]).read_text(encoding="utf-8")
            assert found["quote"] in text[int(found["start"]) : int(found["end"])]
        places = {(int(found["start"]), int(found["end"])) for found in sentences}
        behind = {span for _, spans_behind in chains for span in spans_behind}
        assert behind <= places
        assert places - behind <= {*map(span_of, hop["sentences"][:1]), *cited}  # and what the answer quotes of the hop


def test_a_sentence_of_a_chain_stands_below_it_and_that_of_the_hop_is_not_said_again(ask: Ask) -> None:
    first = next(blocks(ask())).splitlines()
    sentence = next(place for place, line in enumerate(first) if "“It was designed by Ada Brisk.”" in line)
    assert first[sentence].startswith("    “")
    assert first[sentence + 1].startswith("      documents/lighthouse.md [")
    assert "designed by Ada Brisk.”" not in "\n".join(first[sentence + 1 :])
    further = next(place for place, line in enumerate(first) if line.startswith("      “"))
    assert any(line.startswith("    chain: ") for line in first[sentence + 2 : further])
    assert first[further + 1].startswith("        documents/")


def test_a_chain_that_goes_on_behind_what_was_found_is_left_to_the_trace(ask: Ask) -> None:
    """Or that ends elsewhere: "born in 1790" says nothing of where."""
    hops = [hop for hop in json.loads(ask("--json"))["evidence"]["hops"] if hop["found"]]
    assert any(len(leading(hop)) < len(told(hop)[:2]) for hop in hops)
    for hop, block in zip(hops, blocks(ask()), strict=False):
        assert all(line.endswith(f" {hop['found']}") for line in re.findall(r"^    chain: (.+)$", block, re.MULTILINE))


def test_the_trace_shows_all_chains(ask: Ask) -> None:
    hops = json.loads(ask("--json"))["evidence"]["hops"]
    for hop, block in zip(hops, blocks(ask("--trace")), strict=True):
        assert re.findall(r"^    chain: (.+)$", block, re.MULTILINE) == [line for line, _ in told(hop)]


def test_no_quotation_of_a_chain_is_listed_again_as_a_further_source(ask: Ask) -> None:
    out = ask("--trace")
    quoted = [(found["file"], found["start"]) for found in SENTENCE.finditer("\n".join(blocks(out)))]
    further = out.partition("Further sources\n")[2].partition("\n\n")[0]
    assert not {(found["file"], found["start"]) for found in SENTENCE.finditer(further)} & set(quoted)


def test_an_index_of_text_grows_facts_and_says_so(asked_before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["status", "--index", str(asked_before / "polyhop.index")])
    assert re.search(r"layer facts: grown on demand, \d of 4 passages so far, 0 failed", capsys.readouterr().out)


def test_what_is_only_a_guess_is_said_to_be_one(capsys: pytest.CaptureFixture[str], asked_before: Path) -> None:
    """It stands behind an arrow like any answer; of a hop that is sure nothing more is said."""
    guess = Hop(question="Who taught Ada Brisk?", status="unresolved", passages=(), found="Piet Rook", note="a guess")
    with Polyhop(asked_before / "polyhop.index") as engine:
        for hop in (guess, replace(guess, status="resolved"), replace(guess, found=None)):
            _show_hop(1, hop, None, (), engine)
    first, *others = capsys.readouterr().out.strip().split("\n\n")
    assert first.splitlines()[1:] == ["      →  Piet Rook", "    a guess"]
    assert not any("a guess" in other for other in others)

"""A model card in Markdown: what a model is for, what made it, whom to thank, how well it does, and where it fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from polyhop import __version__

BASE = "ms-marco-MiniLM-L-12-v2 (Apache-2.0, cross-encoder, sentence-transformers), its 8-bit weights as numbers again"

# Who made what a source begins with; sources that nobody entered here appear by their own name.
MAKERS: Mapping[str, str] = {
    "2wiki": "2WikiMultiHopQA, Ho et al. 2020",
    "across": "collections of documents with questions about them (`--documents`)",
    "boolq": "BoolQ, Clark et al. 2019, with passages of Wikipedia",
    "break": "Break (QDMR), Wolfson et al. 2020 (AllenAI), on HotpotQA, ComplexWebQuestions and DROP",
    "clapnq": "ClapNQ, Rosenthal et al. 2025 (IBM), on Natural Questions, with passages of Wikipedia",
    "condaqa": "CondaQA, Ravichander et al. 2022 (AllenAI)",
    "confiqa_mc": "ConFiQA, Bi et al. 2024",
    "documents": "documents with questions about them (`--documents`)",
    "eraser_boolq": "BoolQ, Clark et al. 2019, in ERASER, DeYoung et al. 2020",
    "claims/eraser_fever": "FEVER, Thorne et al. 2018, in ERASER, DeYoung et al. 2020, with passages of Wikipedia",
    "fairytaleqa": "FairytaleQA, Xu et al. 2022",
    "claims/feversym": "Symmetric FEVER, Schuster et al. 2019, with sentences of Wikipedia",
    "hotpot_small": "HotpotQA, Yang et al. 2018, with passages of Wikipedia",
    "marked": "questions with brackets around what is to be asked first (`--marked`)",
    "marked_musique": "MuSiQue, Trivedi et al. 2022, with brackets around what is to be asked first (`--marked`)",
    "molweni": "Molweni, Li et al. 2020, on the Ubuntu chat corpus",
    "multihop/2wiki": "2WikiMultiHopQA, Ho et al. 2020, with passages of Wikipedia",
    "multihop/hotpotqa": "HotpotQA, Yang et al. 2018, with passages of Wikipedia",
    "multihop/musique": "MuSiQue, Trivedi et al. 2022, with passages of Wikipedia",
    "musique": "MuSiQue, Trivedi et al. 2022",
    "narrativeqa": "NarrativeQA, Kočiský et al. 2018 (DeepMind), its summaries",
    "nqswap": "NQ-Swap, Longpre et al. 2021 (Apple), on Natural Questions, Kwiatkowski et al. 2019",
    "qamr": "QAMR, Michael et al. 2018",
    "claims/qnli": "QNLI of GLUE, Wang et al. 2019, on SQuAD 1.1, Rajpurkar et al. 2016",
    "qed": "QED, Lamm et al. 2021 (Google), on Natural Questions",
    "skeleton/cwq": "ComplexWebQuestions, Talmor and Berant 2018, with clauses by SPARQA, Sun et al. 2020",
    "qa_only/musique": "MuSiQue, Trivedi et al. 2022, questions taken apart by the planner before and by rules",
    "steps/2wiki": "steps of 2WikiMultiHopQA, Ho et al. 2020, with passages of Wikipedia",
    "steps": "questions of several steps, each asked by itself",
    "steps/musique": "steps of MuSiQue, Trivedi et al. 2022, with passages of Wikipedia",
    "squad1": "SQuAD 1.1, Rajpurkar et al. 2016, with passages of Wikipedia",
    "squad2": "SQuAD 2.0, Rajpurkar et al. 2018, with passages of Wikipedia",
    "squadshifts": "SQuADShifts, Miller et al. 2020",
    "tables": "tables made up by `polyhop train reader` itself",
    "triples/carb": "CaRB, Bhardwaj et al. 2019",
    "triples/fewrel": "FewRel, Han et al. 2018",
    "triples/redocred": "Re-DocRED, Tan et al. 2022, with passages of Wikipedia",
    "triples/text2kg/tekgen": "TekGen, Agarwal et al. 2021, in Text2KGBench, Mihindukulasooriya et al. 2023",
    "triples/text2kg/webnlg": "WebNLG, Gardent et al. 2017, in Text2KGBench, Mihindukulasooriya et al. 2023",
    "timeqa": "TimeQA, Chen et al. 2021, with passages of Wikipedia",
}
ORIGIN = "What it was made from"
READER_COLUMNS = ("windows", "exact match", "F1", "kind", "evidence", "none, F1", "score")
READER_FIGURES = (
    "On windows of contexts that were kept aside, one in twenty. Exact match and F1 are of the best span, by tokens, "
    "where there is one to find, whether or not the model says there is; kind is how often none, span, yes or no is "
    "said rightly; evidence, how often the token most sure to be evidence is; the score counts a span by its F1 and "
    "all else as right or wrong, and nothing where the kind is wrong."
)

_DATA = " The data:"
_RUN = re.compile(r"(\d+\. )?Trained by ")

Figures = Mapping[str, Mapping[str, float]]  # by source, then by name
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A data set that rows came from, under its licence, and how many windows it gave."""

    name: str
    licence: str
    windows: int

    @property
    def maker(self) -> str:
        """Its name and who made it."""
        known = [prefix for prefix in MAKERS if self.name.startswith(prefix) and not self._goes_on_behind(prefix)]
        return MAKERS[max(known, key=len)] if known else self.name

    def _goes_on_behind(self, prefix: str) -> bool:
        """Whether the word with which the name begins is longer: "breakfast" is not of Break."""
        return self.name[len(prefix) : len(prefix) + 1].isalnum()


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """How a model was made that another one went on from: its runs, the latest first, and what they read, as lines."""

    runs: Sequence[str] = ()
    files: Sequence[str] = ()

    def markdown(self, *, besides: str) -> str:
        """Both, without the files that stand in a text already."""
        runs = "\n".join(f"{number}. {run}" for number, run in enumerate(self.runs, 1))
        files = "\n".join(line for line in self.files if line not in besides)
        read = f"\n\nThese runs have read besides:\n\n{files}" if files else ""
        return f"What it went on from, the latest first:\n\n{runs or 'A model without a card.'}{read}"


def origins(rows: Iterable[tuple[str, str]]) -> list[Origin]:
    """Each source with its licence, and how many of these windows came from it."""
    return [Origin(name=name, licence=licence, windows=count) for (name, licence), count in Counter(rows).items()]


def figures_by(
    group: Callable[[T], str], readings: Iterable[T], of: Callable[[Sequence[T]], dict[str, float]]
) -> dict[str, dict[str, float]]:
    """The figures of each group of readings, by its name, and of all of them."""
    groups: dict[str, list[T]] = {}
    for one in readings:
        groups.setdefault(group(one), []).append(one)
    every = [one for ours in groups.values() for one in ours]
    return {name: of(ours) for name, ours in (*sorted(groups.items()), ("all", every))}


@dataclass(frozen=True, kw_only=True)
class Card:
    """All that a card says of a model."""

    name: str
    purpose: str
    data: Mapping[str, str]  # file name to sha256
    sources: Sequence[Origin]
    seed: int
    rows: int  # windows seen
    hours: float
    device: str
    as_trained: Figures  # on the part kept aside
    as_exported: Figures  # the same, by the 8-bit graph
    limits: Sequence[str]
    before: Earlier | None = None  # how the model that training went on from was made
    blend: float = 1.0  # the share of what was learnt since then that these weights have
    others: Sequence[str] = ()  # sha256 of the graphs of models of which, and of this one, the weights are the mean
    unit: str = "windows"  # what it was trained on, also the name of the column that counts them
    columns: Sequence[str] = READER_COLUMNS
    explained: str = READER_FIGURES  # what the columns are
    base: str = BASE  # what training began with

    def markdown(self) -> str:
        """The card."""
        sections = {
            ORIGIN: self._origin(),
            "Data and attribution": self._attribution(),
            "How well it reads": self._figures(),
            "Limits": "\n".join(f"- {limit}" for limit in self.limits),
        }
        body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items())
        return f"# Polyhop {self.name}\n\n{self.purpose}\n\n{body}\n"

    def _origin(self) -> str:
        files = "\n".join(f"- `{name}`, sha256 `{digest}`" for name, digest in self.data.items())
        base = f"the {self.name} described below, its 8-bit weights as numbers again" if self.before else self.base
        part = f" Of what was learnt, {self.blend:.0%} was added to these weights." if self.blend < 1 else ""
        if self.others:
            graphs = " and ".join(self.others)
            part += f" The weights are the mean of these and of those whose graph has the sha256 {graphs}."
        earlier = "" if self.before is None else f"\n\n{self.before.markdown(besides=files)}"
        return (
            f"Trained by `polyhop train {self.name}` of Polyhop {__version__} from {base}, with seed {self.seed}, on "
            f"{self.rows:,} {self.unit} in {self.hours:.1f} hours ({self.device}).{part}{_DATA}\n\n{files}{earlier}"
        )

    def _attribution(self) -> str:
        merged: dict[tuple[str, str], int] = {}
        for source in self.sources:
            key = source.maker, source.licence
            merged[key] = merged.get(key, 0) + source.windows
        rows = [[maker, licence, f"{count:,}"] for (maker, licence), count in sorted(merged.items())]
        return (
            "The weights were adapted from texts and questions of these data sets, each under its licence. They hold "
            "no copy of them.\n\n" + _table(["data set", "licence", self.unit], rows)
        )

    def _figures(self) -> str:
        return (
            f"{self.explained}\n\n"
            f"As it is in this folder, in 8 bits:\n\n{self._table(self.as_exported)}\n\n"
            f"As it was trained, in float32 or bfloat16:\n\n{self._table(self.as_trained)}"
        )

    def _table(self, figures: Figures) -> str:
        def cell(values: Mapping[str, float], name: str) -> str:
            return f"{values[name]:,.0f}" if name == self.unit else f"{values[name]:.1f}" if name in values else "-"

        rows = [[source, *(cell(values, name) for name in self.columns)] for source, values in figures.items()]
        return _table(["source", *self.columns], rows)


def earlier_in(path: Path) -> Earlier:
    """How the model of another card was made, as the card says it; nothing where there is no such card."""
    if not path.is_file():
        return Earlier()
    _, _, behind = path.read_text(encoding="utf-8").partition(f"## {ORIGIN}\n")
    # Cards once quoted the card before, which quoted the one before that.
    lines = [line.lstrip("> ") for line in behind.partition("\n## ")[0].splitlines()]
    runs = [line.split(" ", 1)[1] if line[0].isdigit() else line for line in lines if _RUN.match(line)]
    files = [line for line in lines if line.startswith("- `")]
    return Earlier(runs=tuple(run.removesuffix(_DATA) for run in runs), files=tuple(dict.fromkeys(files)))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    whole = [[cell.replace("|", "\\|") for cell in row] for row in rows]  # a name may have the sign that ends a cell
    lines = [head, ["---"] * len(head), *whole]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

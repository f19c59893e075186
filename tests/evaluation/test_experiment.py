"""Experiments run strategies over a data set, and survive what goes wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from polyhop.documents.chunking import count_tokens
from polyhop.errors import BudgetExceeded, EndpointError, IndexMissing, LayerMissing, UnknownComponent, UsageError
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Asks, Experiment, Indexes, Run, prepare
from polyhop.evaluation.manifest import manifest, versions
from polyhop.evaluation.metrics.exact_match import ExactMatch
from polyhop.evaluation.reports.report import summary
from polyhop.reports import CostListener, IndexReport, Progress, ProgressListener, Skipped
from polyhop.settings import Settings
from polyhop.types import Answer, Budget, Cost, Evidence, Passage

CORPUS = {
    "velmora": "Velmora is a harbour town that Tessa Quill founded.",
    "tessa": "Tessa Quill was born in Ostrand.",
    "ostrand": "Ostrand lies on the river Ulm.",
    "brine": "The Brine Choir sings in Velmora.",
    "orla": "Orla Brandt leads the Brine Choir.",
    "pell": "Pell is a mountain.",
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "Where was the founder of Velmora born?",
        "answer": "Ostrand",
        "type": "bridge",
        "hops": 2,
        "supporting": ["velmora", "tessa"],
    },
    {
        "id": "q2",
        "question": "Who leads the choir that sings in Velmora?",
        "answer": "Orla Brandt",
        "type": "bridge",
        "hops": 2,
        "supporting": ["brine", "orla"],
    },
    {
        "id": "q3",
        "question": "Is Pell a mountain?",
        "answer": "yes",
        "type": "check",
        "hops": 1,
        "supporting": ["pell"],
    },
    {"id": "q4", "question": "What does Tessa Quill eat?", "answer": None, "type": "Null", "supporting": []},
]


@dataclass
class Library:
    """An engine of two strategies: 'words' ranks by common words and answers from a list, 'mute' finds nothing."""

    answers: dict[str, str | None]
    trouble: Callable[[str, str], None] = lambda strategy, question: None
    asked: list[tuple[str, str]] = field(default_factory=list)

    def strategy_for(self, name: str | None) -> str:
        """The name itself, if there is such a strategy."""
        if name not in ("words", "mute"):
            raise UnknownComponent(f"There is no strategy named {name!r}.")
        return name

    def search(
        self, question: str, *, k: int = 5, strategy: str | None = None, spent: CostListener | None = None
    ) -> Evidence:
        """The k passages that share most words with the question."""
        name = self.strategy_for(strategy)
        self.asked.append((name, question))
        cost = Cost(llm_calls=2, prompt_tokens=90, completion_tokens=10)
        if spent is not None:
            spent(cost)
        self.trouble(name, question)
        words = set(re.findall(r"\w+", question.lower()))
        scores = {key: len(words & set(re.findall(r"\w+", text.lower()))) for key, text in CORPUS.items()}
        best = sorted(CORPUS, key=lambda key: -scores[key])[: k if name == "words" else 0]
        found = tuple(replace(passage(key), score=float(scores[key])) for key in best)
        return Evidence(question=question, strategy=name, passages=found, cost=cost)

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        budget: Budget | None = None,
        spent: CostListener | None = None,
    ) -> Answer:
        """The answer of the list, if any passage was found."""
        evidence = self.search(question, k=(budget or Budget()).passages, strategy=strategy, spent=spent)
        text = self.answers[question] if evidence.passages else None
        return Answer(
            question=question,
            text=text,
            citations=(),
            confidence=0.8 if text else 0.1,
            evidence=evidence,
            reader="list",
            manifest={},
        )


def passage(key: str) -> Passage:
    text = CORPUS[key]
    return Passage(id=key, document_id=key, ordinal=0, start=0, end=len(text), title=key, text=text)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    rows = [{"id": key, "title": key, "text": text} for key, text in CORPUS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return Dataset.read(tmp_path)


@pytest.fixture
def library() -> Library:
    known: dict[str, str | None] = {row["question"]: row["answer"] for row in QUESTIONS}
    return Library(known | {QUESTIONS[1]["question"]: "Brandt"})


def metrics(run: Run, strategy: str, name: str) -> list[float | None]:
    return [record.metrics[name] for record in run.records[strategy]]


def test_experiment_asks_every_strategy_every_question_in_order(library: Library, dataset: Dataset) -> None:
    run = Experiment(strategies=("words", "mute")).run(library, dataset)
    texts = [question.text for question in dataset.questions]
    assert library.asked == [("words", text) for text in texts] + [("mute", text) for text in texts]
    assert metrics(run, "words", "em") == [1.0, 0.0, 1.0, 1.0]
    assert metrics(run, "words", "f1") == [1.0, pytest.approx(2 / 3), 1.0, 1.0]
    assert metrics(run, "mute", "f1") == [0.0, 0.0, 0.0, 1.0]
    assert metrics(run, "words", "recall@5")[3] is None
    first = run.records["words"][0].outcome
    assert (first.answer, first.confidence, first.cost.tokens) == ("Ostrand", 0.8, 100)
    assert first.seconds > 0


def test_contexts_are_counted_as_a_naive_loop_counts_them(library: Library, dataset: Dataset) -> None:
    """Passages and tokens of all questions, over questions; the same with and without reading."""
    for only in (False, True):
        experiment = Experiment(strategies=("words", "mute"), budget=Budget(passages=5), retrieval_only=only)
        report = summary(experiment.run(library, dataset), dataset, {})
        passages = tokens = 0
        for question in dataset.questions:
            for one in library.search(question.text, k=5, strategy="words").passages:
                passages += 1
                tokens += count_tokens(f"{one.title}\n{one.text}")
        words, mute = (report["strategies"][name] for name in ("words", "mute"))
        assert (words["passages"], words["context"]) == (passages / 4, tokens / 4)
        assert (mute["passages"], mute["context"]) == (0, 0)


def test_experiment_takes_the_first_questions_and_reports_progress(library: Library, dataset: Dataset) -> None:
    steps: list[Progress] = []
    run = Experiment(strategies=("words",), limit=2).run(library, dataset, progress=steps.append)
    assert [record.question.id for record in run.records["words"]] == ["q1", "q2"]
    assert [(step.stage, step.done, step.total, step.unit) for step in steps] == [
        ("words", 1, 2, "questions"),
        ("words", 2, 2, "questions"),
    ]


def test_experiment_searches_deep_enough_without_reading(library: Library, dataset: Dataset) -> None:
    run = Experiment(strategies=("words",), budget=Budget(passages=2), retrieval_only=True).run(library, dataset)
    assert {len(record.outcome.ranking) for record in run.records["words"]} == {5}
    assert metrics(run, "words", "em") == [None] * 4
    assert metrics(run, "words", "all@5")[:3] == [1.0, 1.0, 1.0]


def test_a_metric_that_looks_deeper_than_rankings_are_is_named(library: Library, dataset: Dataset) -> None:
    """Where questions are read, recall@10 would be recall@5 by another name."""

    def warnings(**options: Any) -> Any:
        experiment = Experiment(strategies=("words",), extra_metrics=("recall@10",), **options)
        return summary(experiment.run(library, dataset), dataset, manifest(experiment, dataset))["warnings"]

    (warning,) = warnings(budget=Budget(passages=5))
    assert warning.startswith("recall@10: rankings end after 5 passages")
    assert warnings(budget=Budget(passages=10)) == []
    assert warnings(budget=Budget(passages=5), retrieval_only=True) == []


def test_what_a_question_took_before_an_error_counts(library: Library, dataset: Dataset) -> None:
    """As where a cap ends it after its first call: that was paid for."""

    def trouble(strategy: str, question: str) -> None:
        raise BudgetExceeded("no more tokens")

    library.trouble = trouble
    run = Experiment(strategies=("words",)).run(library, dataset)
    assert {record.outcome.cost.tokens for record in run.records["words"]} == {100}


def test_experiment_records_an_error_and_goes_on(library: Library, dataset: Dataset) -> None:
    """An error is no abstention: the question scores 0 even where silence would have been right."""

    def trouble(strategy: str, question: str) -> None:
        if "eat" in question:
            raise EndpointError("the endpoint is down")
        if "Pell" in question:
            raise KeyError("pell")

    library.trouble = trouble
    run = Experiment(strategies=("words",)).run(library, dataset)
    errors = [record.outcome.error for record in run.records["words"]]
    assert errors == [None, None, "KeyError: 'pell'", "EndpointError: the endpoint is down"]
    assert metrics(run, "words", "em") == [1.0, 0.0, 0.0, 0.0]
    assert metrics(run, "words", "abstained") == [0.0] * 4
    assert metrics(run, "words", "recall@5")[2:] == [0.0, None]
    assert metrics(run, "words", "lost") == [0.0, 0.0, 1.0, None]
    assert run.answered
    assert not run.complete


def test_an_error_that_was_foreseen_is_a_line_with_its_remedy_and_others_have_a_trace(
    library: Library, dataset: Dataset, caplog: pytest.LogCaptureFixture
) -> None:
    def trouble(strategy: str, question: str) -> None:
        if "eat" in question:
            raise EndpointError("The endpoint is down.", remedy="Start it.")
        if "Pell" in question:
            raise KeyError("pell")

    library.trouble = trouble
    Experiment(strategies=("words",)).run(library, dataset)
    ours, others = (next(one for one in caplog.records if f"question {name}" in one.message) for name in ("q4", "q3"))
    assert ours.message == "words failed on question q4: The endpoint is down. Start it."
    assert ours.exc_info is None
    assert others.exc_info is not None


def test_an_endpoint_that_refuses_us_is_not_asked_every_question(
    library: Library, dataset: Dataset, caplog: pytest.LogCaptureFixture
) -> None:
    """With nothing done it is the command's error; after that, the strategy ends and the others go on."""
    refused = EndpointError("It refused the key.", remedy="Set another key.", status=401)

    def trouble(strategy: str, question: str) -> None:
        if strategy == "words":
            raise refused

    library.trouble = trouble
    with pytest.raises(EndpointError, match="refused the key"):
        Experiment(strategies=("words", "mute")).run(library, dataset)
    run = Experiment(strategies=("mute", "words")).run(library, dataset)
    assert (len(run.records["mute"]), run.records["words"]) == (4, ())
    assert run.stopped == {"words": "It refused the key."}
    assert "words stopped after 0 questions: It refused the key. Set another key." in caplog.text


def test_whatever_a_plug_in_raises_costs_one_question(library: Library, dataset: Dataset) -> None:
    def trouble(strategy: str, question: str) -> None:
        assert "Pell" not in question, "no mountains"

    library.trouble = trouble
    run = Experiment(strategies=("words",)).run(library, dataset)
    errors = [record.outcome.error for record in run.records["words"]]
    assert errors[2] is not None
    assert errors[2].startswith("AssertionError: no mountains")
    assert errors[3] is None


@pytest.mark.parametrize(
    ("value", "said"), [(float("nan"), "it says nan"), ("high", "could not convert"), ([], "TypeError")]
)
def test_a_metric_that_says_no_number_is_named(
    value: object, said: str, library: Library, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExactMatch, "__call__", lambda *_: value)
    with pytest.raises(UsageError, match=f"The metric em failed on question q1: .*{said}"):
        Experiment(strategies=("words",)).run(library, dataset)


def test_experiment_refuses_unusable_strategies_before_it_asks(library: Library, dataset: Dataset) -> None:
    with pytest.raises(UnknownComponent):
        Experiment(strategies=("words", "wrods")).run(library, dataset)
    assert library.asked == []


def test_experiment_raises_what_stops_it_at_once_and_keeps_what_came_before(library: Library, dataset: Dataset) -> None:
    def missing(strategy: str, question: str) -> None:
        raise IndexMissing("no index there")

    def late(strategy: str, question: str) -> None:
        if strategy == "words" and "Pell" in question:
            raise LayerMissing("the layer is gone")

    library.trouble = missing
    with pytest.raises(IndexMissing):
        Experiment(strategies=("words",)).run(library, dataset)
    library.trouble = late
    run = Experiment(strategies=("words", "mute")).run(library, dataset)
    assert run.stopped == {"words": "the layer is gone"}
    assert [len(records) for records in run.records.values()] == [2, 4]


def test_experiment_keeps_what_is_done_when_interrupted(library: Library, dataset: Dataset) -> None:
    def interrupt(strategy: str, question: str) -> None:
        if strategy == "mute" and "choir" in question:
            raise KeyboardInterrupt

    library.trouble = interrupt
    run = Experiment(strategies=("words", "mute")).run(library, dataset)
    assert run.interrupted
    assert [len(records) for records in run.records.values()] == [4, 1]


def test_experiment_gives_the_same_report_twice(library: Library, dataset: Dataset) -> None:
    def figures() -> dict[str, Any]:
        run = Experiment(strategies=("words", "mute"), seed=5).run(library, dataset)
        text = json.dumps(summary(run, dataset, {}))
        timeless = re.sub(r'"seconds\w*": [\d.e-]+', "", text)
        return {"report": timeless}

    assert figures() == figures()


def test_experiment_judges_by_sentences_where_there_are_only_documents(library: Library, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    for name, text in CORPUS.items():
        (tmp_path / "documents" / f"{name}.txt").write_text(text, encoding="utf-8")
    told = {
        "q1": ["Tessa Quill founded Velmora.", "She was born in Ostrand."],
        "q2": ["The Brine Choir is led by Orla Brandt."],
    }
    rows = [{**row, "supporting": None, "evidence": told.get(row["id"])} for row in QUESTIONS]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    dataset = Dataset.read(tmp_path)
    run = Experiment(strategies=("words", "mute"), extra_metrics=("recall@10",)).run(library, dataset)
    assert metrics(run, "words", "covered@5") == [1.0, 1.0, None, None]
    assert metrics(run, "mute", "covered@5") == [0.0, 0.0, None, None]
    assert metrics(run, "words", "quoted") == [0.0, 0.0, None, None]
    assert metrics(run, "words", "held") == [1.0, 0.0, 1.0, None]
    assert metrics(run, "words", "wrong") == [0.0, 1.0, 0.0, 0.0]
    assert metrics(run, "words", "recall@10") == [None] * 4
    assert run.records["words"][0].outcome.texts == ()  # the metrics have read them
    report = summary(run, dataset, manifest(run.experiment, dataset))
    reason = "recall@10 applies to none of the questions: it needs ids of passages in 'supporting'."
    assert report["warnings"] == [reason]
    assert report["manifest"]["dataset"]["passages"] is None
    assert {row["metric"] for row in report["comparisons"]} >= {"covered@5", "held", "wrong"}
    first = report["records"]["words"][0]
    assert (first["question"], first["evidence"]) == (QUESTIONS[0]["question"], told["q1"])


@pytest.mark.parametrize("wrong", [{"strategies": ()}, {"limit": 0}, {"seed": -1}])
def test_experiment_refuses_what_it_could_not_measure_before_it_asks(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Experiment(**{"strategies": ("words",), **wrong})


def test_prepare_indexes_the_corpus_and_warns_of_other_texts(
    dataset: Dataset, caplog: pytest.LogCaptureFixture
) -> None:
    class Indexer:
        paths: tuple[str, ...] = ()
        settings = Settings()

        def index(
            self,
            *paths: str,
            layers: Sequence[str] = (),
            workers: int | None = None,
            progress: ProgressListener | None = None,
        ) -> IndexReport:
            self.paths = paths
            return IndexReport(
                dry_run=False,
                added=7,
                changed=0,
                unchanged=0,
                removed=0,
                duplicates=0,
                skipped=tuple(Skipped(uri=f"corpus.jsonl#{row}", reason="has no text") for row in range(30)),
                documents=7,
                passages=7,
                entities=0,
                layers=(),
                seconds=0.0,
            )

    engine = Indexer()
    as_port: Indexes = engine
    assert prepare(as_port, dataset, layers=("text",)).added == 7
    assert engine.paths == (str(dataset.corpus),)
    assert "holds 7 passages" in caplog.text
    assert caplog.text.count("has no text") == 20, "no more lines than somebody reads"
    assert "10 more are left out" in caplog.text


def test_manifest_has_the_experiment_and_its_settings(dataset: Dataset) -> None:
    experiment = Experiment(strategies=("words", "mute"), budget=Budget(passages=7, seconds=2.5), limit=3, seed=11)
    settings = Settings.read(changes=["strategies.paths.links=4", "strategy.gamma=1.5", "chunking.tokens=256"])
    secret = replace(settings, components={**settings.components, "language_model": {"api_key": "sesame"}})
    assert "sesame" not in str(manifest(experiment, dataset, settings=secret))
    made = manifest(experiment, dataset, settings=settings, models={"embedder": "bge-small"})
    stored = json.loads(json.dumps(made))
    assert stored["experiment"] == json.loads(json.dumps(asdict(experiment)))
    assert Settings.from_mapping(stored["settings"]) == settings
    assert stored["dataset"]["sha256"] == dataset.sha256
    assert stored["models"] == {"embedder": "bge-small"}
    assert {"polyhop", "numpy", "onnxruntime"} <= set(versions())


def test_manifest_has_the_version_of_our_own_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is installed: it is a package of its own, which another version of Polyhop may stand beside."""
    there = {"polyhop": "0.1.0", "polyhop-weights": "0.7.2"}

    def version(package: str) -> str:
        if package not in there:
            raise PackageNotFoundError(package)
        return there[package]

    monkeypatch.setattr("polyhop.evaluation.manifest.version", version)
    assert versions() == there


def test_library_is_an_engine(library: Library) -> None:
    """The double in these tests satisfies the protocol that the real engine satisfies."""
    engine: Asks = library
    assert engine.strategy_for("words") == "words"

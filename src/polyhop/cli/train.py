"""``polyhop train``: small models of one's own, from rows to what Polyhop loads."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

import click

from polyhop.cli.progress import progress_shown
from polyhop.cli.terminal import echo
from polyhop.errors import UsageError

if TYPE_CHECKING:
    from polyhop.training.checkpoint import Position

Command = Callable[..., Any]

FOLDER = click.Path(path_type=Path)
data_option = click.option("--data", required=True, type=FOLDER, help="Folder with the rows to train on.")
minutes_option = click.option(
    "--minutes", type=click.FloatRange(0, min_open=True), help="End sooner, so that training takes about so long."
)


def out_option(holds: str = "checkpoint and model") -> Callable[[Command], Command]:
    """Where a run is kept."""
    return click.option("--out", required=True, type=FOLDER, help=f"Folder for {holds}.")


def seed_option(decides: str) -> Callable[[Command], Command]:
    """What is drawn by chance is drawn the same way again."""
    return click.option("--seed", type=int, default=0, show_default=True, help=f"Decides {decides}.")


@click.group(short_help="Train the small models that plan and read.")
def train() -> None:
    """Train the small models that Polyhop plans and reads with (extra 'train': torch).

    \b
    polyhop train reader --data rows --out trained

    A run can be interrupted with Ctrl-C, or killed: the same command goes on from its last checkpoint and ends with the
    weights that it would have had.
    """


@train.command(short_help="Train what points at answers.")
@click.option("--data", type=FOLDER, help="Folder with the rows to train on.")
@out_option()
@click.option("--rows", type=click.IntRange(1), default=100_000, show_default=True, help="Windows to train on in all.")
@minutes_option
@click.option("--start", type=FOLDER, help="Folder of a finished reader to go on from, instead of new heads.")
@click.option("--tables", type=click.IntRange(0), help="Tables to make up besides.  [default: 8000]")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    help="Of the rows of reading, claims and triples; the less of them, the more of all others.  [default: 1.0]",
)
@click.option("--documents", type=FOLDER, help="Folder of documents with questions, as JSON lines, besides.")
@click.option(
    "--tokens",
    type=click.IntRange(500),
    default=5_000,
    show_default=True,
    help="Of a batch; a GPU reads four times as many at ease.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=1.2e-4,
    show_default=True,
    help="Of learning, at its highest.",
)
@click.option(
    "--blend",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="With --start: share of what was learnt that is exported; 0.5 is the mean of both.",
)
@click.option(
    "--with",
    "others",
    type=FOLDER,
    multiple=True,
    help="Finished reader, which may be given more than once: the mean of all of them and of this one is exported.",
)
@click.option("--prepare", is_flag=True, help="Make the windows of the rows, windows.npz behind --out, and end.")
@click.option("--windows", type=FOLDER, help="Such a file, made before, instead of --data.")
@seed_option("mixture, order and first weights")
def reader(
    data: Path | None,
    out: Path,
    rows: int,
    minutes: float | None,
    start: Path | None,
    tables: int | None,
    share: float | None,
    documents: Path | None,
    tokens: int,
    rate: float,
    blend: float,
    others: tuple[Path, ...],
    prepare: bool,
    windows: Path | None,
    seed: int,
) -> None:
    """Train the reader: where in passages the answer stands, and whether it does.

    \b
    polyhop train reader --data rows --out trained
    polyhop train reader --data rows --out better --start trained/reader --seed 1 --minutes 480
    polyhop train reader --data rows --out trained --prepare
    polyhop train reader --windows trained/windows.npz --out trained --start reader

    The data folder holds reading.jsonl.gz and reader_reranker.jsonl, and evidence.jsonl.gz with claims if there are
    any; tables are made up beside them. Behind --out, checkpoint.npz is what the same command goes on from, and reader/
    the finished model: graph in 8 bits, tokenizer, model card, manifest. A twentieth of the contexts is kept aside;
    where they are read no better any more, training ends sooner. Rows become windows on one core; --prepare does only
    that, so that a machine with a GPU is asked for the rest alone, and needs neither the rows nor other models.
    """
    from polyhop.training.extra import check_ready

    check_ready(out)
    from polyhop.training.loop import Course
    from polyhop.training.reader import ReaderTrainer

    deciding = {"--tables": tables, "--share": share, "--documents": documents}
    _check_what_is_named(data, windows, {} if windows is None else deciding, prepare=prepare)
    course = Course(rows=rows, minutes=minutes, seed=seed, rate=rate).in_batches_of(tokens)
    with progress_shown(quiet=False) as listener, stop_asked() as stopped:
        trainer = ReaderTrainer(
            data=data or Path(),
            windows=windows,
            out=out,
            start=start,
            blend=blend,
            others=others,
            tables=8_000 if tables is None else tables,
            share=1.0 if share is None else share,
            documents=documents,
            course=course,
            listener=listener,
            stopped=stopped,
        )
        if prepare:
            echo(f"{trainer.prepare()} holds the windows.")
            return
        position = trainer.run()
    _tell_finished(position, out / "reader", "windows")


def _check_what_is_named(
    data: Path | None, windows: Path | None, ignored: Mapping[str, object], *, prepare: bool
) -> None:
    """Raises UsageError where it is not said what to train on, or an option was given that would be ignored."""
    if (data is None) == (windows is None) or (prepare and data is None):
        raise UsageError("Name what to train on: --data, or --windows that were prepared.")
    if named := ", ".join(name for name, value in ignored.items() if value is not None):
        said = f"The windows are made, so that {named} would change nothing."
        raise UsageError(said, remedy="Name it with --prepare.")


@train.command(short_help="Train what takes questions apart.")
@data_option
@out_option()
@click.option("--rows", type=click.IntRange(1), help="Questions to train on in all.  [default: 60000]")
@minutes_option
@click.option("--start", type=FOLDER, help="Folder of a finished planner to go on from, which also teaches.")
@click.option("--documents", type=FOLDER, help="Folder of documents with questions, whose steps also teach.")
@click.option(
    "--marked",
    type=FOLDER,
    multiple=True,
    help="File of questions with brackets around what is to be asked first, which may be given more than once.",
)
@seed_option("choice, order and first weights")
def planner(
    data: Path,
    out: Path,
    rows: int | None,
    minutes: float | None,
    start: Path | None,
    documents: Path | None,
    marked: tuple[Path, ...],
    seed: int,
) -> None:
    """Train the planner: what in a question has to be asked first, and whether it compares.

    \b
    polyhop train planner --data rows --out trained
    polyhop train planner --data rows --out trained --minutes 60
    polyhop train planner --data rows --out better --start trained/planner --seed 1

    The data folder holds decompositions.jsonl, and reading.jsonl.gz and plans_more.jsonl.gz if there are any; with
    --start, also questions_unlabelled.jsonl.gz, which the finished planner takes apart. Behind --out, checkpoint.npz
    is what the same command goes on from, and planner/ the finished model: graph in 8 bits, tokenizer, model card,
    manifest. A twentieth of the questions is kept aside; where their plans get no better any more, training ends
    sooner.
    """
    from polyhop.training.extra import check_ready

    check_ready(out)
    from polyhop.training.planner import COURSE, PlannerTrainer

    course = replace(COURSE, rows=rows or COURSE.rows, minutes=minutes, seed=seed)
    with progress_shown(quiet=False) as listener, stop_asked() as stopped:
        position = PlannerTrainer(
            data=data,
            out=out,
            start=start,
            documents=documents,
            marked=marked,
            course=course,
            listener=listener,
            stopped=stopped,
        ).run()
    _tell_finished(position, out / "planner", "questions")


@train.command(short_help="Tune what makes clues of questions.")
@data_option
@out_option("clues, checkpoint and model")
@click.option("--rows", type=click.IntRange(1), help="Clues to train on in all.  [default: 24000]")
@minutes_option
@click.option(
    "--spans",
    type=click.Choice(["grammar", "paper"]),
    default="grammar",
    show_default=True,
    help="What a relation is: what decoding can say, masks among it, or words with all entities removed.",
)
@click.option("--lora", type=click.IntRange(1), default=16, show_default=True, help="Rank of what is learnt besides.")
@click.option("--full", is_flag=True, help="Learn all weights instead, and write a whole graph (150 MB).")
@click.option("--triples", is_flag=True, help="Clues end in the entity that answers, for translator(triples=true).")
@click.option("--steps-only", is_flag=True, help="Leave out questions of several hops as a whole, as the paper does.")
@click.option("--most", type=click.IntRange(1), default=12_000, show_default=True, help="Questions to make clues of.")
@click.option("--embedder", default="bge-small", show_default=True, help="Tells how near a window is to its question.")
@click.option("--export-rows", type=FOLDER, help="Write the clues for LLaMA-Factory, and end.")
@seed_option("choice, order and first weights")
def translator(
    data: Path,
    out: Path,
    rows: int | None,
    minutes: float | None,
    spans: Literal["grammar", "paper"],
    lora: int,
    full: bool,
    triples: bool,
    steps_only: bool,
    most: int,
    embedder: str,
    export_rows: Path | None,
    seed: int,
) -> None:
    """Tune the translator: which clue leads from a question to its passage (KG-Translator, 3.3.3).

    \b
    polyhop train translator --data rows --out trained --minutes 35
    polyhop train translator --data rows --out trained --full --spans paper --steps-only
    polyhop train translator --data rows --out trained --export-rows clues.json
    polyhop ask "Who designed the lighthouse?" --strategy translator --set translator.tuned=trained/translator

    The data folder holds any of decompositions.jsonl with reader_reranker.jsonl, reading.jsonl.gz and triples.jsonl.gz.
    Behind --out, clues.jsonl has what was made of them, checkpoint.npz is what the same command goes on from, and
    translator/ the finished model: what was learnt besides (or the whole graph), model card, manifest. A twentieth of
    the passages is kept aside; where their clues get no likelier any more, training ends sooner.
    """
    from polyhop.training.extra import check_ready

    check_ready(out)
    from polyhop.models.choice import load_models
    from polyhop.settings import Settings
    from polyhop.training.clue_file import write_alpaca
    from polyhop.training.translator import COURSE, FULL_RATE, TranslatorTrainer

    rate = FULL_RATE if full else COURSE.rate
    with progress_shown(quiet=False) as listener, stop_asked() as stopped:
        trainer = TranslatorTrainer(
            data=data,
            out=out,
            models=load_models(Settings().with_models(embedder=embedder)),
            course=replace(COURSE, rows=rows or COURSE.rows, minutes=minutes, seed=seed, rate=rate),
            spans=spans,
            triples=triples,
            rank=None if full else lora,
            whole=not steps_only,
            most=most,
            listener=listener,
            stopped=stopped,
        )
        if export_rows is not None:
            count = write_alpaca(export_rows, trainer.clues())
            echo(f"{export_rows} holds {count:,} clues in LLaMA-Factory's alpaca form.")
            return
        position = trainer.run()
    _tell_finished(position, out / "translator", "clues")


@train.command(short_help="Train what judges passages.")
@data_option
@out_option()
@click.option("--rows", type=click.IntRange(1), help="Slates to train on in all.  [default: 4000]")
@minutes_option
@click.option("--start", type=FOLDER, help="Folder of a finished reranker to go on from.")
@seed_option("rivals, order and mixture")
def reranker(data: Path, out: Path, rows: int | None, minutes: float | None, start: Path | None, seed: int) -> None:
    """Train the reranker: which passages hold what a question asks for, alone or along a path.

    \b
    polyhop train reranker --data rows --out trained
    polyhop train reranker --data rows --out trained --minutes 120

    The data folder holds reader_reranker.jsonl and reading.jsonl.gz, and evidence.jsonl.gz with claims if there are
    any. A slate is a question with the right texts and those that compete with them, as strategies have them judged.
    Behind --out, checkpoint.npz is what the same command goes on from, and reranker/ the finished model: graph in 8
    bits, tokenizer, model card, manifest. Ask with it by --set models.reranker=polyhop-reranker --set
    reranker.folder=OUT/reranker. A twentieth of the questions is kept aside; where their texts are ordered no better
    any more, training ends sooner.
    """
    from polyhop.training.extra import check_ready

    check_ready(out)
    from polyhop.training.reranker import COURSE, RerankerTrainer

    course = replace(COURSE, rows=rows or COURSE.rows, minutes=minutes, seed=seed)
    with progress_shown(quiet=False) as listener, stop_asked() as stopped:
        position = RerankerTrainer(
            data=data, out=out, start=start, course=course, listener=listener, stopped=stopped
        ).run()
    _tell_finished(position, out / "reranker", "slates")


def _tell_finished(position: Position, folder: Path, unit: str) -> None:
    """Say what a run made, or end as Ctrl-C does where it was interrupted."""
    if not position.finished:
        raise KeyboardInterrupt
    echo(f"{folder} holds the {folder.name}: {position.seen:,} {unit} in {position.seconds / 3600:.1f} h.")


@contextmanager
def stop_asked() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: the first time it asks to stop after a step, the second time it interrupts."""
    asked = False

    def ask(_: int, __: FrameType | None) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, before)
        echo("Stopping behind what is under way. Ctrl-C again stops at once.", err=True)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)

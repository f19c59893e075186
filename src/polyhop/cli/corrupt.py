"""``polyhop corrupt``: damages the fact graph on purpose, as an overlay, to see what questions suffer from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import ChosenIndex, index_options
from polyhop.cli.terminal import echo
from polyhop.english.numbers import counted
from polyhop.errors import UsageError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop
    from polyhop.layers.facts.overlay import Overlay
    from polyhop.layers.view import View
    from polyhop.ports import LanguageModel
    from polyhop.settings import Settings

SHOWN = 5


@click.command(short_help="Damage the fact graph on purpose, for experiments.")
@click.option("--kind", help="What to damage, such as mis_bound; or a group: spurious, incomplete.")
@click.option(
    "--ratio", type=click.FloatRange(0, 1, min_open=True), default=0.2, show_default=True, help="Of the facts."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed damages the same facts.")
@click.option(
    "--questions",
    "questions",
    type=click.Path(path_type=Path),
    help="A data set, or its file of questions: only facts around what they need.",
)
@click.option("--name", help="Of the overlay.  [default: made of kind, ratio and seed]")
@click.option(
    "--editor", type=click.Choice(["rules", "model"]), default="rules", show_default=True, help="Who words the damage."
)
@click.option("--list", "listed", is_flag=True, help="List the overlays.")
@click.option("--remove", metavar="NAME", help="Remove an overlay.")
@index_options
def corrupt(
    kind: str | None,
    ratio: float,
    seed: int,
    questions: Path | None,
    name: str | None,
    editor: str,
    listed: bool,
    remove: str | None,
    chosen: ChosenIndex,
) -> None:
    """Damage the fact graph on purpose. The layer stays as it is: the damage is an overlay, used by name.

    Spurious facts are over_generalised, mis_bound or semantic_flip; what is incomplete has a missing_bridge or a
    dropped_qualifier.

    \b
    polyhop corrupt --kind spurious --ratio 0.2 --name noisy
    polyhop ask "Who ...?" --strategy c2rag --set layers.facts.overlay=noisy
    """
    from polyhop.layers.facts import overlay
    from polyhop.store.record import Record

    index, settings = Path(chosen.path).expanduser(), chosen.settings()
    if listed or remove is not None:
        Record.open(index, settings.index.store).close()  # there are overlays only where there is an index
    if listed:
        names = overlay.names(index)
        for each in names:
            echo(f"{each}: {_described(overlay.read(index, each))}")
        if not names:
            echo("There are no overlays.")
        return
    if remove is not None:
        overlay.remove(index, remove)
        echo(f"Removed {remove}.")
        return
    if kind is None:
        raise UsageError("No kind of damage was named.", remedy="Name one, as in: polyhop corrupt --kind spurious")
    name = name or _name(kind, ratio, seed)
    made = _made(settings, index, kind=kind, ratio=ratio, seed=seed, questions=questions, editor=editor)
    overlay.save(made, index, name)
    _show(made, name)


def _made(
    settings: Settings, index: Path, *, kind: str, ratio: float, seed: int, questions: Path | None, editor: str
) -> Overlay:
    from polyhop.engine import Polyhop
    from polyhop.evaluation.robustness import corruption

    corruption.kinds_of(kind)  # what is unknown is refused before anything is opened
    with Polyhop(index, settings=corruption.undamaged(settings)) as engine, engine.view() as view:
        return corruption.corrupt(
            view.facts,
            view,
            kind=kind,
            ratio=ratio,
            seed=seed,
            around=None if questions is None else _needed(questions, view),
            editor=_model(engine) if editor == "model" else None,
        )


def _needed(questions: Path, view: View) -> tuple[str, ...]:
    """The names that the questions need. Raises DatasetError, UsageError."""
    from polyhop.evaluation.dataset import Dataset
    from polyhop.evaluation.robustness.corruption import needed_names

    folder, split = questions, None
    if questions.suffix == ".jsonl":
        folder, split = questions.parent, questions.stem.removeprefix("questions").removeprefix("_") or None
    asked = Dataset.read(folder, split).questions
    numbers = view.record.numbers_by_id([passage for question in asked for passage in question.supporting])
    names = needed_names(asked, view, numbers)
    if not names:
        raise UsageError(f"{questions} names neither supporting passages of this index nor a decomposition.")
    return names


def _model(engine: Polyhop) -> LanguageModel:
    if engine.models.language_model is None:
        raise UsageError(
            "A language model is to word the damage, but none is configured.",
            remedy="Name an endpoint (POLYHOP_BASE_URL, POLYHOP_MODEL), or leave --editor away.",
        )
    return engine.models.language_model


def _name(kind: str, ratio: float, seed: int) -> str:
    return f"{kind}-{100 * ratio:g}" + (f"-seed{seed}" if seed else "")


def _described(overlay: Overlay) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in overlay.kinds.items()) or "none"
    where = "the whole graph" if overlay.around is None else f"around {counted(overlay.around, 'names')}"
    return f"{len(overlay.edits)} of {counted(overlay.pool, 'facts')} ({where}): {kinds}; seed {overlay.seed}"


def _show(overlay: Overlay, name: str) -> None:
    echo(f"{name}: {_described(overlay)}")
    if len(overlay.edits) < overlay.wanted:
        were = "was" if overlay.wanted == 1 else "were"
        echo(f"{overlay.wanted} {were} to be damaged; {overlay.kind} fits no more.")
    for edit in overlay.edits[:SHOWN]:
        echo(f"\n{edit.kind} ({edit.editor})\n  - {edit.before}\n  + {edit.after or 'nothing'}")
    echo(f"\nUse it with any command: --set layers.facts.overlay={name}")

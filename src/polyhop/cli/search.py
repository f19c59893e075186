"""``polyhop search``: the best passages, without reading them."""

from __future__ import annotations

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.terminal import echo, on_one_line, style, tell_json


@click.command(short_help="Find the passages that together answer a question.")
@click.argument("question")
@click.option("--k", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many passages.")
@click.option(
    "--strategy", help="How to find them (see: polyhop strategies).  [default: auto, or what strategy.name says]"
)
@json_option
@index_options
def search(
    question: str,
    k: int,
    strategy: str | None,
    as_json: bool,
    chosen: ChosenIndex,
) -> None:
    """Find the passages that together answer QUESTION, best first.

    \b
    polyhop search "the architect of the lighthouse" --k 10
    polyhop search "lighthouse" --strategy bm25 --json
    """
    from polyhop.cli.ask import place, warn_of_emptiness
    from polyhop.types import Span
    from polyhop.whereabouts import Whereabouts

    with chosen.opened() as engine:
        with engine.view() as view:
            evidence = engine.search(question, k=k, strategy=strategy)
            passages = [(passage, Whereabouts.of(Span.of(passage), view.record)) for passage in evidence.passages]
        if as_json:
            found = [{**passage.to_dict(), **stands.to_dict()} for passage, stands in passages]
            tell_json({**evidence.to_dict(), "passages": found})
            return
        warn_of_emptiness(evidence, engine)
        for rank, (passage, stands) in enumerate(passages, start=1):
            echo(f"{rank:>3}. {style(on_one_line(passage.title or passage.id), bold=True)}  ({passage.score:.3f})")
            echo(f"     {' '.join(passage.text.split())[:200]}")
            echo(style(f"     {place(stands.uri, Span.of(passage), stands.where)}", dim=True))
        echo(style(f"strategy {evidence.strategy}, {evidence.cost.seconds:.2f} s", dim=True))

"""``polyhop ask``: an answer, each hop of the way to it, and the exact sentence behind each hop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from polyhop.cli.draft import draft_shown
from polyhop.cli.options import ChosenIndex, index_options, json_option, replaying
from polyhop.cli.remedies import completed
from polyhop.cli.terminal import echo, from_here, on_one_line, style, tell_json
from polyhop.english.numbers import counted
from polyhop.indexes.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polyhop.engine import Polyhop
    from polyhop.types import Answer, AnswerItem, Chain, Citation, ConfidenceKind, Evidence, Hop, Span

NOT_FOUND = 3
CHAINS: Final = 2  # of a hop, unless everything is to be shown
QUESTIONS = 3  # generated questions shown of a hop
LONGEST_ANSWER = 160  # characters shown of the answer to one
LONGEST_QUESTION = 400  # characters shown of what a hop asks
UNPROVEN: Final = " [?]"  # behind what no quotation bears out
MARKS = {"resolved": ("●", "green"), "recovered": ("◐", "yellow"), "unresolved": ("○", "red")}


@click.command(short_help="Answer a question, with each hop and its sentence.")
@click.argument("question")
@click.option(
    "--strategy", help="How to find evidence (see: polyhop strategies).  [default: auto, or what strategy.name says]"
)
@click.option("--passages", type=click.IntRange(1, 100), help="Passages that the reader may see.  [default: 5]")
@click.option("--plans", type=click.Path(path_type=Path), help="Take questions apart as a file says.")
@click.option("--trace", is_flag=True, help="Show every decision on the way.")
@json_option
@index_options
def ask(
    question: str,
    strategy: str | None,
    passages: int | None,
    plans: Path | None,
    trace: bool,
    as_json: bool,
    chosen: ChosenIndex,
) -> int:
    """Answer QUESTION from the indexed documents.

    Shows the answer, each hop of the way to it, and the exact sentence behind each hop with its file and character
    span; where facts were walked, also the best chains of them that end at what was found, and the sentence behind
    each arrow (more of them with --trace, and in the trace all). In a terminal, what a language model writes is shown
    as it comes, as a draft: the answer is what has been checked. Exits with 3 where the documents do not answer the
    question, and says what came closest.

    \b
    polyhop ask "Where was the architect of the lighthouse born?"
    polyhop ask "Which is older, the Long Bridge or the Heron Bridge?" --trace
    polyhop ask "Who ...?" --strategy translator --json
    polyhop ask "Who ...?" --strategy stepchain --trace
    polyhop ask "Who ...?" --strategy c2rag --plans plans.jsonl --trace
    """
    from dataclasses import replace

    from polyhop.engine import Polyhop

    settings = chosen.settings(*replaying(plans))
    budget = replace(settings.budget, passages=passages) if passages else None
    with Polyhop(chosen.path, settings=settings) as engine:
        engine.models.load_ahead()
        if as_json:
            answer = engine.ask(question, strategy=strategy, budget=budget)
            tell_json(answer.to_dict())
        else:
            with draft_shown() as drafted:
                answer = engine.ask(question, strategy=strategy, budget=budget, drafted=drafted)
            show(answer, engine, trace=trace)
    return 0 if answer.text is not None else NOT_FOUND


def show(answer: Answer, engine: Polyhop, *, trace: bool) -> None:
    """Print an answer, its hops with the sentence behind each, its sources and what it cost."""
    show_answer(answer)
    warn_of_emptiness(answer.evidence, engine)
    echo()
    sentences = _sentences(answer)
    chains = [hop.chains if trace else _leading(hop) for hop in answer.evidence.hops]
    for number, shown in enumerate(zip(answer.evidence.hops, sentences, chains, strict=True), start=1):
        _show_hop(number, *shown, engine)
    _show_sources(answer, sentences, chains)
    for left_out in answer.evidence.left_out:
        echo(style(f"The budget left out: {on_one_line(left_out)}", dim=True))
    cost = answer.evidence.cost
    tokens = f", {counted(cost.llm_calls, 'model calls')}, {counted(cost.tokens, 'tokens')}" if cost.llm_calls else ""
    line = f"strategy {answer.evidence.strategy}, reader {answer.reader}, {cost.seconds:.2f} s{tokens}"
    echo(style(line, dim=True))
    if trace:
        echo("\n".join(["", style("Trace", bold=True), *(f"  {on_one_line(line)}" for line in answer.evidence.trail)]))


def warn_of_emptiness(evidence: Evidence, engine: Polyhop) -> None:
    """Say so where nothing was found because there is nothing."""
    if not evidence.passages and not engine.status().documents:
        echo(completed("The index holds no documents. Add some with: polyhop index PATH..."), err=True)


def show_answer(answer: Answer) -> None:
    """Print an answer, items of a list below each other, and what of it is quoted, or borne out by no quotation."""
    if answer.text is None:
        closest = " What came closest:" if answer.evidence.passages else ""
        echo(style("Not found in these documents.", bold=True) + closest)
        return
    sure = "" if answer.kind == "parts" else _sure(answer.confidence, answer.confidence_kind)  # each tells its own
    if not answer.grounded:
        sure += style("   not grounded: no quotation bears out what is marked", fg="yellow")
    if answer.items and answer.kind == "list":
        echo(style(f"{len(answer.items)} found", bold=True) + sure)
        for item in answer.items:
            echo(style("  • " + item.text.strip().replace("\n", "\n    "), bold=True) + _unproven(item))
    elif answer.kind == "parts":
        echo("\n".join(map(_part, answer.items)) + sure)
    elif answer.items:
        echo("\n".join(style(item.text, bold=True) + _unproven(item) for item in answer.items) + sure)
    elif not answer.grounded:
        echo(style(answer.text, bold=True) + UNPROVEN + sure)
    elif answer.kind in ("quotation", "extract"):
        echo(style(f"“{_one_line(answer.text or '')}”", bold=True) + sure + style(f", a {answer.kind}", dim=True))
    else:
        echo(style(answer.text, bold=True) + sure)


def _part(item: AnswerItem) -> str:
    """What was asked, and what answers it."""
    if not item.text:
        return f"{item.asked}  not found in these documents"
    sure = "" if item.confidence is None else _sure(item.confidence, item.confidence_kind)
    return f"{item.asked}  {style(item.text, bold=True)}{sure}"


def _sure(confidence: float, kind: ConfidenceKind) -> str:
    """How sure an answer is or, of a language model's, how far quotations bear it out."""
    return style(f"   {confidence:.0%} {'sure' if kind == 'chance' else 'quoted'}", dim=True)


def _unproven(item: AnswerItem) -> str:
    """The mark of what no quotation bears out."""
    return "" if item.citations else UNPROVEN


def _sentences(answer: Answer) -> list[Span | None]:
    """The sentence to show behind each hop: what the answer quotes of it, or else its first; None where it has none.

    Of a hop that came to no answer of its own, what the reader quotes of its passages says more than why it led there.
    """
    hops, left = answer.evidence.hops, list(answer.citations)
    found: dict[int, Span] = {}
    for touches in (_is_sentence_of, _is_read_of):
        for number, hop in enumerate(hops):
            quoted = next((one for one in left if number not in found and touches(one, hop)), None)
            if quoted is not None:
                left.remove(quoted)
                found[number] = quoted.span
    return [found.get(number, next(iter(hop.sentences), None)) for number, hop in enumerate(hops)]


def _is_sentence_of(citation: Citation, hop: Hop) -> bool:
    one = citation.span
    return any(
        one.document_id == span.document_id and one.start < span.end and span.start < one.end for span in hop.sentences
    )


def _is_read_of(citation: Citation, hop: Hop) -> bool:
    return not hop.found and any(citation.passage_id == passage.id for passage in hop.passages)


def _leading(hop: Hop) -> Sequence[Chain]:
    """The best chains that end at what a hop found; where none does, the best of all."""
    found = fold(hop.found or "")
    leading = [chain for chain in hop.chains if fold(chain.entities[-1]) == found]
    return (leading or hop.chains)[:CHAINS]


def _show_sources(answer: Answer, sentences: Sequence[Span | None], chains: Iterable[Sequence[Chain]]) -> None:
    """What the hops, with these chains, do not show: further quotations, or what came closest without hops."""
    hops = answer.evidence.hops
    shown = {*filter(None, sentences), *(span for each in chains for span in _behind(each))}
    further = [citation for citation in answer.citations if citation.span not in shown]
    if further:
        echo(style("Further sources" if shown else "Sources", bold=True))
        for citation in further:
            echo(f"  “{_one_line(citation.quote)}”")
            echo(style(f"    {place(citation.uri, citation.span, citation.where)}", dim=True))
        echo()
    elif not hops:
        for passage in answer.evidence.passages[:3]:
            echo(f"  {on_one_line(passage.title or passage.id)}: {_one_line(passage.text)[:160]}")
        echo()


def _show_hop(number: int, hop: Hop, sentence: Span | None, chains: Sequence[Chain], engine: Polyhop) -> None:
    mark, colour = MARKS[hop.status]
    found = f"  →  {style(hop.found, bold=True)}" if hop.found else ""
    titles = " / ".join(on_one_line(passage.title or passage.id) for passage in hop.passages)
    echo(f"{style(mark, fg=colour)} hop {number}: {_clipped(_one_line(hop.question), LONGEST_QUESTION)}")
    if titles or found:
        echo(f"    {titles}{found}")
    if found and hop.status == "unresolved" and hop.note:  # a guess, or what rests on one, is not to pass for an answer
        echo(style(f"    {on_one_line(hop.note)}", dim=True))
    for clue in hop.clues[:1]:
        tail = f" … {clue.tail}" if clue.tail else ""
        echo(f"    clue: {clue.entity} … {clue.relation}{tail}")
    for fact in hop.facts[:1]:
        echo(f"    fact: {_one_line(f'{fact.head} -({fact.relation})-> {fact.tail}')}")
    for matched in hop.questions[:QUESTIONS]:
        near = "" if matched.hops == 0 else f", {matched.hops} on from a match"
        pair = f"{_one_line(matched.question)} {_one_line(matched.answer)[:LONGEST_ANSWER]}".strip()
        echo(f"    asked there: {pair}", nl=False)
        echo(style(f"   ({matched.similarity:.2f}{near})", dim=True))
    shown = dict.fromkeys([sentence] if sentence is not None else [])
    for span in shown:
        _show_sentence(span, engine)
    for chain in chains:
        echo(f"    chain: {_one_line(str(chain))}")
        for span in _behind([chain]):
            if span not in shown:  # each sentence stands once in a hop
                shown[span] = None
                _show_sentence(span, engine, "  ")
    echo()


def _behind(chains: Iterable[Chain]) -> list[Span]:
    """The sentences behind the arrows of chains, in their order, each once."""
    return list(dict.fromkeys(fact.span for chain in chains for fact in chain.facts))


def _show_sentence(span: Span, engine: Polyhop, further: str = "") -> None:
    from polyhop.whereabouts import Whereabouts

    with engine.view() as view:
        quote, uri, _ = engine.quote(span)
        where = Whereabouts.of(span, view.record).where
    echo(f"    {further}“{_one_line(quote)}”")
    echo(style(f"      {further}{place(uri, span, where)}", dim=True))


def place(uri: str, span: Span, where: str = "") -> str:
    """Where a quotation stands: a path relative to here where it is below, the page or such, and the span."""
    return f"{', '.join(filter(None, (from_here(uri), on_one_line(where))))} [{span.start}:{span.end}]"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clipped(line: str, letters: int) -> str:
    return line if len(line) <= letters else f"{line[:letters]} ..."

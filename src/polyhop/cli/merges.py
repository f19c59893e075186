"""``polyhop merges``: which spellings the facts take for one entity and why, and how to keep them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.terminal import echo, on_one_line, style, tell_json
from polyhop.english.numbers import counted
from polyhop.errors import UsageError

if TYPE_CHECKING:
    from polyhop.layers.facts.merges import Merge

TITLES_SHOWN = 3


@click.command(short_help="Show which spellings count as one name, and why.")
@click.argument("names", nargs=-1)
@click.option("--undo", is_flag=True, help="Keep each NAME apart from the other spellings of its entity, for good.")
@click.option("--redo", is_flag=True, help="Take back what was undone for each NAME.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(min=0), help="Entities listed; 0: all.")
@json_option
@index_options
def merges(
    names: tuple[str, ...],
    undo: bool,
    redo: bool,
    limit: int,
    as_json: bool,
    chosen: ChosenIndex,
) -> None:
    """Show entities that were merged from several spellings (those that NAMES name, or all), with the reasons.

    The least certain come first. Spellings that differ in case, accents or an article only are one name.

    \b
    polyhop merges                          # what was merged, and why
    polyhop merges "Ada Brisk"              # the spellings of one entity
    polyhop merges --undo "Old Patience"    # this is not what it was taken for
    polyhop merges --redo "Old Patience"    # it is, after all
    """
    if undo and redo:
        raise UsageError("--undo and --redo contradict each other.")
    if (undo or redo) and not names:
        raise UsageError("Which name?", remedy='As in: polyhop merges --undo "NAME"')
    with chosen.opened() as engine:
        if undo or redo:
            pairs = engine.keep_apart(*names) if undo else engine.join_again(*names)
            _show_pairs(pairs, undo=undo, as_json=as_json)
        else:
            _show(engine.merges(*names), limit, as_json=as_json)


def _show_pairs(pairs: Sequence[tuple[str, str]], *, undo: bool, as_json: bool) -> None:
    if as_json:
        tell_json({"kept_apart" if undo else "joined_again": [list(pair) for pair in pairs]})
        return
    for left, right in pairs:
        echo(f"{'Kept apart' if undo else 'No longer kept apart'}: {left} | {right}")
    if not pairs:
        echo("Kept apart already.")


def _show(found: Sequence[Merge], limit: int, *, as_json: bool) -> None:
    shown = found[:limit] if limit else found
    if as_json:
        tell_json([merge.to_dict() for merge in shown])
        return
    for merge in shown:
        label = f" ({merge.label})" if merge.label not in ("", "TITLE") else ""
        echo(f"{style(merge.name, bold=True)}{label}")
        for spelling in merge.spellings:
            titles = on_one_line(", ".join(spelling.titles[:TITLES_SHOWN]))
            more = len(spelling.titles) - TITLES_SHOWN
            where = f"in {titles}" + (f" and {more} more" if more > 0 else "") if titles else ""
            reason = f"[{spelling.reason}] " if spelling.reason else ""
            echo(f"  {spelling.name}  {style(reason + where, dim=True)}".rstrip())
    kinds = Counter(merge.kind for merge in found)
    counts = ", ".join(f"{kinds[kind]} by {kind}" for kind in ("similarity", "alias", "name") if kinds[kind])
    have = "has" if len(found) == 1 else "have"
    echo(f"{counted(len(found), 'entities')} {have} several spellings{f': {counts}' if counts else ''}.")
    if len(shown) < len(found):
        echo(f"{len(shown)} {'is' if len(shown) == 1 else 'are'} listed; all with: --limit 0")

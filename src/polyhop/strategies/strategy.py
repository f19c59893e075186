"""What every strategy is: a question and an index in, evidence out; and how one is named: ``c2rag(check=off)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, Protocol, runtime_checkable

from polyhop import registry
from polyhop.errors import LayerMissing, UsageError
from polyhop.layers.view import View
from polyhop.settings import Settings
from polyhop.types import Budget, Evidence, Passage

_VARIANT = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_EXAMPLE = "Write a name alone, or with settings in brackets, as in: paths(plan=false, links=4)."


@runtime_checkable
class Strategy(Protocol):
    """A way to find evidence. A strategy is a frozen dataclass; its fields are its settings.

    A class may declare ``wants``: layers that it uses where an index has them, and that the bench makes for it;
    ``welcomes``: layers that it uses, too, where somebody made them; ``ablations``: by label, the settings that switch
    a part of it off (see ``ablations_of``); ``needed``, where its settings decide which layers it reads (see
    ``layers_read``); and ``unread``, the settings that switch off what it does for readers alone (see ``unread``).
    """

    needs: ClassVar[tuple[str, ...]]  # the layers it reads

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """Evidence within the budget: passages best first, and the hops that led to them."""


@runtime_checkable
class Supplies(Protocol):
    """A strategy that looks up what a reader lacks, while its evidence has a ``supplied``."""

    def supply(
        self, lacking: Sequence[str], evidence: Evidence, quoted: Sequence[Passage], over: View, budget: Budget
    ) -> Evidence | None:
        """The evidence with what is found for the questions that a reader lacks; None where nothing new is.

        ``quoted``: the passages that the reader would have its answer rest on so far.
        """


def strategy_of(name: str, settings: Settings) -> Strategy:
    """The strategy of a name, configured by ``[strategies.NAME]``, then ``[strategy]``, then the name's own settings.

    Raises UnknownComponent, SettingError, and UsageError for a name that cannot be read.
    """
    base, own = parse_variant(name)
    _, whichever = settings.choice("strategy")
    below = {**registry.dotted(settings.of(f"strategies.{base}")), **registry.dotted(whichever)}
    strategy: Strategy = registry.build("strategies", base, {**below, **own})
    return strategy


def layers_read(strategy: Strategy) -> tuple[str, ...]:
    """The layers that a strategy reads as it is configured: those of its class, unless it says otherwise."""
    needed: Callable[[], tuple[str, ...]] | None = getattr(strategy, "needed", None)
    return strategy.needs if needed is None else needed()


def layers_wanted(strategy: Strategy) -> tuple[str, ...]:
    """The layers that a strategy uses where an index has them, and does without elsewhere."""
    wants: tuple[str, ...] = getattr(strategy, "wants", ())
    return wants


def layers_used(strategy: Strategy, there: Container[str]) -> tuple[str, ...]:
    """The layers that a strategy looks at in an index with those that are there: what it reads, wants and welcomes."""
    welcomes: tuple[str, ...] = getattr(strategy, "welcomes", ())
    return (*layers_read(strategy), *(one for one in (*layers_wanted(strategy), *welcomes) if one in there))


def default_strategy(view: View, settings: Settings) -> str:
    """The strategy where none is named: the one of the settings. Raises LayerMissing for an index without passages."""
    if "text" in view.layers:
        return settings.choice("strategy")[0]
    if (writer := view.record.writer()) is not None:
        raise LayerMissing(
            f"This index has nothing to search yet: it is being made by {writer}.",
            remedy="Ask again when that is done; polyhop status says how far it is.",
        )
    raise LayerMissing("This index has nothing to search yet.", remedy="Index documents with: polyhop index PATH...")


def usable_strategy(name: str | None, view: View, settings: Settings) -> str:
    """The strategy named, or the default one, once it is seen that it can be built and that its layers are there.

    Raises UnknownComponent, SettingError, UsageError, LayerMissing.
    """
    chosen = name or default_strategy(view, settings)
    view.restricted(layers_read(strategy_of(chosen, settings)))
    return chosen


def parse_variant(name: str) -> tuple[str, dict[str, str]]:
    """The strategy and the settings that ``NAME`` or ``NAME(key=value, key=value)`` stands for.

    A value that holds commas stands in brackets of its own: ``NAME(relations=(mother, father))``. Raises UsageError.
    """
    found = _VARIANT.fullmatch(name)
    if found is None or not _balanced(found[2] or ""):
        raise UsageError(f"{name!r} is not a strategy.", remedy=_EXAMPLE)
    own: dict[str, str] = {}
    for pair in split_outside_brackets(found[2] or ""):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key or not value or key in own or not (_balanced(key) and _balanced(value)):
            trouble = "is given twice" if key in own else "is not a setting"
            raise UsageError(f"{pair!r} in {name!r} {trouble}.", remedy=_EXAMPLE)
        bracketed = value[0] == "(" and 0 not in _depths(value)[:-1]
        own[key] = value[1:-1].strip() if bracketed else value
    return found[1], own


def base_name(name: str) -> str:
    """The registered strategy that a name stands for: ``c2rag`` of ``c2rag(check=off)``. Raises UsageError."""
    return parse_variant(name)[0]


def variant_name(base: str, own: Mapping[str, object]) -> str:
    """The name of a strategy with settings of its own, such that ``parse_variant`` gives both back as text."""
    return f"{base}({', '.join(f'{key}={_written(value)}' for key, value in own.items())})" if own else base


def canonical(name: str) -> str:
    """A name as ``variant_name`` writes it. Raises UsageError."""
    return variant_name(*parse_variant(name))


def split_names(text: str) -> tuple[str, ...]:
    """The strategies of a list, canonical and without repetition; commas within brackets do not part them.

    Raises UsageError.
    """
    return tuple(dict.fromkeys(map(canonical, split_outside_brackets(text))))


def split_outside_brackets(text: str) -> Iterator[str]:
    """The parts between commas that stand in no round brackets, stripped, without empty ones."""
    start = 0
    for place, depth in enumerate([*_depths(text), 0]):
        if place == len(text) or (text[place] == "," and depth <= 0):
            if part := text[start:place].strip():
                yield part
            start = place + 1


def ablations_of(name: str) -> Mapping[str, Mapping[str, object]]:
    """By label, such as ``without the plan``, the settings of each ablation that a strategy's class declares.

    Raises UnknownComponent and UsageError.
    """
    declared: Mapping[str, Mapping[str, object]] = getattr(
        registry.load("strategies", base_name(name)), "ablations", {}
    )
    return declared


def unread(name: str) -> str:
    """The strategy of a name as it is asked where nobody reads what it finds; settings of the name's own stay.

    It finds the same passages. Raises UnknownComponent and UsageError.
    """
    base, own = parse_variant(name)
    declared: Mapping[str, object] = getattr(registry.load("strategies", base), "unread", {})
    return variant_name(base, {**declared, **own})


def _depths(text: str) -> list[int]:
    """For each character how many round brackets are open behind it; below 0 where more are closed."""
    return list(accumulate((character == "(") - (character == ")") for character in text))


def _balanced(text: str) -> bool:
    depths = _depths(text)
    return not depths or (min(depths) == 0 and depths[-1] == 0)


def _written(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_written, value))})"
    text = registry.written(value)
    return f"({text})" if not text or "," in text or text[0] == "(" else text

"""Extracts the facts that passages state, several passages a call, each fact with a quotation that is checked."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from polyhop.errors import BudgetExceeded, EndpointError, ModelError, ModelMissing, PolyhopError
from polyhop.indexes.names import normal
from polyhop.models.accounting import Prices, WastedOutput, estimated_prompt, estimated_tokens
from polyhop.models.endpoint import Request
from polyhop.models.structured import complete_json
from polyhop.ports import Completion, Failure, LanguageModel, Message
from polyhop.tasks.blocks import DATA_RULE, Block, fenced
from polyhop.tasks.grounding import as_written, fault_of, whole_words
from polyhop.tasks.quotes import locate
from polyhop.types import Cost, Fact, Passage

log = logging.getLogger(__name__)
T = TypeVar("T")
R = TypeVar("R")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "passage": {"type": "integer"},
                    "head": {"type": "string"},
                    "relation": {"type": "string"},
                    "tail": {"type": "string"},
                    "evidence": {"type": "string"},
                },
                "required": ["passage", "head", "relation", "tail", "evidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}

_SYSTEM = f"""You write down the facts that numbered passages state, for a graph in which questions are answered by \
going from fact to fact. A fact connects two things by a relation.

- "passage": the number of the passage that states the fact.
- "head" and "tail": the two things: persons, places, organisations, works, events, dates, numbers, occupations. Copy \
each from the passage or its title, letter for letter, in as few words as name it. Where the passage says "she", "it" \
or "the bridge", write the name that this stands for.
- "relation": what connects them, in one to six words of the passage's language, so that head, relation and tail read \
as a sentence. Keep what changes the meaning, such as "not", "perhaps" or "until".
- "evidence": the stretch of the passage's text that states the fact, at most a sentence, copied letter for letter. Do \
not shorten, join or correct it. The title is no evidence.

Take a sentence that states several facts apart. Write down all that is stated, each fact once, and nothing that you \
remember or conclude, nor what a passage merely asks, supposes or demands. A passage that states no facts gets none; \
the list may be empty.

{DATA_RULE}

Output JSON: {{"facts": [...]}}. An example, for a passage 1 with the title "The Salt Harvest" and the text "It was \
painted by Ilse Dorn, a pupil of Jorun Vey.": {{"facts": [\
{{"passage": 1, "head": "The Salt Harvest", "relation": "was painted by", "tail": "Ilse Dorn", \
"evidence": "It was painted by Ilse Dorn"}}, \
{{"passage": 1, "head": "Ilse Dorn", "relation": "was a pupil of", "tail": "Jorun Vey", \
"evidence": "Ilse Dorn, a pupil of Jorun Vey"}}]}}"""

PROMPT_VERSION = hashlib.sha256(f"{_SYSTEM}\n{json.dumps(SCHEMA)}".encode()).hexdigest()[:12]
"""Identifies what the model is asked: another prompt or schema gives other facts."""

_SPARE_ANSWER = 300  # tokens that every call may answer, and
_ANSWER_PER_TOKEN = 6  # for each token of text: facts quote their evidence, and a sentence may state several
_BLOCK_TOKENS = 24  # the marks around a passage
_UNANSWERED = 3  # calls in a row: so many are the endpoint's fault, not the passages'
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[\.{3}\]|\[…\])\s*")
_ABOUT_REQUEST = frozenset({400, 413, 422, 500, 501})  # refusals that another request may not meet with


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How passages are packed into calls, and how much a call may answer."""

    text_tokens: int = 1500  # of the passages of one call, about; a longer passage has a call of its own
    passages: int = 4  # of one call, at most
    max_tokens: int = 6000  # of one answer, at most; calls with little text may answer less
    facts: int = 40  # kept of one passage

    def __post_init__(self) -> None:
        if min(self.text_tokens, self.passages, self.max_tokens, self.facts) < 1:
            raise ValueError("text_tokens, passages, max_tokens and facts must be at least 1")

    def answer(self, text_tokens: int) -> int:
        """Tokens that a call with so many tokens of text may answer."""
        return min(self.max_tokens, _SPARE_ANSWER + _ANSWER_PER_TOKEN * text_tokens)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The facts of a passage, and how many were rejected, by reason (see ``grounding.fault_of``).

    Two more reasons: ``passage``, a number that no passage has, and ``surplus``, more facts than are kept.
    """

    facts: tuple[Fact, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)


def extract_facts(
    model: LanguageModel, passages: Sequence[Passage], *, limits: Limits = Limits()
) -> tuple[list[Extracted | Failure], Cost]:
    """The facts of each passage, or why it could not be done, in the order of the passages; and what that cost.

    Calls run at once where the model says how many it allows (``concurrency``). An answer for several passages that
    stays broken after one repair, or is cut off, is asked for again passage by passage. What was paid for before an
    error is in the model's cache: the same passages again pay for the rest only.

    Raises BudgetExceeded, ModelMissing, and EndpointError where it is not about the request for some passage only.
    """
    extraction = _Extraction(model, limits)
    outcomes: list[Extracted | Failure] = [Extracted()] * len(passages)
    batches = list(_packed([(index, _tokens(passage)) for index, passage in _worded(passages)], limits))
    texts = [[passages[index] for index in batch] for batch in batches]
    for batch, done in zip(batches, _each(extraction.of, texts, int(getattr(model, "concurrency", 1))), strict=True):
        for index, outcome in zip(batch, done, strict=True):
            outcomes[index] = outcome
    return outcomes, extraction.cost


def forecast_extraction(model: LanguageModel, passages: Sequence[Passage], *, limits: Limits = Limits()) -> Cost:
    """The most that these passages would cost now, before any call, if no answer has to be repaired or asked for again.

    A model that can forecast (``OpenAICompatible``) applies its prices and leaves out answers that it keeps already.
    """
    batches = _packed([(index, _tokens(passage)) for index, passage in _worded(passages)], limits)
    requests = [_request([passages[index] for index in batch], limits) for batch in batches]
    if hasattr(model, "forecast"):
        forecast: Cost = model.forecast(requests)
        return forecast
    sizes = [(estimated_prompt(request.messages), request.max_tokens) for request in requests]
    return sum((Prices().of(prompt, answer) for prompt, answer in sizes), Cost())


def forecast_sizes(text_tokens: Iterable[int], *, prices: Prices | None = None, limits: Limits = Limits()) -> Cost:
    """Like ``forecast_extraction`` for passages of which only the sizes are known (``estimated_tokens``), in order."""
    charged = prices or Prices()
    fixed = estimated_prompt([Message("system", _SYSTEM), Message("user", "")]) + estimated_tokens(json.dumps(SCHEMA))
    sizes = [size + _BLOCK_TOKENS for size in text_tokens]
    cost = Cost()
    for batch in _packed(list(enumerate(sizes)), limits):
        text = sum(sizes[index] for index in batch)
        cost += charged.of(fixed + text, limits.answer(text))
    return cost


class _CutOff(Exception):
    """An answer for several passages that was too long: fewer passages are a better remedy than fewer facts."""


class _Extraction:
    """One run over passages: the model as its tasks see it, with a tally. Threads share it."""

    def __init__(self, model: LanguageModel, limits: Limits) -> None:
        self.cost = Cost()
        self._model = model
        self._limits = limits
        self._unanswered = 0
        self._lock = threading.Lock()

    def of(self, batch: Sequence[Passage]) -> list[Extracted | Failure]:
        """What one call gives for its passages; where it gives nothing usable, what a call for each of them gives."""
        request = _request(batch, self._limits)
        model = _Watched(self, self._model, several=len(batch) > 1)
        try:
            answer, _ = complete_json(model, request.messages, SCHEMA, request.max_tokens)
        except (ModelError, _CutOff) as error:
            if self._is_down(error):
                raise
            if len(batch) == 1:
                log.warning("No facts are extracted from passage %s: %s", batch[0].id, error)
                return [Failure(str(error))]
            log.info("%d passages are asked for one by one: %s", len(batch), error)
            return [outcome for passage in batch for outcome in self.of([passage])]
        return list(_grounded(answer["facts"], batch, self._limits.facts))

    def answered(self, cost: Cost) -> None:
        """Count a call that was answered, well or badly."""
        with self._lock:
            self.cost += cost
            self._unanswered = 0

    def _is_down(self, error: Exception) -> bool:
        """Whether other passages would fare no better: it refuses us, or leaves several calls in a row unanswered."""
        if not isinstance(error, EndpointError) or error.status in _ABOUT_REQUEST:
            return isinstance(error, ModelMissing)
        with self._lock:
            self._unanswered += 1
            return error.status is not None or self._unanswered >= _UNANSWERED


@dataclass(frozen=True)
class _Watched:
    """The model, with every answer counted, also those that a repair replaces."""

    extraction: _Extraction
    model: LanguageModel
    several: bool

    @property
    def name(self) -> str:
        return self.model.name

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
        except WastedOutput as wasted:
            self.extraction.answered(wasted.cost)
            if self.several and wasted.text.strip():
                raise _CutOff(str(wasted)) from wasted
            raise
        self.extraction.answered(completion.cost)
        return completion


def _worded(passages: Sequence[Passage]) -> Iterator[tuple[int, Passage]]:
    """The passages that say anything: nobody is asked about the others."""
    return ((index, one) for index, one in enumerate(passages) if any(map(str.isalnum, one.text)))


def _shown(passage: Passage) -> str:
    return f"Title: {passage.title}\n\n{passage.text}"


def _tokens(passage: Passage) -> int:
    return estimated_tokens(_shown(passage)) + _BLOCK_TOKENS


def _packed(sizes: Sequence[tuple[int, int]], limits: Limits) -> Iterator[list[int]]:
    """The items, given with their sizes, in batches that stay within the limits, in order."""
    batch: list[int] = []
    held = 0
    for index, size in sizes:
        if batch and (held + size > limits.text_tokens or len(batch) == limits.passages):
            yield batch
            batch, held = [], 0
        batch.append(index)
        held += size
    if batch:
        yield batch


def _request(batch: Sequence[Passage], limits: Limits) -> Request:
    blocks = [Block(f"PASSAGE {number}", _shown(passage)) for number, passage in enumerate(batch, 1)]
    messages = (Message("system", _SYSTEM), Message("user", fenced(blocks)))
    answer = limits.answer(sum(map(_tokens, batch)))
    return Request(messages=messages, max_tokens=answer, schema=SCHEMA)


def _grounded(items: Sequence[Mapping[str, Any]], batch: Sequence[Passage], most: int) -> Iterator[Extracted]:
    """What the passages bear out; the rest is counted where the model said that it stands."""
    facts: list[dict[tuple[str, str, str], Fact]] = [{} for _ in batch]
    rejected: list[Counter[str]] = [Counter() for _ in batch]
    for item in items:
        index, fact, fault = _placed(item, batch)
        if fact is None:
            rejected[index][fault] += 1
            continue
        key = (normal(fact.head), normal(fact.relation), normal(fact.tail))
        if key not in facts[index] and len(facts[index]) == most:
            rejected[index]["surplus"] += 1
        else:
            facts[index].setdefault(key, fact)
    return (Extracted(tuple(found.values()), counts) for found, counts in zip(facts, rejected, strict=True))


def _placed(item: Mapping[str, Any], batch: Sequence[Passage]) -> tuple[int, Fact | None, str]:
    """The passage that states a fact, the fact, or why it is rejected; a genuine one may have a wrong number."""
    named = item["passage"] - 1
    known = 0 <= named < len(batch)
    fault = "" if known else "passage"
    for index in sorted(range(len(batch)), key=lambda other: other != named):
        fact = _fact(item, batch[index])
        found = fault_of(fact, batch[index]) or _unsupported(fact, batch[index])
        if found is None:
            return index, _polished(fact, batch[index]), ""
        fault = fault or found
    return named if known else 0, None, fault


def _fact(item: Mapping[str, Any], passage: Passage) -> Fact:
    start, end = _evidence(item["evidence"], passage.text) or (0, 0)
    head, relation, tail = (" ".join(item[key].split()) for key in ("head", "relation", "tail"))
    return Fact(head=head, relation=relation, tail=tail, start=start, end=end)


def _evidence(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quotation stands, or the stretch around its parts where the model left something out between them."""
    parts = [part for part in _ELLIPSIS.split(" ".join(quote.split())) if part]
    return _around([quote.strip()], text) or _around(parts, text)


def _around(parts: Sequence[str], text: str) -> tuple[int, int] | None:
    start, end = len(text), 0
    for part in parts:
        span = locate(part, text[end:])
        if span is None or not whole_words(text[end:], *span):
            return None
        start, end = min(start, end + span[0]), end + span[1]
    return (start, end) if start < end else None


def _unsupported(fact: Fact, passage: Passage) -> str | None:
    """Evidence that speaks of neither end is of something else."""
    evidence = replace(passage, title="", text=passage.text[fact.start : fact.end])
    spoken = any(as_written(name, evidence) is not None for name in (fact.head, fact.tail))
    return None if spoken else "evidence"


def _polished(fact: Fact, passage: Passage) -> Fact:
    """A fact with its ends spelt as in the passage, and the one labelled that is the passage's title."""
    head, tail = (as_written(name, passage) or name for name in (fact.head, fact.tail))
    labels = ["TITLE" if normal(name) == normal(passage.title) else "" for name in (head, tail)]
    return replace(fact, head=head, tail=tail, head_label=labels[0], tail_label=labels[1])


def _each(work: Callable[[T], R], items: Sequence[T], at_once: int) -> list[R]:
    """What the work makes of each item, in order, at most so many at a time; an error lets no further one begin.

    Caps count what calls under way may consume at most. So an item that finds no room beside others is tried again
    alone, and BudgetExceeded then means what it says. An interruption (Ctrl-C) returns at once.
    """
    results: dict[int, R] = {}
    errors: list[PolyhopError] = []
    waiting = iter(range(len(items)))
    lock, stop = threading.Lock(), threading.Event()

    def run() -> None:
        while not stop.is_set():
            with lock:
                index = next(waiting, None)
            if index is None:
                return
            try:
                results[index] = work(items[index])
            except BudgetExceeded:
                stop.set()
            except PolyhopError as error:
                errors.append(error)
                stop.set()

    count = min(at_once, len(items))
    threads = [threading.Thread(target=run, daemon=True) for _ in range(count if count > 1 else 0)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # in slices, because Windows cannot interrupt a join without end
    finally:
        stop.set()
    if errors:
        raise errors[0]
    return [results[index] if index in results else work(item) for index, item in enumerate(items)]

"""The data that flows through Polyhop: documents, passages, what layers derive from them, evidence and answers.

All are immutable values. Offsets are characters of ``Document.text``, half open, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Literal

from polyhop.plans import Plan
from polyhop.serialisable import Serialisable, field_names

HopStatus = Literal["resolved", "recovered", "unresolved"]
THREAD: Final = "thread"  # the key of the metadata of a message for the id of the one that began its thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text to be indexed, with where it came from.

    Whoever gives one to ``Polyhop.add_documents`` needs an id and a text; a title helps to find it. ``whole`` documents
    (rows) become one passage, whose id is the document's, up to ``chunking.longest_row`` tokens.
    """

    id: str
    text: str
    title: str = ""  # where it is empty, what the URI ends in
    uri: str = ""  # where the user finds it: a path, or path#row for rows of a csv or jsonl file; empty: the id
    media_type: str = "text/plain"
    sha256: str = ""  # of the title and the extracted text, hexadecimal; made when it is stored
    metadata: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False
    pages: tuple[int, ...] = ()  # where each page begins, of a document that has pages
    headings: tuple[tuple[int, int], ...] = ()  # where its headings stand, in order and apart
    levels: tuple[int, ...] = ()  # of each heading, 1 the highest; none where it is not known. It is not stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a passage of a conversation cannot tell by itself of when it was said, but its document does."""

    day: str = ""  # of the first turn that begins in the passage, as eight digits, or nothing
    month_first: bool = False  # whether dates such as 2/4/31 are to be read month first
    recorded: bool = False  # whether times are those of a recording, and none of the day


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Serialisable):
    """A stretch of a document that is retrieved and read as one piece.

    Scores can be compared within one answer only, and two passages that differ in nothing else are equal.
    """

    id: str
    document_id: str
    ordinal: int  # 0, 1, 2, ... in document order
    start: int
    end: int
    title: str
    text: str
    occasion: Occasion | None = None  # for readers; rows of layers depend on title and text alone
    section: tuple[str, ...] = ()  # for readers: the headings before it that it begins under, the widest first
    headings: tuple[tuple[int, int], ...] = ()  # what of it is no prose but a heading; offsets are relative to its text
    thread: str = ""  # for readers: the id of the first message of the thread that it is of, where it is of mail
    score: float = field(default=0.0, compare=False)  # in evidence: what its strategy ranked it by; elsewhere 0

    def headings_over(self, place: int) -> tuple[str, ...]:
        """The nearest heading above a place in it; where none is, those that it begins under."""
        above = [heading for heading in self.headings if heading[1] <= place]
        return (self.text[slice(*above[-1])],) if above else self.section

    def for_layers(self, *, dated: bool = False) -> Passage:
        """Without what only readers are told, but for its occasion where it is to be ``dated``."""
        return replace(self, occasion=self.occasion if dated else None, section=(), headings=(), thread="")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a document's text: what every citation comes down to."""

    document_id: str
    start: int
    end: int

    @classmethod
    def of(cls, passage: Passage) -> Span:
        """That of a whole passage."""
        return cls(passage.document_id, passage.start, passage.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A named entity where it stands in a passage; offsets are relative to the passage's text.

    A mention with ``start == end == 0`` is the passage's title, standing for what the passage is about.
    """

    name: str  # as written
    key: str  # normalised: mentions with equal keys are one entity
    label: str  # the parser's type, or TITLE
    start: int
    end: int
    head: bool  # whether the hyperrelation leads out of it (KG-Translator, section 3.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as a hyperrelation between its entities; offsets are relative to the passage's text."""

    start: int
    end: int
    hyperrelation: str  # the sentence with each entity masked by ##
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A triple that a passage states; offsets are relative to the passage's text."""

    head: str  # as written in the passage, or its title
    relation: str
    tail: str
    start: int  # of the evidence: the sentence that states it
    end: int
    head_label: str = ""  # the parser's type, TITLE, or nothing where it is unknown
    tail_label: str = ""
    confidence: float = 1.0  # 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """A fact as a hop shows it, with its evidence in the document and how well it fits what was asked."""

    head: str
    relation: str
    tail: str
    passage_id: str
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Entity:
    """What several mentions name."""

    key: str
    name: str  # its most frequent spelling
    aliases: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """An entity and a few words the corpus says next to it, with the sentences that say them."""

    entity: str
    relation: str
    direction: Literal["forward", "reverse"]
    score: float  # log-probability under the translator; 0 is certain
    sentences: tuple[Span, ...]
    tail: str | None = None  # the entity at the other end, where clues are triples


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Facts that were walked one after the other, each with the sentence behind it (StepChain, Eq. 8)."""

    entities: tuple[str, ...]  # in the order walked: one more than there are facts
    facts: tuple[Triple, ...]
    forward: tuple[bool, ...]  # whether each fact was walked from its head to its tail
    score: float

    def __str__(self) -> str:
        """The chain as ``A -(r)-> B <-(r)- C``."""
        return self.annotated([""] * len(self.facts))

    def annotated(self, notes: Sequence[str]) -> str:
        """The same with a note behind each fact, such as ``A -(r)-> B [1] <-(r)- C [2]``; empty ones leave nothing."""
        text = self.entities[0]
        for fact, ahead, to, note in zip(self.facts, self.forward, self.entities[1:], notes, strict=True):
            arrow = f" -({fact.relation})-> {to}" if ahead else f" <-({fact.relation})- {to}"
            text += f"{arrow} {note}" if note else arrow
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedQuestion:
    """A question that a passage answers, with the answer; offsets are relative to the passage's text (QCG-RAG)."""

    question: str
    answer: str
    start: int  # of the answer, or of the sentence that gives it; start < end
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedQuestion:
    """A generated question that a user's question matched, or that one of these led to."""

    question: str
    answer: str
    passage_id: str
    span: Span  # where the answer stands
    similarity: float  # cosine with the user's question, plus 1: 0 to 2
    hops: int = 0  # neighbours walked to it: 0 where it matched by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop(Serialisable):
    """One step of the way to the answer."""

    question: str
    status: HopStatus
    found: str | None = None  # what the step contributes to the next one, e.g. the bridge entity
    passages: tuple[Passage, ...] = ()
    sentences: tuple[Span, ...] = ()  # the exact text behind the step
    clues: tuple[Clue, ...] = ()
    facts: tuple[Triple, ...] = ()
    chains: tuple[Chain, ...] = ()  # best first
    questions: tuple[MatchedQuestion, ...] = ()  # best first
    step: int | None = None  # index into the steps of the evidence's plan that the hop answers
    placeholder: str | None = None  # what ``found`` is the value of, such as "?prison"; none: the step binds nothing
    score: float | None = None
    chance: float | None = None  # that ``found`` is right, 0 to 1, where the strategy can tell
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Serialisable):
    """What a piece of work consumed."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0  # in the currency of the configured prices

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Cost) -> Cost:
        """The cost of both pieces of work."""
        return Cost(**{name: getattr(self, name) + getattr(other, name) for name in field_names(self)})

    def __sub__(self, other: Cost) -> Cost:
        """The cost of the first piece of work without that of the other, which is a part of it."""
        return Cost(**{name: getattr(self, name) - getattr(other, name) for name in field_names(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one question may consume; the same for all strategies, so that comparisons are fair.

    A cap of none is no cap. What it left out is in ``Evidence.left_out``.
    """

    passages: int = 5  # that a strategy may hand to the reader
    tokens: int = 6000  # of passages and findings that any one prompt may show, and that the reader sees
    llm_calls: int = 12  # to the configured language model, repairs among them
    llm_tokens: int | None = None  # of all its prompts and answers together
    money: float | None = None  # that it may cost, at the prices in [language_model]
    seconds: float | None = None  # after which no further hop is begun and no text judged; none: no limit

    def __post_init__(self) -> None:
        """Raises ValueError for less than nothing, and where no passage may be handed on."""
        if self.passages < 1:
            raise ValueError(f"passages is at least 1, not {self.passages}")
        for name in ("tokens", "llm_calls", "llm_tokens", "money", "seconds"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"{name} is at least 0, or none for no cap, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Serialisable):
    """What a strategy found: the passages, best first and at most the budget, and the hops that led to them."""

    question: str
    strategy: str
    passages: tuple[Passage, ...]
    hops: tuple[Hop, ...] = ()
    plan: Plan | None = None  # how the question was taken apart; hops name its steps
    trail: tuple[str, ...] = ()  # one line a decision, for --trace
    left_out: tuple[str, ...] = ()  # what the budget did not allow, one line each
    cost: Cost = Cost()
    doubtful: bool = False  # whether nothing found seems to speak of what is asked: a reader is then less sure
    synthesis: str = ""  # what the strategy concluded from its hops, for a reader that can use it (StepChain, Eq. 10)
    by_heart: bool = False  # whether nothing was looked for: a language model then answers from what it remembers
    aside: tuple[str, ...] = ()  # ids of passages that are not about what it looked up: no language model is shown them
    supplied: tuple[str, ...] | None = None  # questions looked up as a reader lacked them; None: that is not done


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Serialisable):
    """An exact quotation that supports an answer: ``document.text[span.start:span.end] == quote``."""

    span: Span
    quote: str
    uri: str
    title: str
    passage_id: str
    page: int | None = None  # from 1, on which it begins; None where a document has no pages
    line: int | None = None  # from 1, on which it begins; None where a document is no source code
    where: str = ""  # the same in words, and more: page 3, sheet “Fares”, line 12, under “Fares > Dogs”; or empty


class AnswerStatus(StrEnum):
    """Whether the documents answered the question."""

    ANSWERED = "answered"
    NOT_FOUND = "not found"


class AnswerKind(StrEnum):
    """What an answer is: how its text relates to the documents."""

    VALUE = "value"  # a name, a date, an amount, a clause: a stretch of a document
    VERDICT = "verdict"  # yes or no
    CHOICE = "choice"  # one of the options that the question offers
    LIST = "list"  # several items, also the steps of an instruction
    QUOTATION = "quotation"  # the sentence that says it, word for word
    EXTRACT = "extract"  # the sentences that say most of it, word for word
    PROSE = "prose"  # sentences in a model's own words, each checked against what it quotes
    PARTS = "parts"  # an answer to each of the things that one question asks


class ConfidenceKind(StrEnum):
    """What a confidence tells."""

    CHANCE = "chance"  # that the answer is right
    QUOTED = "quoted"  # how far genuine quotations contain what a language model says, right or wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerItem(Serialisable):
    """An item of a list, a step, a sentence or a part of an answer, with the quotations that bear it out, if any do."""

    text: str  # empty: the documents do not answer this part
    citations: tuple[Citation, ...]
    asked: str = ""  # which of several things that the question asks it answers
    confidence: float | None = None  # of that alone; None: as sure as the answer
    confidence_kind: ConfidenceKind = ConfidenceKind.CHANCE

    @property
    def citation(self) -> Citation | None:
        """The first of its quotations."""
        return self.citations[0] if self.citations else None

    @property
    def said(self) -> str:
        """The item as a text of its own: behind what was asked, where the question asks several things."""
        return f"{self.asked} {self.text or AnswerStatus.NOT_FOUND}" if self.asked else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Serialisable):
    """An answer with its evidence. Where documents have none, ``text`` is None, and citations are what came closest."""

    question: str
    text: str | None
    citations: tuple[Citation, ...]
    confidence: float  # 0 to 1
    evidence: Evidence
    reader: str
    manifest: Mapping[str, str]  # models, settings and index generation: what replays this answer
    confidence_kind: ConfidenceKind = ConfidenceKind.CHANCE
    kind: AnswerKind = AnswerKind.VALUE
    items: tuple[AnswerItem, ...] = ()  # of a list, its steps, sentences or parts, in their order
    grounded: bool = True  # whether the citations bear the answer out, each of its items; never without a text
    standalone: str | None = None  # what a follow-up question was taken to mean; None: it stood alone

    @property
    def status(self) -> AnswerStatus:
        """Answered, or not found in these documents."""
        return AnswerStatus.NOT_FOUND if self.text is None else AnswerStatus.ANSWERED
